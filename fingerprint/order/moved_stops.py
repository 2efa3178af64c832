"""Orders of a text of which each sentence or line was treated in one way with the stop at its end.

The stop then stands inside, and where the unit begins and ends is seen only by how it is read: the stop comes last, and
what comes before it is Chinese.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.order import readings
from fingerprint.order.followers import Keys, Table
from fingerprint.order.gains import gain_of
from fingerprint.order.readings import (
    DEALT,
    FENCE,
    GATHERED,
    HALVES,
    INSIDE_OUT,
    OUTSIDE_IN,
    Bounds,
    Order,
    place_of,
)
from fingerprint.order.text_units import LINE_END, SENTENCE_END, Block

WAYS = (
    *((way, width) for way in (GATHERED, DEALT) for width in (2, 3, 4)),
    *((FENCE, 3), (FENCE, 4), (OUTSIDE_IN, 1), (INSIDE_OUT, 1), (HALVES, 1)),
)
SAMPLE_SIGNS = 400  # that the ways are tried on
MAX_UNIT = 160  # signs of a unit; of longer ones the order is not found
MAX_STOPS = 3  # at the end of a unit
COST = 150  # to say where a unit ends: one of four or five places
LOSS = 60  # of a sign that no unit has, in gains; a pair in order gains 12 to 55
MAX_LEFT = 8  # signs between two units; after more a unit begins behind a stop that stands where it belongs
GLANCE = 12  # signs of a unit that is read no further when these gain nothing
MIN_GAIN = 8  # of a sign, of the best way; the best of characters in disorder gains less
UNREACHED = -(1 << 40)


def moved_stop_orders(block: Block, table: Table) -> Iterator[tuple[Order, float]]:
    """The likeliest, for stops of lines and for those of sentences, and what it takes to say it, in gains."""
    tokens = block.signs[-1][0]
    for stops in (LINE_END, LINE_END | SENTENCE_END):
        is_stop = (block.kinds & stops) > 0
        if not is_stop.any():
            continue
        sample = block.keys, tokens[:SAMPLE_SIGNS], is_stop[:SAMPLE_SIGNS]
        gained, way, width = max((find_units(*sample, *way, table)[0], *way) for way in WAYS)
        if gained >= MIN_GAIN * sample[1].size:
            _, bounds = find_units(block.keys, tokens, is_stop, way, width, table)
            order = readings.take_places(tokens, readings.read_units(bounds, way, width, False))
            yield order, float(COST * np.count_nonzero(np.diff(bounds) > 1))


@kernel(nogil=True)
def find_units(  # noqa: PLR0917 - numba compiles no records
    keys: Keys, tokens: Order, is_stop: NDArray[np.bool_], way: int, width: int, table: Table
) -> tuple[int, Bounds]:
    """The units that gain most when each is read in this way, and what they gain; a sign between them is one by itself.

    tokens: of each sign, -1 for none.
    """
    size = tokens.size
    best, before = np.full(size + 1, UNREACHED, np.int64), np.zeros(size + 1, np.int32)
    best[0], left = 0, 0
    for start in range(size):
        left = left + 1 if start - before[start] == 1 else 0
        if best[start] - LOSS > best[start + 1]:
            best[start + 1], before[start + 1] = best[start] - LOSS, start
        if left > MAX_LEFT and not is_stop[start - 1]:
            continue
        stops = 0
        for end in range(start + 1, min(start + MAX_UNIT, size) + 1):
            stops += is_stop[end - 1]
            if stops > MAX_STOPS:
                break
            if end < start + 2 or (stops == 0 and end < size):
                continue
            if _ends_with_stops(is_stop[start:end], stops, way, width):
                gained = best[start] + _gain_of_unit(keys, tokens[start:end], way, width, table) - COST
                if gained > best[end]:
                    best[end], before[end] = gained, start
    bounds, place, count = np.empty(size + 1, np.int32), size, size + 1
    while place > 0:
        count -= 1
        bounds[count] = place
        place = before[place]
    bounds[count - 1] = 0
    return best[size], bounds[count - 1 :]


@kernel(allocates=False, nogil=True)
def _ends_with_stops(is_stop: NDArray[np.bool_], stops: int, way: int, width: int) -> bool:
    for number in range(stops):  # noqa: SIM110 - compiled: no generators
        if not is_stop[place_of(is_stop.size - 1 - number, is_stop.size, way, width)]:
            return False
    return True


@kernel(allocates=False, nogil=True)
def _gain_of_unit(keys: Keys, tokens: Order, way: int, width: int, table: Table) -> int:
    """The gain of the pairs of a unit that is read in this way."""
    gained, before = 0, -1
    for at in range(tokens.size):
        token = tokens[place_of(at, tokens.size, way, width)]
        if token >= 0:
            if before >= 0:
                gained += gain_of(keys[before], keys[token], table)
            before = token
        if at == GLANCE and gained < 0:
            return UNREACHED
    return gained
