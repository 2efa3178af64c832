"""A whole book on a site: the copied chapters, the times at which they appeared, missing and merged chapters.

It reads only cases that count as copies, and only current texts of the work, so that shares agree with lists and
reports. The times are those of the first crawl of a page version; a chapter may have appeared earlier. Therefore, a
lead over the official time is a lower bound, and a lag an upper bound.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import chain

from django.db.models import QuerySet

from core.states import COPIES
from core.taken import NO_PLACES, Places, share_of_work, unite_places
from webadmin.cases.models import Case
from webadmin.cases.services.matters.figures import first_seen
from webadmin.cases.services.taken import taken_by_case
from webadmin.works.models import Chapter, Work

FULL_SHARE = 0.9  # share of a chapter; sites intentionally drop or replace less than a tenth
CARRIED_SHARE = 0.5  # share of a chapter on one page; a page with less does not carry the chapter
SPREAD_SHARE = 0.1  # share of a chapter that other pages add to the page with the largest part


class CopyExtent(StrEnum):
    """The extent to which a chapter is on the site."""

    FULL = "full"
    PART = "part"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class CopyingPage:
    """A page on the site that copied from the work. All its chapters share this record."""

    case_id: int
    url: str
    title: str
    stated_at: datetime | None  # publication time stated on the page
    carries: tuple[int, ...]  # numbers of the chapters of which the page contains at least half

    @property
    def is_merged(self) -> bool:
        """True if the page carries several chapters."""
        return len(self.carries) > 1


@dataclass(frozen=True, slots=True)
class ChapterOnPage:
    """The part of a chapter that one page contains."""

    page: CopyingPage
    share: float
    first_seen_at: datetime


@dataclass(frozen=True, slots=True)
class ChapterCopies:
    """A chapter of the work, and the pages on the site that contain it."""

    number: int
    title: str
    official_at: datetime | None
    chars: int  # counted characters of the chapter
    taken_chars: int  # characters on any page, each counted once
    pages: tuple[ChapterOnPage, ...]  # the largest part first

    @property
    def share(self) -> float:
        return share_of_work(self.taken_chars, self.chars) or 0.0

    @property
    def extent(self) -> CopyExtent:
        if not self.taken_chars:
            return CopyExtent.NONE
        return CopyExtent.FULL if self.share >= FULL_SHARE else CopyExtent.PART

    @property
    def first_seen(self) -> datetime | None:
        """The time at which the chapter was first seen on any page, or None."""
        return min((each.first_seen_at for each in self.pages), default=None)

    @property
    def stated_publication(self) -> datetime | None:
        """The earliest publication time that the pages state, which may be false, or None."""
        return min((each.page.stated_at for each in self.pages if each.page.stated_at), default=None)

    @property
    def lead(self) -> timedelta | None:
        """The lead over the official time, negative if the copy was seen later, or None if either time is unknown."""
        seen = self.first_seen
        return self.official_at - seen if self.official_at and seen else None

    @property
    def is_early(self) -> bool:
        return self.lead is not None and self.lead > timedelta(0)

    @property
    def is_merged(self) -> bool:
        """True if a page carries the chapter together with other chapters."""
        return any(each.page.is_merged and self.number in each.page.carries for each in self.pages)

    @property
    def is_spread(self) -> bool:
        """True if the chapter is spread over several pages, so that no page contains all copied parts."""
        return bool(self.pages) and self.share - self.pages[0].share >= SPREAD_SHARE


@dataclass(frozen=True, slots=True)
class WholeBook:
    """The chapters of a work in order, with their copies on one site."""

    chapters: tuple[ChapterCopies, ...]
    taken_chars: int
    work_chars: int
    uncounted_cases: int  # cases on this site and work that are dismissed or set aside
    pages: tuple[CopyingPage, ...] = field(default=())

    @property
    def share(self) -> float:
        """The copied share of the work, with each character counted once."""
        return share_of_work(self.taken_chars, self.work_chars) or 0.0

    @property
    def copied_chapters(self) -> list[ChapterCopies]:
        return [each for each in self.chapters if each.taken_chars]

    @property
    def full(self) -> list[ChapterCopies]:
        return [each for each in self.chapters if each.extent is CopyExtent.FULL]

    @property
    def gaps(self) -> list[ChapterCopies]:
        """The missing chapters before the last copied one, which the site probably left out."""
        last = self.copied_chapters[-1].number if self.copied_chapters else 0
        return [each for each in self.chapters if not each.taken_chars and each.number < last]

    @property
    def early_chapters(self) -> list[ChapterCopies]:
        return [each for each in self.chapters if each.is_early]

    @property
    def lead(self) -> timedelta | None:
        """The longest lead of any chapter over its official time, or the shortest lag, or None if unknown."""
        return max((each.lead for each in self.chapters if each.lead is not None), default=None)

    @property
    def merged_pages(self) -> list[CopyingPage]:
        return [each for each in self.pages if each.is_merged]


def whole_book(site_id: int, work_id: int) -> WholeBook:
    """Return the whole book of a work on a site. The caller must check access."""
    cases = Case.objects.filter(site_id=site_id, work_id=work_id)
    copies = cases.filter(state__in=COPIES)
    chapters = list(Chapter.objects.filter(work_id=work_id).order_by("number"))
    taken = taken_by_case(copies)
    pages = _copying_pages(copies, chapters, taken)
    seen = first_seen(copies)
    on_pages = _pages_by_text(chapters, taken, pages, seen)
    of_texts = _united_texts(taken.values())
    return WholeBook(
        tuple(
            _chapter_copies(each, of_texts.get(each.text_id, NO_PLACES), on_pages[each.text_id]) for each in chapters
        ),
        sum(len(places) for places in of_texts.values()),
        Work.objects.filter(pk=work_id).values_list("counted_chars", flat=True).first() or 0,
        cases.exclude(state__in=COPIES).count(),
        tuple(pages.values()),
    )


def _chapter_copies(chapter: Chapter, places: Places, pages: Iterable[ChapterOnPage]) -> ChapterCopies:
    return ChapterCopies(
        chapter.number,
        chapter.title,
        chapter.published_at,
        chapter.chars,
        len(places),
        tuple(sorted(pages, key=lambda each: (-each.share, each.first_seen_at, each.page.case_id))),
    )


def _united_texts(taken: Iterable[Mapping[str, Places]]) -> dict[str, Places]:
    by_text: dict[str, list[Places]] = defaultdict(list)
    for text_id, places in chain.from_iterable(each.items() for each in taken):
        by_text[text_id].append(places)
    return {text_id: unite_places(sets) for text_id, sets in by_text.items()}


def _copying_pages(
    copies: "QuerySet[Case]", chapters: Iterable[Chapter], taken: Mapping[int, Mapping[str, Places]]
) -> dict[int, CopyingPage]:
    """Return the pages by case, in the order of the first chapter that each carries."""
    by_text: dict[str, list[Chapter]] = defaultdict(list)
    for chapter in chapters:
        by_text[chapter.text_id].append(chapter)
    pages = []
    for case, url, title, stated_at in copies.order_by("pk").values_list(
        "pk", "page_url", "page_title", "page_published_at"
    ):
        carried = (
            chapter.number
            for text_id, places in taken.get(case, {}).items()
            # A text that the work repeats does not count as several chapters on a page.
            for chapter in by_text[text_id][:1]
            if _chapter_share(places, chapter) >= CARRIED_SHARE
        )
        pages.append(CopyingPage(case, url, title, stated_at, tuple(sorted(carried))))
    pages.sort(key=lambda page: (page.carries[:1] or (2**31,), page.case_id))
    return {page.case_id: page for page in pages}


def _pages_by_text(
    chapters: Iterable[Chapter],
    taken: Mapping[int, Mapping[str, Places]],
    pages: Mapping[int, CopyingPage],
    seen: Mapping[tuple[int, str], datetime],
) -> dict[str, list[ChapterOnPage]]:
    """Return the pages that contain a part of each text, by text id."""
    of_text = {chapter.text_id: chapter for chapter in chapters}
    found: dict[str, list[ChapterOnPage]] = defaultdict(list)
    for case, texts in taken.items():
        for text_id, places in texts.items():
            if (case, text_id) in seen and places:
                share = _chapter_share(places, of_text[text_id])
                found[text_id].append(ChapterOnPage(pages[case], share, seen[case, text_id]))
    return found


def _chapter_share(places: Places, chapter: Chapter) -> float:
    return share_of_work(len(places), chapter.chars) or 0.0
