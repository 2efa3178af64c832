"""Marks text of a page that was copied from other texts of the same rights holder, and lists texts with equal passages.

Other works of the holder have their own cases, other chapters of the work are in the same case. Works of other rights
holders are never searched.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from webadmin.cases.models import Case, CaseMatch
from webadmin.review.pages.case_page.comparison import (
    ColumnBlock,
    ComparisonColumn,
    SourcedBlock,
    SourceLink,
    UncopiedBlock,
)
from webadmin.works.models import Chapter

MAX_CARRIERS_SHOWN = 20  # a formula may be in every chapter of a series


@dataclass(frozen=True, slots=True)
class Carriers:
    """The other texts with the passages of a match. unnamed: those withdrawn, or of other rights holders."""

    named: tuple[SourceLink, ...]
    more: int
    unnamed: int

    def __bool__(self) -> bool:
        return bool(self.named or self.unnamed)


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A range [start, end) of the page, in code points, copied from another text."""

    start: int
    end: int
    source: SourceLink


def other_places(case: Case, match: CaseMatch) -> list[SourcePlace]:
    """Return the places of other findings on the same text of the page, in order."""
    others = (
        CaseMatch.objects.filter(
            case__page=case.page_id,
            case__rights_holder=case.rights_holder_id,
            version_id=match.version_id,
            page_text_digest=match.page_text_digest,
        )
        .exclude(pk=match.pk)
        .select_related("case__work", "chapter")
    )
    places = [
        SourcePlace(span["page"][0], span["page"][1], _text_source(other, case))
        for other in others
        for span in other.spans
    ]
    return sorted(places, key=lambda place: (place.start, place.end))


def list_carriers(match: CaseMatch) -> Carriers:
    """Return the texts with the same passages: chapters of the rights holder by name, the number of others."""
    chapters = list(
        Chapter.objects.filter(text_id__in=match.also, work__rights_holder=match.case.rights_holder_id)
        .select_related("work")
        .order_by("work__title", "work", "number")
    )
    known = {chapter.text_id for chapter in chapters}
    shown = tuple(
        SourceLink(f"《{chapter.work}》{chapter}", reverse("admin:works_work_change", args=[chapter.work_id]))
        for chapter in chapters[:MAX_CARRIERS_SHOWN]
    )
    return Carriers(shown, len(chapters) - len(shown), len(set(match.also) - known))


def with_sources(column: ComparisonColumn, places: Sequence[SourcePlace]) -> ComparisonColumn:
    """Return the column with its uncopied text cut by `places`; where two overlap, the first wins."""
    blocks: list[ColumnBlock] = []
    for at, block in column.positioned_blocks:
        blocks += _cut(block, at, places) if isinstance(block, UncopiedBlock) else [block]
    return replace(column, blocks=tuple(blocks))


def _cut(block: UncopiedBlock, at: int, places: Sequence[SourcePlace]) -> Iterator[ColumnBlock]:
    end, done = at + len(block.text), at
    for place in places:
        start, stop = max(place.start, done), min(place.end, end)
        if start >= stop:
            continue
        if start > done:
            yield UncopiedBlock(block.text[done - at : start - at], block.is_first and done == at, is_last=False)
        yield SourcedBlock(block.text[start - at : stop - at], place.source)
        done = stop
    if done < end:
        yield UncopiedBlock(block.text[done - at :], block.is_first and done == at, block.is_last)


def _text_source(match: CaseMatch, shown: Case) -> SourceLink:
    address = reverse("admin:cases_case_change", args=[match.case_id])
    if match.case_id != shown.pk:
        return SourceLink(f"《{match.case.work}》", address)
    chapter = match.chapter_title or (str(match.chapter) if match.chapter else _("a different chapter"))
    return SourceLink(chapter, f"{address}?match={match.pk}")
