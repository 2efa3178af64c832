"""The pairs of sentences of a lead: in the page's order, with the place that each has in the work's."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.matches import strength_dots, strength_step
from matcher.reworded.found import longest_in_order

WIDTH, HEIGHT = 1_000, 100  # of the drawing's own measure; it is as wide as there is room
MAX_SHOWN = 400  # pairs; a page of two hours' reading has no more, and nobody looks at them all


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences. rank: of the work's one among all of them, from 1 on; is_moved: it comes out of the page's order.

    strength: from 1 to STRENGTH_STEPS. Several of the page may have the same of the work, which is no other order.
    """

    page_start: int
    page_end: int
    work_start: int
    work_end: int
    strength: int
    rank: int
    is_moved: bool

    @property
    def dots(self) -> str:
        """The strength as it is drawn."""
        return strength_dots(self.strength)


def list_pairs(stored: Iterable[Sequence[Any]]) -> list[Pair]:
    """Return the pairs of a lead by the page, the first MAX_SHOWN of them."""
    rows = sorted(tuple(each) for each in stored)[:MAX_SHOWN]
    starts = sorted({row[2] for row in rows})
    kept = longest_in_order([row[2] for row in rows])
    return [
        Pair(
            page_start=row[0],
            page_end=row[1],
            work_start=row[2],
            work_end=row[3],
            strength=strength_step(row[4]),
            rank=bisect_left(starts, row[2]) + 1,
            is_moved=number not in kept,
        )
        for number, row in enumerate(rows)
    ]


def order_lines(pairs: Sequence[Pair]) -> list[dict[str, Any]]:
    """Return the lines that keep the order first, so that those which cross them lie on top."""
    most = max((pair.rank for pair in pairs), default=0)
    lines = [
        {
            "number": number,
            "rank": pair.rank,
            "above": _place(number, len(pairs)),
            "below": _place(pair.rank, most),
            "is_moved": pair.is_moved,
        }
        for number, pair in enumerate(pairs, 1)
    ]
    return sorted(lines, key=lambda line: line["is_moved"])


def _place(number: int, count: int) -> float:
    return round((number - 0.5) * WIDTH / count, 1)
