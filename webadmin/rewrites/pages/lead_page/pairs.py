"""The pairs of sentences of a lead in the order of the page, with their ranks in the order of the work."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.matches import strength_dots, strength_step
from matcher.reworded.found import longest_in_order

WIDTH, HEIGHT = 1_000, 100  # in units of the drawing, which is scaled to the available width
MAX_SHOWN = 400  # pairs; enough for two hours' reading, and nobody looks at more


@dataclass(frozen=True, slots=True)
class Pair:
    """Two corresponding sentences. rank: of the work's sentence among all, from 1. is_moved: out of the page's order.

    strength: from 1 to STRENGTH_STEPS. Several sentences of the page may have the same counterpart, which does not
    count as another order.
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
        """The strength as dots."""
        return strength_dots(self.strength)


def list_pairs(stored: Iterable[Sequence[Any]]) -> list[Pair]:
    """Return the first MAX_SHOWN pairs of a lead in the order of the page."""
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
    """Return the lines of the drawing, with those out of order last, so that they are on top."""
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
