"""Records the results of searches by meaning as leads and checks, many pages in one transaction.

Rows are locked in the order of `webadmin.database.lock_rows`. A user's verdict is never changed.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from core.ids import PageId, VersionId, digest
from core.matches import MatchClass, RewordedState
from core.pages import PageVersion
from core.ports import WorkTexts
from core.program import code_version
from matcher.reworded.found import RewordedMatch
from matcher.reworded.record import CURRENT
from matcher.reworded.sentences import sentence_units
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseAddress, Exclusion
from webadmin.cases.services.decision import Rights, RightsQuery
from webadmin.cases.services.findings import stated_author, stated_title
from webadmin.database import answering, batches, lock_rows
from webadmin.rewrites.models import RewordedCheck, RewordedLead
from webadmin.rewrites.services.due_searches import MeaningWatch, normalize_kinds, searched_chapters
from webadmin.sites.models import PageRecord
from webadmin.works.models import Chapter

_KEPT = frozenset({"id", "page", "rights_holder", "site", "text_id", "state", "found_at"})  # unchanged if found again
_FIGURES = [field.name for field in RewordedLead._meta.concrete_fields if field.name not in _KEPT]
_INGREDIENTS = {"weights": CURRENT.weights, "tokenizer": CURRENT.tokenizer, "background": CURRENT.background}


@dataclass(frozen=True, slots=True)
class SearchedPage:
    """A page and the matches of one of its versions. version: None if the version was not searched."""

    page: PageId
    version_id: VersionId
    version: PageVersion | None = None
    matches: tuple[RewordedMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """The numbers of recorded leads, new or known, and of pages."""

    leads: int
    pages: int


def record_searched(
    watch: MeaningWatch, until: datetime, pages: Sequence[SearchedPage], works: WorkTexts, now: datetime
) -> Recorded | None:
    """Record leads and checks atomically, and return their numbers.

    Returns None and records nothing if the watched kinds have changed. until: the time of the newest text in the
    search. Pages that changed meanwhile stay due. Safe to call twice.
    """
    with answering(), transaction.atomic():
        holder = lock_rights(watch.holder)
        if holder is None or normalize_kinds(holder.reworded_kinds) != watch.kinds:
            return None
        searched = {each.page: each for each in pages}
        rows = lock_rows(PageRecord.objects.filter(page_id__in=list(searched)))
        still = {row: each for row in rows if (each := searched[PageId(row.page_id)]).version_id == row.version_id}
        leads = _LeadBuilder(watch, list(still.values()), works, now).leads(still)
        RewordedLead.objects.bulk_create(
            leads, update_conflicts=True, unique_fields=["page", "text_id"], update_fields=_FIGURES
        )
        _lapse_undecided([row.page_id for row in still], {(lead.page_id, lead.text_id) for lead in leads}, now)
        _lapse_confirmed(watch, list(still.values()), now)
        _note_checks(list(still), until, now)
    return Recorded(len(leads), len(still))


_WAITING = {"state": RewordedState.WAITING, "lapsed_at": None}


def _lapse_undecided(pages: Collection[str], found: Collection[tuple[str, str]], now: datetime) -> None:
    """Set `lapsed_at` on undecided leads that were not found on the pages.

    found: the pairs of page and text that were found.
    """
    waiting = RewordedLead.objects.filter(page__in=list(pages), **_WAITING)
    gone = [pk for pk, page, text in waiting.values_list("pk", "page_id", "text_id") if (page, text) not in found]
    for batch in batches(gone):
        RewordedLead.objects.filter(pk__in=batch, **_WAITING).update(lapsed_at=now)


def _lapse_confirmed(watch: MeaningWatch, searched: Sequence[SearchedPage], now: datetime) -> None:
    """Set `lapsed_at` on confirmed leads that a search for their text did not find.

    A lead stays if the page became a copy, if rights allow it or if its kind is no longer watched, because then its
    text was found or was not searched for.
    """
    found = {str(each.page): {str(match.text_id) for match in each.matches} for each in searched if each.version}
    looked_for = searched_chapters(watch).values("text_id")
    confirmed = RewordedLead.objects.filter(
        page__in=list(found), state=RewordedState.CONFIRMED, lapsed_at=None, text_id__in=looked_for
    )
    gone = [pk for pk, page, text in confirmed.values_list("pk", "page_id", "text_id") if text not in found[page]]
    RewordedLead.objects.filter(pk__in=gone, state=RewordedState.CONFIRMED).update(lapsed_at=now)


def _note_checks(pages: Sequence[PageRecord], until: datetime, now: datetime) -> None:
    checks = [
        RewordedCheck(page=page, algorithm_version=CURRENT.version, works_until=until, checked_at=now) for page in pages
    ]
    RewordedCheck.objects.bulk_create(
        checks,
        update_conflicts=True,
        unique_fields=["page"],
        update_fields=["algorithm_version", "works_until", "checked_at"],
    )
    for page in pages:
        page.reworded_version_id = page.version_id
    PageRecord.objects.bulk_update(pages, ["reworded_version_id"])


class _LeadBuilder:
    """Builds the leads of several pages, reading the needed rows together."""

    def __init__(self, watch: MeaningWatch, searched: Sequence[SearchedPage], works: WorkTexts, now: datetime) -> None:
        self._works, self._now = works, now
        texts = {str(match.text_id) for each in searched for match in each.matches}
        owned = Chapter.objects.filter(
            text_id__in=list(texts), work__rights_holder=watch.holder, work__kind__in=watch.kinds
        )
        self._chapters: dict[str, list[Chapter]] = defaultdict(list)
        for chapter in owned.select_related("work").order_by("work_id", "number") if texts else ():
            self._chapters[chapter.text_id].append(chapter)
        pages = [str(each.page) for each in searched if each.matches]
        cases = Case.objects.filter(page__in=pages)
        addresses = CaseAddress.objects.filter(page__in=pages)
        others = Exclusion.objects.filter(page__in=pages, match_class__in=[each for each in MatchClass if each.is_copy])
        self._copied = {copied for several in (cases, others) for copied in several.values_list("page_id", "work_id")}
        self._copied.update(addresses.values_list("page_id", "case__work_id"))
        self._rights = Rights(watch.holder) if pages else None
        self._digests: dict[str, str] = {}

    def leads(self, searched: dict[PageRecord, SearchedPage]) -> list[RewordedLead]:
        """Return the leads sorted by page and text, with each text at most once for a page."""
        found: dict[tuple[str, str], RewordedLead] = {}
        for page, each in searched.items():
            for match in each.matches:
                chapter = self._find_chapter(page, each.version, match)
                if chapter is not None and each.version is not None:
                    key = (page.page_id, str(match.text_id))
                    found.setdefault(key, self._build_lead(page, each.version, match, chapter))
        return [found[key] for key in sorted(found)]

    def _find_chapter(self, page: PageRecord, version: PageVersion | None, match: RewordedMatch) -> Chapter | None:
        """Return the chapter of a matched text, or None if no lead results.

        This is the first chapter with the text of whose work the page is neither a copy nor allowed by rights.
        """
        if version is None or self._rights is None:
            return None
        for chapter in self._chapters[str(match.text_id)]:
            if (page.page_id, chapter.work_id) in self._copied:
                continue
            asked = RightsQuery(
                chapter.work_id, page.page_id, version.page_url, page.last_seen, stated_author(version),
                [chapter.text_id],
            )  # fmt: skip
            if self._rights.ruling(asked).reason is None:
                return chapter
        return None

    def _build_lead(
        self, page: PageRecord, version: PageVersion, match: RewordedMatch, chapter: Chapter
    ) -> RewordedLead:
        band = match.band
        return RewordedLead(
            page=page,
            rights_holder_id=page.rights_holder_id,
            site_id=page.site_id,
            work=chapter.work,
            chapter=chapter,
            chapter_title=chapter.title,
            text_id=str(match.text_id),
            page_url=version.page_url,
            page_title=stated_title(version),
            found_as=str(match.found),
            score=match.score,
            elsewhere=match.elsewhere,
            band=band.name if band else "",
            band_alarms=band.alarms if band else None,
            band_passages=band.trials if band else None,
            pairs=[
                [pair.page.start, pair.page.end, pair.work.start, pair.work.end, pair.strength] for pair in match.pairs
            ],
            pair_count=len(match.pairs),
            sentence_count=len(sentence_units(version.reading.text)),
            in_order=match.in_order,
            algorithm_version=CURRENT.version,
            ingredients=_INGREDIENTS,
            code_version=code_version(),
            version_id=version.id,
            fetched_at=version.fetched_at,
            raw_digest=version.raw_digest,
            page_text_digest=version.text_digest,
            work_text_digest=self._match_digest(match),
            found_at=self._now,
        )

    def _match_digest(self, match: RewordedMatch) -> str:
        text_id = match.text_id
        if text_id not in self._digests:
            self._digests[text_id] = digest((self._works.text(text_id) or "").encode("utf-8", "surrogatepass"))
        return self._digests[text_id]
