"""The pairs of sentences of a lead: in the page's order, with the place that each has in the work's."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

MAX_SHOWN = 400  # pairs; a page of two hours' reading has no more, and nobody looks at them all
STEPS = 4  # of strength, that are shown: the figure itself would pass for a share


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences. rank: of the work's one among all of them, from 1 on; is_moved: it comes out of the page's order.

    strength: from 1 to STEPS. Several of the page may have the same of the work, which is no other order.
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
        return "●" * self.strength + "○" * (STEPS - self.strength)


def pairs_of(stored: Iterable[Sequence[Any]]) -> list[Pair]:
    """The pairs of a lead by the page, the first MAX_SHOWN of them."""
    rows = sorted(tuple(each) for each in stored)[:MAX_SHOWN]
    starts = sorted({row[2] for row in rows})
    kept = _in_order([row[2] for row in rows])
    return [
        Pair(
            page_start=row[0],
            page_end=row[1],
            work_start=row[2],
            work_end=row[3],
            strength=min(STEPS, 1 + int(row[4] * STEPS)),
            rank=bisect_left(starts, row[2]) + 1,
            is_moved=number not in kept,
        )
        for number, row in enumerate(rows)
    ]


def _in_order(starts: Sequence[int]) -> set[int]:
    """The numbers of a longest row that never falls: as many as can stand in one order on both sides.

    >>> sorted(_in_order([10, 50, 20, 20, 30]))
    [0, 2, 3, 4]
    """
    ends: list[int] = []  # the least place at which a row of each length ends, and below whose it is
    last: list[int] = []
    before: list[int | None] = []
    for number, start in enumerate(starts):
        length = bisect_right(ends, start)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [start]
        last[length : length + 1] = [number]
    found: set[int] = set()
    at = last[-1] if last else None
    while at is not None:
        found.add(at)
        at = before[at]
    return found
