"""The map of a comparison: both texts as strips, with ribbons between passages and ticks for changes.

A strip is 1,000 units long for any text; several passages or changes within a unit become one line of the map.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.matches import ChangeKind
from webadmin.review.pages.case_page.comparison import ComparisonColumn, PageComparison

LENGTH = 1000
LEFT, RIGHT, WIDTH = (0, 6), (34, 40), 40  # Coordinates of the strips of work and page.
MIN_RIBBON = 3.0  # units; anything narrower is invisible
MAX_RIBBONS = 400  # ribbons, for the longest passages


@dataclass(frozen=True, slots=True)
class Ribbon:
    """The outline that joins the places of a passage or a part of it. is_moved: it is in another order."""

    passage: int
    points: str
    is_moved: bool


@dataclass(frozen=True, slots=True)
class Ticks:
    """The changes of one kind as a single path across both strips."""

    kind: ChangeKind
    path: str


def ribbons(comparison: PageComparison) -> Sequence[Ribbon]:
    """Return the ribbons from the work, on the left, to the page; moved pieces have their own ribbons."""
    work, page = _pair_places(comparison.work), _pair_places(comparison.page)
    joined: list[_JoinedPairs] = []
    for pair in sorted(work.keys() & page.keys()):
        here = _JoinedPairs(page[pair].passage, page[pair].is_moved, work[pair].place, page[pair].place)
        if joined and joined[-1].precedes(here):
            joined[-1] = joined[-1].merge(here)
        else:
            joined.append(here)
    scales = [LENGTH / max(1, column.chars) for column in (comparison.work, comparison.page)]
    longest = sorted(joined, key=lambda each: each.page[0] - each.page[1])[:MAX_RIBBONS]
    return [each.ribbon(*scales) for each in sorted(longest, key=lambda each: each.page)]


@dataclass(frozen=True, slots=True)
class _PairPlace:
    passage: int
    is_moved: bool
    place: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _JoinedPairs:
    """Pairs that are consecutive on both sides."""

    passage: int
    is_moved: bool
    work: tuple[int, int]
    page: tuple[int, int]

    def precedes(self, other: "_JoinedPairs") -> bool:
        """Return True if `other` follows immediately on both sides."""
        is_same = (self.passage, self.is_moved) == (other.passage, other.is_moved)
        return is_same and (self.work[1], self.page[1]) == (other.work[0], other.page[0])

    def merge(self, other: "_JoinedPairs") -> "_JoinedPairs":
        """Return these pairs joined with the pairs of `other`."""
        return replace(self, work=(self.work[0], other.work[1]), page=(self.page[0], other.page[1]))

    def ribbon(self, work_scale: float, page_scale: float) -> Ribbon:
        """Return the ribbon for these pairs, scaled to the strips."""
        (a, b), (c, d) = _scale_place(self.work, work_scale), _scale_place(self.page, page_scale)
        points = f"0,{a:.1f} 6,{a:.1f} 34,{c:.1f} 40,{c:.1f} 40,{d:.1f} 34,{d:.1f} 6,{b:.1f} 0,{b:.1f}"
        return Ribbon(self.passage, points, self.is_moved)


def _pair_places(column: ComparisonColumn) -> dict[int, _PairPlace]:
    """Return the place of each pair in the text, or the whole range if a pair has several places."""
    found: dict[int, _PairPlace] = {}
    for at, piece, passages in column.pieces:
        end = at + len(piece.text)
        for pair, passage in zip(piece.pairs, passages, strict=True):  # A passage has only one pair at any place.
            start = found[pair].place[0] if pair in found else at
            found[pair] = _PairPlace(passage, piece.is_moved, (start, end))
    return found


def ticks(comparison: PageComparison) -> Sequence[Ticks]:
    """Return the ticks of changes on both strips."""
    found: dict[ChangeKind, set[tuple[int, int]]] = {}
    for column, (start, _end) in ((comparison.work, LEFT), (comparison.page, RIGHT)):
        scale = LENGTH / max(1, column.chars)
        for at, piece, _passages in column.pieces:
            if piece.links:
                found.setdefault(piece.links[0].kind, set()).add((start, round(at * scale)))
    width = LEFT[1] - LEFT[0]
    return [Ticks(kind, "".join(f"M{x},{y}h{width}" for x, y in sorted(of_kind))) for kind, of_kind in found.items()]


def _scale_place(place: tuple[int, int], scale: float) -> tuple[float, float]:
    """Return the start and end on a scale of 1,000, wide enough to be visible."""
    start = min(place[0] * scale, LENGTH - MIN_RIBBON)
    return start, max(start + MIN_RIBBON, place[1] * scale)
