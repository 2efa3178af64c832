"""A long work, and pages of a site that carry some of its chapters: rows alone, no texts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from core.ids import work_text_id
from core.taken import Places
from tests.support import admin_data
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, CaseMatch, PageCheck, TakenText
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Work
from webadmin.works.services.work_length import recount

CHARS = 100  # of every chapter


def book(of: RightsHolder, chapters: int, title: str = "长夜渡", published_from: datetime | None = None) -> Work:
    """A work of so many chapters, published one a day from a moment on, if it is given."""
    made = Work.objects.create(rights_holder=of, title=title, author="林栖", kind=Work.Kind.NOVEL)
    Chapter.objects.bulk_create(
        Chapter(
            work=made,
            number=number,
            title=f"第{number}章 渡",
            text_id=text_of(title, number),
            chars=CHARS,
            indexed_at=admin_data.NOW,
            published_at=published_from + timedelta(days=number - 1) if published_from else None,
        )
        for number in range(1, chapters + 1)
    )
    recount([made.pk])
    made.refresh_from_db()
    return made


def text_of(title: str, number: int) -> str:
    return work_text_id(f"{title} {number}")


def carry(site: Site, work: Work, number: int, carried: Mapping[int, range], seen: datetime, **fields: Any) -> Case:
    """Page `number` of a site, first seen at a moment, has these places of chapters of the work."""
    page = admin_data.page(site, number, seen=seen)
    case = admin_data.case(page, work, number, with_match=False, **fields)
    TakenText.objects.bulk_create(
        TakenText(case=case, text_id=text_of(work.title, chapter), places=Places.from_starts(places).pack())
        for chapter, places in carried.items()
    )
    found_in(case, page, page.version_id, carried, seen)
    return case


def found_in(case: Case, page: PageRecord, version: str, carried: Mapping[int, range], seen: datetime) -> None:
    """A version of the page in which this was found."""
    PageCheck.objects.get_or_create(
        version_id=version,
        page=page,
        defaults={"algorithm_id": 1, "corpus_revision": 1, "checked_at": seen, "appeared_at": seen},
    )
    for chapter, places in carried.items():
        CaseMatch.objects.create(
            case=case,
            chapter=case.work.chapters.get(number=chapter),
            version_id=version,
            fetched_at=seen + timedelta(hours=1),
            final_url=page.url,
            text_id=text_of(case.work.title, chapter),
            algorithm_id=1,
            corpus_revision=1,
            match_class=case.match_class,
            similarity=1.0,
            page_containment=1.0,
            work_containment=len(places) / CHARS,
            matched_chars=len(places),
            longest_equal_run_chars=len(places),
            found_at=seen + timedelta(hours=2),
        )
