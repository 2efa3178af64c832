"""Orders of a text in which so many characters at a time were mixed in one way, or some of them put in.

How far apart characters stand that go with each other is seen for each place in a period. The order in which these
places are read is improved step by step.
"""

from collections.abc import Iterator

import numpy as np

from fingerprint.order import pattern_kernels, readings
from fingerprint.order.countings import countings, sampled
from fingerprint.order.followers import Table
from fingerprint.order.pattern_kernels import MAX_MIXED
from fingerprint.order.readings import Order
from fingerprint.order.text_units import Block

SAMPLE_SIGNS = 1_000  # that the patterns are tried on
# How much more the gains differ by phase than by chance, divided by the root of the period: two deviations. Of every
# fourth character transposed it is 100, of neighbours swapped at random it is less.
MIN_REGULARITY, ANY_REGULARITY = 8.5, -1e9


def pattern_orders(block: Block, table: Table, period: int, *, is_lost: bool) -> Iterator[Order]:
    """The order of the best pattern of each period, for each way to count characters.

    period: of which it is a multiple; 0 for any. is_lost: whether nothing is left of the order of the text.
    """
    min_regularity = ANY_REGULARITY if is_lost or period else MIN_REGULARITY
    periods = np.array(
        range(period, max(period, MAX_MIXED) + 1, period) if period else range(2, MAX_MIXED + 1), np.int32
    )
    for places, bounds in countings(block):
        sample = sampled(bounds, SAMPLE_SIGNS)
        found = pattern_kernels.find_patterns(block.keys, places, sample, periods, min_regularity, table)
        for of, (phase, size, *read) in zip(periods.tolist(), found.tolist(), strict=True):
            pattern = np.array(read[:size], np.int32)
            if size and pattern.tolist() != list(range(of)):
                order = readings.read_pattern(places, bounds, pattern, of, phase)
                yield readings.with_uncounted(places, order, block.size)
