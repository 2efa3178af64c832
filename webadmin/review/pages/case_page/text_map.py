"""The map of a comparison: both texts as strips, with ribbons between passages and ticks for changes.

A strip is 1,000 units long for any text. Several passages or changes within a unit become one line of the map.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.matches import ChangeKind
from webadmin.review.pages.case_page.comparison import ComparisonColumn, PageComparison

LENGTH = 1000
LEFT, RIGHT, WIDTH = (0, 6), (34, 40), 40  # horizontal coordinates of the strips of work and page
MIN_RIBBON = 3.0  # units; a narrower ribbon is invisible
MAX_RIBBONS = 400  # ribbons, of the longest passages


@dataclass(frozen=True, slots=True)
class Ribbon:
    """The outline that joins the ranges of a passage, or of a part of it, on both sides.

    is_moved: whether its order differs.
    """

    passage: int
    points: str
    is_moved: bool


@dataclass(frozen=True, slots=True)
class Ticks:
    """The changes of one kind as a single path across both strips."""

    kind: ChangeKind
    path: str


def ribbons(comparison: PageComparison) -> Sequence[Ribbon]:
    """Return the ribbons from the work, on the left, to the page. Moved pieces have their own ribbons."""
    work, page = _pair_places(comparison.work), _pair_places(comparison.page)
    joined: list[_Pairs] = []
    for number in sorted(work.keys() & page.keys()):
        pairs = replace(page[number], work=work[number].work)
        last = joined[-1] if joined else None
        if last and last.ends == pairs.begins and (last.passage, last.is_moved) == (pairs.passage, pairs.is_moved):
            joined[-1] = replace(last, work=(last.work[0], pairs.work[1]), page=(last.page[0], pairs.page[1]))
        else:
            joined.append(pairs)
    longest = sorted(joined, key=lambda each: each.page[0] - each.page[1])[:MAX_RIBBONS]
    return [_draw_ribbon(each, comparison) for each in sorted(longest, key=lambda each: each.page)]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs that are consecutive on both sides, with their ranges."""

    passage: int
    is_moved: bool
    work: tuple[int, int]
    page: tuple[int, int]

    @property
    def begins(self) -> tuple[int, int]:
        return self.work[0], self.page[0]

    @property
    def ends(self) -> tuple[int, int]:
        return self.work[1], self.page[1]


def _draw_ribbon(pairs: _Pairs, comparison: PageComparison) -> Ribbon:
    (a, b), (c, d) = _scale_place(pairs.work, comparison.work), _scale_place(pairs.page, comparison.page)
    points = f"0,{a:.1f} 6,{a:.1f} 34,{c:.1f} 40,{c:.1f} 40,{d:.1f} 34,{d:.1f} 6,{b:.1f} 0,{b:.1f}"
    return Ribbon(pairs.passage, points, pairs.is_moved)


def _pair_places(column: ComparisonColumn) -> dict[int, _Pairs]:
    """Return the range of each pair in a column, by number. Several ranges are united.

    The same range is entered for both sides.
    """
    found: dict[int, _Pairs] = {}
    for at, piece, passages in column.pieces:
        for pair, passage in zip(piece.pairs, passages, strict=True):  # A passage has only one pair at any position.
            place = (found[pair].page[0] if pair in found else at), at + len(piece.text)
            found[pair] = _Pairs(passage, piece.is_moved, place, place)
    return found


def ticks(comparison: PageComparison) -> Sequence[Ticks]:
    """Return the ticks for the changes on both strips."""
    found: dict[ChangeKind, set[tuple[int, int]]] = {}
    for column, (start, _end) in ((comparison.work, LEFT), (comparison.page, RIGHT)):
        scale = LENGTH / max(1, column.chars)
        for at, piece, _passages in column.pieces:
            if piece.links:
                found.setdefault(piece.links[0].kind, set()).add((start, round(at * scale)))
    width = LEFT[1] - LEFT[0]
    return [Ticks(kind, "".join(f"M{x},{y}h{width}" for x, y in sorted(of_kind))) for kind, of_kind in found.items()]


def _scale_place(place: tuple[int, int], column: ComparisonColumn) -> tuple[float, float]:
    """Return the start and end of a range on a scale of 1,000 units, wide enough to be visible."""
    scale = LENGTH / max(1, column.chars)
    start = min(place[0] * scale, LENGTH - MIN_RIBBON)
    return start, max(start + MIN_RIBBON, place[1] * scale)
