"""Marks text of a page that was copied from other texts of the rights holder, and lists equal passages elsewhere.

Other works of the rights holder have their own cases; other chapters of the work are in the same case. Other rights
holders' works are never searched.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from core.taken import Places
from webadmin.cases.models import Case, CaseMatch, TakenText
from webadmin.review.pages.case_page.comparison import (
    ColumnBlock,
    ComparisonColumn,
    SourcedBlock,
    SourceLink,
    UncopiedBlock,
)
from webadmin.works.models import Chapter

MAX_CARRIERS_SHOWN = 20  # A stock phrase may be in every chapter of a series.


@dataclass(frozen=True, slots=True)
class Carriers:
    """The other texts with the passages of a match.

    more: the number of named texts left out. unnamed: the number of texts that are withdrawn or belong to other rights
    holders.
    """

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
    """Return the ranges of other findings in the same page text, in order."""
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
    """Return the texts with the same passages: the rights holder's chapters by name, other texts by their number."""
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
    """Return the column with its uncopied text cut at `places`. Of overlapping ranges, the first is used."""
    blocks: list[ColumnBlock] = []
    for at, block in column.positioned_blocks:
        blocks += _cut_block(block, at, places) if isinstance(block, UncopiedBlock) else [block]
    return replace(column, blocks=tuple(blocks))


def _cut_block(block: UncopiedBlock, at: int, places: Sequence[SourcePlace]) -> Iterator[ColumnBlock]:
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


MAX_SHOWN = 20
MAX_LOOKED_AT = 200  # only the newest cases with a chapter are read, so that a page takes less than a second


@dataclass(frozen=True, slots=True)
class OtherCase:
    """A linked case.

    share: of the work for another page on the site, of the passages for a copy on another site.
    """

    case: Case
    share: float


@dataclass(frozen=True, slots=True)
class OtherCases:
    """Linked cases, the largest share first.

    is_cut: whether there are more. address: the URL of the full list, or "".
    """

    shown: Sequence[OtherCase]
    is_cut: bool
    address: str = ""

    def __bool__(self) -> bool:
        return bool(self.shown)


def other_pages(case: Case) -> OtherCases:
    """Return the cases of other pages on the site that copied from the same work."""
    others = Case.objects.filter(matter=case.matter_id).exclude(pk=case.pk)
    found = list(others.select_related("work").order_by("-taken_chars", "pk")[: MAX_SHOWN + 1])
    filters = urlencode({"site__id__exact": case.page.site_id, "work__id__exact": case.work_id})
    return OtherCases(
        [OtherCase(other, other.work_share) for other in found[:MAX_SHOWN]],
        len(found) > MAX_SHOWN,
        f"{reverse('admin:cases_case_changelist')}?{filters}",
    )


def other_copies(case: Case, match: CaseMatch) -> OtherCases:
    """Return the cases of other sites whose pages copied characters of the same passages in the same chapter."""
    own = case.taken.filter(text_id=match.text_id).first()
    if own is None:
        return OtherCases((), is_cut=False)
    places = Places.unpack(bytes(own.places))
    matches = CaseMatch.objects.filter(text_id=match.text_id).exclude(case=case).order_by("-pk")
    near = list(matches.values_list("case_id", flat=True)[:MAX_LOOKED_AT])
    taken = (
        TakenText.objects.filter(text_id=match.text_id, case__in=near, case__rights_holder=case.rights_holder_id)
        .exclude(case__site=case.site_id)
        .select_related("case__page__site")
    )
    shared = [(len(places & Places.unpack(bytes(each.places))) / max(1, len(places)), each.case) for each in taken]
    found = sorted(((share, other) for share, other in shared if share), key=lambda each: (-each[0], each[1].pk))
    return OtherCases(
        [OtherCase(other, share) for share, other in found[:MAX_SHOWN]],
        len(found) > MAX_SHOWN or len(near) == MAX_LOOKED_AT,
    )
