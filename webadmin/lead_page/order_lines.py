"""A drawing of two orders: sentences as the page has them above, as the work has them below, a line for each pair."""

from collections.abc import Sequence
from dataclasses import dataclass

from webadmin.lead_page.pairs import Pair

WIDTH, HEIGHT = 1_000, 100  # of the drawing's own measure; it is as wide as there is room


@dataclass(frozen=True, slots=True)
class OrderLine:
    """From a sentence of the page, above, to its counterpart, below."""

    number: int
    rank: int
    above: float
    below: float
    is_moved: bool


def order_lines(pairs: Sequence[Pair]) -> list[OrderLine]:
    """The lines that keep the order first, so that those which cross them lie on top."""
    most = max((pair.rank for pair in pairs), default=0)
    lines = [
        OrderLine(number, pair.rank, _place(number, len(pairs)), _place(pair.rank, most), pair.is_moved)
        for number, pair in enumerate(pairs, 1)
    ]
    return sorted(lines, key=lambda line: line.is_moved)


def _place(number: int, count: int) -> float:
    return round((number - 0.5) * WIDTH / count, 1)
