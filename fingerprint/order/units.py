"""Orders of a text of which each unit, or the whole as one, was treated in one way."""

from collections.abc import Iterator

import numpy as np

from fingerprint.order import gains, readings
from fingerprint.order.countings import Counting, unit_countings
from fingerprint.order.followers import Table
from fingerprint.order.readings import (
    BACKWARDS,
    DEALT,
    DEALT_BACK,
    FENCE,
    GATHERED,
    GATHERED_BACK,
    HALVES,
    INSIDE_OUT,
    OUTSIDE_IN,
    Order,
)
from fingerprint.order.text_units import Block

MAX_WIDTH = 160  # characters in a line, or lines, of a text that was set in columns and then run together
MAX_WIDTH_OF_UNIT = 12
MAX_FENCE = 6
MAX_HEIGHT = 40  # lines that ran together, each as long as the text by their number
SAMPLE_SIGNS = 400  # that the ways are tried on
LIKELY_LAGS, LIKELY_WAYS = 3, 3  # two ways may begin alike
WAYS = (
    *((BACKWARDS, 1), (OUTSIDE_IN, 1), (INSIDE_OUT, 1), (HALVES, 1)),
    *((FENCE, width) for width in range(3, MAX_FENCE + 1)),
    *(
        (way, width)
        for way in (DEALT, DEALT_BACK, GATHERED, GATHERED_BACK)
        for width in range(2, MAX_WIDTH_OF_UNIT + 1)
    ),
)


def unit_orders(block: Block, table: Table) -> Iterator[Order]:
    """The block, its lines, sentences or clauses, each treated in one way: for each way to count the likeliest."""
    for counting in unit_countings(block):
        places, bounds = counting
        known = (*WAYS, *(_wide(block, counting, table) if bounds.size == 2 else ()))
        found = gains.way_gains(block.keys, places, bounds, np.array(known, np.int32), SAMPLE_SIGNS, table)
        likely = np.argsort(-found, axis=None, kind="stable")[:LIKELY_WAYS]
        for number, is_from_end in zip(*np.unravel_index(likely, found.shape), strict=True):
            if found[number, is_from_end] > 0:
                way, width = known[number]
                order = readings.read_units(bounds, way, width, bool(is_from_end))
                yield readings.with_uncounted(places, readings.take_places(places, order), block.size)


def _wide(block: Block, counting: Counting, table: Table) -> Iterator[tuple[int, int]]:
    """Rows that ran together: widths at which characters that stand so far apart are pairs, and numbers of rows."""
    yield from (
        (way, width) for way in (GATHERED, GATHERED_BACK) for width in range(MAX_WIDTH_OF_UNIT + 1, MAX_HEIGHT + 1)
    )
    places, _ = counting
    found = gains.lag_gains(block.keys, places, min(places.size, gains.GLANCE_PAIRS * 2), MAX_WIDTH, table)
    for lag in np.argsort(-found, kind="stable")[:LIKELY_LAGS].tolist():
        if lag > MAX_WIDTH_OF_UNIT:
            yield DEALT, lag
            yield DEALT_BACK, lag
