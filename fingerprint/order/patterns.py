"""Orders of a text in which so many characters at a time were mixed, or some of them put in."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np

from fingerprint.order import gains, readings
from fingerprint.order.countings import countings, sampled
from fingerprint.order.evidence import MAX_PERIOD
from fingerprint.order.followers import Table
from fingerprint.order.readings import Order
from fingerprint.order.text_units import Block

MAX_EXHAUSTED = 4  # up to here every order is tried, and every choice of at least half of the characters
SAMPLE_SIGNS = 400  # that the patterns are tried on


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Which of how many characters that were mixed at a time are read in which order.

    values: int32[v], those of all patterns; starts: int32[p + 1], where each begins; periods: int32[p], increasing.
    """

    values: Order
    starts: Order
    periods: Order


@cache
def patterns(only: int = 0) -> Patterns:
    """All patterns, or those of one period only."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for period in (only,) if only else range(2, MAX_PERIOD + 1):
        kept = tuple(range(period))
        if period <= MAX_EXHAUSTED:
            sizes = range((period + 1) // 2, period + 1)
            found += [(period, chosen) for size in sizes for chosen in permutations(kept, size) if chosen != kept]
            continue
        half = period // 2
        found += [
            (period, kept[:-1]),
            (period, kept[:-2]),
            (period, kept[:-3]),
            (period, kept[::-1]),
            (period, (1, 0, *kept[2:])),
            (period, (2, 1, 0, *kept[3:])),
            (period, (3, 2, 1, 0, *kept[4:])),
            (period, (2, 3, 0, 1, *kept[4:])),
            (period, (1, 2, 0, *kept[3:])),
            (period, (2, 0, 1, *kept[3:])),
            (period, (*kept[1:], 0)),
            (period, (period - 1, *kept[:-1])),
            (period, (*kept[half:], *kept[:half])),
            (period, (period - 1, *kept[1:-1], 0)),
        ]
    unlike = list(dict.fromkeys(found))
    lengths = [len(chosen) for _, chosen in unlike]
    return Patterns(
        np.array([place for _, chosen in unlike for place in chosen], np.int32),
        np.cumsum([0, *lengths], dtype=np.int32),
        np.array([period for period, _ in unlike], np.int32),
    )


def pattern_orders(block: Block, table: Table, period: int) -> Iterator[Order]:
    """For each way to count characters the order of the pattern that is best for the first SAMPLE_SIGNS signs.

    period: of the patterns; 0 for all.
    """
    known = patterns(period)
    for places, bounds in countings(block):
        best, phase, _ = gains.find_best_pattern(
            block.keys, places, sampled(bounds, SAMPLE_SIGNS), known.values, known.starts, known.periods, table
        )
        if best >= 0:
            pattern = known.values[known.starts[best] : known.starts[best + 1]]
            order = readings.read_pattern(places, bounds, pattern, known.periods[best], phase)
            yield readings.with_uncounted(places, order, block.size)
