"""The case book in the admin database: rights before cases, evidence frozen, a reviewer's verdict never touched."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import OperationalError, transaction

from core.errors import NotFound, ServiceUnavailable
from core.ids import PageId, SiteId, VersionId, WorkTextId, digest
from core.matches import Match
from core.pages import Page
from core.ports import Outcome, WorkStore
from core.rights import Ruling
from core.states import Rejection
from webadmin.figures import MAX_TITLE_CHARS, Findings, by_work, case_figures
from webadmin.frozen import frozen_disguises, frozen_span, with_length_kept
from webadmin.models import Case, CaseMatch, Chapter, Exclusion, PageCheck, PageRecord, RightsHolder, Site
from webadmin.rights import ruling
from webadmin.search_book import OUTDATED, DjangoSearchBook, Settled, batches, valid_checks, with_holders
from webadmin.version import code_version


class DjangoCaseBook(DjangoSearchBook):
    """`core.ports.CaseBook` over Django's ORM."""

    def __init__(self, works: WorkStore) -> None:
        self._works = works

    def sources(self, site: SiteId, texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
        found: dict[WorkTextId, Hashable] = {}
        for batch in batches(list(texts)):
            owned = Chapter.objects.filter(work__rights_holder__sites=_key(site), text_id__in=batch)
            found |= {WorkTextId(text): work for text, work in owned.values_list("text_id", "work_id")}
        return found

    def record(self, outcome: Outcome) -> list[int]:
        try:
            with transaction.atomic():
                return self._record(outcome)
        except OperationalError as error:
            raise ServiceUnavailable("the admin database", str(error)) from error

    def owed(self, pages: Collection[Page], algorithm_id: int) -> set[VersionId]:
        known = with_holders(pages)
        checks = valid_checks([page.current_version for page, _ in known], algorithm_id)
        since = Settled()
        return {
            page.current_version
            for page, holder in known
            if (check := checks.get(page.current_version)) is None or check[0] <= since[holder]
        }

    def is_owned(self, text: WorkTextId) -> bool:
        return Chapter.objects.filter(text_id=text).exists()

    def _record(self, outcome: Outcome) -> list[int]:
        site = Site.objects.select_related("rights_holder").filter(pk=_key(outcome.version.site_id)).first()
        if site is None:
            raise NotFound("site", outcome.version.site_id)
        chapters = list(_chapters(site, outcome.matches))
        found = by_work(chapters, outcome.matches)
        rejection = _rejection(outcome, found)
        page = _page_record(site, outcome, rejection)
        cases, excluded = [], []
        for findings in found:
            ruled = ruling(site, findings.work, outcome.version.page_url, outcome.seen_at)
            if ruled.rejection is None and findings.are_quotations:
                ruled = Ruling(Rejection.QUOTATION)
            if ruled.rejection is None:
                cases.append(self._case(site.rights_holder, page, outcome, findings))
            elif outcome.is_current:
                excluded.append(_exclude(page, outcome, findings, ruled))
        if outcome.is_current:
            Exclusion.objects.filter(page=page).exclude(pk__in=excluded).delete()
        # What was found in a text that was withdrawn meanwhile may stand in another as well: it has to be asked again.
        holds = {match.text_id for match in outcome.matches} <= {chapter.text_id for chapter in chapters}
        _check(page, outcome, rejection, found, outcome.algorithm_id if holds else OUTDATED)
        return cases

    def _case(self, holder: RightsHolder, page: PageRecord, outcome: Outcome, findings: Findings) -> int:
        figures = case_figures(findings, outcome.version)
        case, is_new = Case.objects.get_or_create(
            page=page,
            work=findings.work,
            defaults={
                "rights_holder": holder,
                "opened_at": outcome.checked_at,
                "last_seen_at": outcome.seen_at,
                **figures,
            },
        )
        if not is_new and (outcome.is_current or case.version_id == outcome.version.id):
            Case.objects.filter(pk=case.pk).update(last_seen_at=max(case.last_seen_at, outcome.seen_at), **figures)
        for chapter, match in findings.items:
            CaseMatch.objects.get_or_create(
                case=case,
                version_id=outcome.version.id,
                text_id=match.text_id,
                defaults=self._frozen_match(chapter, match, outcome),
            )
        return case.pk

    def _frozen_match(self, chapter: Chapter, match: Match, outcome: Outcome) -> dict[str, Any]:
        version = outcome.version
        work_text = self._works.text(match.text_id) or ""
        return {
            "chapter": chapter,
            "chapter_title": chapter.title,
            "fetched_at": version.fetched_at,
            "final_url": version.page_url,
            "algorithm_id": match.algorithm_id,
            "corpus_revision": outcome.corpus_revision,
            "code_version": code_version(),
            "raw_digest": version.raw_digest,
            "page_text_digest": version.text_digest,
            "work_text_digest": digest(work_text.encode("utf-8", "surrogatepass")),
            "match_class": match.match_class,
            "similarity": match.similarity,
            "page_containment": match.page_containment,
            "work_containment": match.work_containment,
            "matched_chars": match.matched_chars,
            "longest_run_chars": match.longest_run_chars,
            "spans": [frozen_span(span, version.reading.text, work_text) for span in match.spans],
            "disguises": frozen_disguises(match.disguises),
            "also": list(match.also),
            "found_at": outcome.checked_at,
        }


def seen_again(versions: Iterable[tuple[PageId, VersionId]], at: datetime) -> list[VersionId]:
    """Note that pages were fetched and showed a version that was stored before.

    Their rows and the cases on that version are moved to `at`; a case on an earlier version is not, since what it
    shows is gone. Returns the versions that are not the ones recorded of their pages: the pages went back to an older
    text, or were never compared; these have to be recorded anew.
    """
    astray = []
    for page, version in versions:
        if PageRecord.objects.filter(page_id=page, version_id=version).update(last_seen=at):
            Case.objects.filter(page_id=page, version_id=version, last_seen_at__lt=at).update(last_seen_at=at)
        else:
            astray.append(version)
    return astray


def _key(site: SiteId) -> int:
    if not site.isdecimal():
        raise NotFound("site", site)
    return int(site)


def _chapters(site: Site, matches: Iterable[Match]) -> Iterable[Chapter]:
    texts = [match.text_id for match in matches]
    owned = Chapter.objects.filter(work__rights_holder=site.rights_holder, text_id__in=texts)
    return owned.select_related("work").order_by("work_id", "number")


def _rejection(outcome: Outcome, found: list[Findings]) -> str:
    if outcome.rejection is not None:
        return str(outcome.rejection)
    return "" if found else str(Rejection.NO_MATCH)


def _page_record(site: Site, outcome: Outcome, rejection: str) -> PageRecord:
    version, reading = outcome.version, outcome.version.reading
    shown = {
        "version_id": version.id,
        "title": with_length_kept(reading.title)[:MAX_TITLE_CHARS],
        "chars": len(reading.text),
        "encoding": reading.encoding,
        "is_encoding_doubtful": reading.is_encoding_doubtful,
        "extractor": reading.extractor,
        "confidence": reading.confidence,
        "disguises": frozen_disguises(reading.disguises),
        "rejection": rejection,
        "checked_at": outcome.checked_at,
    }
    times = {"first_seen": version.fetched_at, "last_seen": outcome.seen_at}
    page, is_new = PageRecord.objects.select_for_update().get_or_create(
        page_id=version.page_id, defaults={"site": site, "url": version.canonical_url, **times, **shown}
    )
    if not is_new:
        page.first_seen = min(page.first_seen, version.fetched_at)
        page.last_seen = max(page.last_seen, outcome.seen_at)
        if outcome.is_current or page.version_id == version.id:
            for name, value in shown.items():
                setattr(page, name, value)
        page.save()
    return page


def _exclude(page: PageRecord, outcome: Outcome, findings: Findings, ruled: Ruling) -> int:
    row, _ = Exclusion.objects.update_or_create(
        page=page,
        work=findings.work,
        defaults={
            "reason": str(ruled.rejection),
            "detail": ruled.detail[:300],
            "match_class": findings.main.match_class,
            "similarity": findings.main.similarity,
            "matched_chars": findings.matched_chars,
            "found_at": outcome.checked_at,
        },
    )
    return row.pk


def _check(page: PageRecord, outcome: Outcome, rejection: str, found: list[Findings], algorithm_id: int) -> None:
    PageCheck.objects.update_or_create(
        version_id=outcome.version.id,
        defaults={
            "page": page,
            "algorithm_id": algorithm_id,
            "corpus_revision": outcome.corpus_revision,
            "rejection": rejection,
            "match_count": sum(len(findings.items) for findings in found),
            "checked_at": outcome.checked_at,
            "appeared_at": outcome.version.fetched_at,
        },
    )
