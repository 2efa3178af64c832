"""Maps a range of a page in a stored comparison to the corresponding ranges of the work, and vice versa.

It pairs letters and not offsets. Between two changes, both sides have the same letters, but the page may have
different spaces and line endings.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from core.counting import TextLetters
from core.matches import ChangeKind
from core.text import TextRange

Side = Literal["page", "work"]
Places = Sequence[int]


class _Link(NamedTuple):
    """The ranges of two corresponding letters, or of a change, in offsets of the whole texts."""

    page: TextRange
    work: TextRange


def opposite_ranges(span: Mapping[str, Any], place: TextRange, side: Side) -> list[TextRange]:
    """Return the ranges on the other side that correspond to the range `place` on `side`, several if letters moved.

    span: an item of `webadmin.cases.models.CaseMatch.spans`. All offsets are offsets in the whole texts.
    """
    other: Side = "work" if side == "page" else "page"
    links = ((getattr(link, side), getattr(link, other)) for link in _span_links(span))
    met = [link for link in links if link[0].start < place.end and link[0].end > place.start]
    letters, ranges = _side_letters(span, other), list[TextRange]()
    for _, there in sorted(met, key=lambda link: link[0].start):
        if not len(there):
            continue
        goes_on = ranges and _is_next(letters, ranges[-1].end, there.start)
        ranges.append(TextRange(ranges.pop().start, there.end) if goes_on else there)
    return ranges


def _span_links(span: Mapping[str, Any]) -> Iterator[_Link]:
    changes = [(kind, _Link(TextRange(a, b), TextRange(c, d))) for kind, a, b, c, d in span["changes"]]
    page, work = _side_letters(span, "page"), _side_letters(span, "work")
    rest = [link for kind, link in changes if kind != ChangeKind.MOVED]
    for piece in (link for kind, link in changes if kind == ChangeKind.MOVED):
        inside = [link for link in rest if piece.page.start <= link.page.start < piece.page.end]
        page, on_page = _split_letters(page, piece.page)
        work, in_work = _split_letters(work, piece.work)
        yield from _link_letters(on_page, in_work, inside)
        rest = [link for link in rest if link not in inside]
    yield from _link_letters(page, work, rest)


def _link_letters(page: Places, work: Places, changes: Sequence[_Link]) -> Iterator[_Link]:
    """Yield the changes in a part of the texts, and the pairs of letters before, between and after them.

    page, work: the offsets of the letters. The letters of a change with the same number of letters on both sides, such
    as a homophone, are also paired.
    """
    at = in_work = 0
    for change in changes:
        until = bisect_left(page, change.page.start), bisect_left(work, change.work.start)
        yield from _pair_letters(page[at : until[0]], work[in_work : until[1]])
        at, in_work = bisect_left(page, change.page.end), bisect_left(work, change.work.end)
        inside = page[until[0] : at], work[until[1] : in_work]
        yield from _pair_letters(*inside) if len(inside[0]) == len(inside[1]) else [change]
    yield from _pair_letters(page[at:], work[in_work:])


def _pair_letters(page: Places, work: Places) -> Iterator[_Link]:
    for here, there in zip(page, work, strict=False):
        yield _Link(TextRange(here, here + 1), TextRange(there, there + 1))


def _side_letters(span: Mapping[str, Any], side: Side) -> list[int]:
    return [span[side][0] + at for at in TextLetters.from_text(span[f"{side}_excerpt"]).places]


def _split_letters(letters: list[int], piece: TextRange) -> tuple[list[int], list[int]]:
    """Return the offsets of the letters outside the range `piece`, and of those inside it."""
    first, end = bisect_left(letters, piece.start), bisect_left(letters, piece.end)
    return letters[:first] + letters[end:], letters[first:end]


def _is_next(letters: Places, end: int, start: int) -> bool:
    """Return True if there is no letter between the `end` of one range and the `start` of the next."""
    return start >= end and bisect_left(letters, end) == bisect_left(letters, start)
