"""The map of a comparison: both texts as strips, their passages joined, each kind of change in its colour.

A strip is 1,000 units long, whatever the texts are: more than one passage or change at one unit is one line of the map.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.matches import ChangeKind
from webadmin.case_page.comparison import Column, Comparison, Copied, Missing

LENGTH = 1000
LEFT, RIGHT, WIDTH = (0, 6), (34, 40), 40  # the strips of work and page
MIN_RIBBON = 3.0  # units: narrower ones cannot be seen
MAX_RIBBONS = 400  # those of the longest passages


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A passage: points of the shape that joins its places. is_moved: it stands in another order."""

    passage: int
    points: str
    is_moved: bool


@dataclass(frozen=True, slots=True)
class Ticks:
    """All changes of one kind as one path across both strips."""

    kind: ChangeKind
    path: str


def ribbons(comparison: Comparison) -> Sequence[Ribbon]:
    """Join each passage of the work, on the left, with that of the page."""
    work, page = (_scaled(column) for column in (comparison.work, comparison.page))
    moved = _moved(comparison.page)
    longest = sorted(work.keys() & page.keys(), key=lambda each: work[each][0] - work[each][1])[:MAX_RIBBONS]
    return [
        Ribbon(
            number,
            f"0,{work[number][0]:.1f} 6,{work[number][0]:.1f} 34,{page[number][0]:.1f} 40,{page[number][0]:.1f} "
            f"40,{page[number][1]:.1f} 34,{page[number][1]:.1f} 6,{work[number][1]:.1f} 0,{work[number][1]:.1f}",
            number in moved,
        )
        for number in sorted(longest)
    ]


def ticks(comparison: Comparison) -> Sequence[Ticks]:
    """Where changes stand on either strip."""
    found: dict[ChangeKind, set[tuple[int, int]]] = {}
    for column, (start, _end) in ((comparison.work, LEFT), (comparison.page, RIGHT)):
        scale, at = LENGTH / max(1, column.chars), 0
        for block in column.blocks:
            if isinstance(block, Copied):
                for piece in block.pieces:
                    if piece.links:
                        found.setdefault(piece.links[0].kind, set()).add((start, round(at * scale)))
                    at += len(piece.text)
            else:
                at += block.chars if isinstance(block, Missing) else len(block.text)
    width = LEFT[1] - LEFT[0]
    return [Ticks(kind, "".join(f"M{x},{y}h{width}" for x, y in sorted(of_kind))) for kind, of_kind in found.items()]


def _moved(column: Column) -> set[int]:
    """The passages that stand in another order as a whole."""
    copied = [block for block in column.blocks if isinstance(block, Copied)]
    return {block.passages[0] for block in copied if all(piece.is_moved for piece in block.pieces)}


def _scaled(column: Column) -> dict[int, tuple[float, float]]:
    """Where each passage begins and ends, of 1,000; none is narrower than can be seen."""
    scale = LENGTH / max(1, column.chars)
    return {
        number: (min(start * scale, LENGTH - MIN_RIBBON), max(start * scale + MIN_RIBBON, end * scale))
        for number, start, end in column.extents
    }
