"""The loops that say how likely the pairs are that an order puts beside each other.

The gain of a pair is how much likelier it is in Chinese than in disorder, in hundredths of a natural logarithm.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import NO_KEY, Keys, Table, is_pair
from fingerprint.order.readings import Bounds, Order, read_unit

# Of pairs in disorder .12 to .18 are known, by genre, of pairs in order .34 to .65 (held-out works, November 2026).
# Here .14 and .4, so that old prose gains too: log(.4 / .14) = 1.05 and log(.6 / .86) = -.36.
CHANCE_SHARE = 0.14
GAIN_OF_A_NAT = 100
UNKNOWN, KNOWN = -36, 141  # what any pair loses, and what one gains besides that is known
# A reading in which the first pairs gain less than this is given up: in disorder they gain -16 each, by 50 divided by
# their root, in order 12 (the poorest of old prose) to 55.
GLANCE_PAIRS, MIN_GLANCE = 64, 0


@kernel(allocates=False, nogil=True)
def gain_of(first: np.uint32, second: np.uint32, table: Table) -> int:
    """The gain of one pair. What is no Chinese character, and one behind itself, tell nothing of the order."""
    if NO_KEY in (first, second) or first == second:
        return 0
    return UNKNOWN + KNOWN * np.int64(is_pair(first, second, table))  # type: ignore[return-value]


@kernel(allocates=False, nogil=True)
def sum_gains(keys: Keys, order: Order, table: Table) -> int:
    """Gains of all pairs of characters that an order puts beside each other."""
    gains = 0
    for place in range(1, order.size):
        gains += gain_of(keys[order[place - 1]], keys[order[place]], table)
    return gains


@kernel(nogil=True)
def new_pairs(keys: Keys, order: Order, table: Table) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The pairs of an order that the text does not have, as numbers, and which of them are known."""
    pairs, are_known, count = np.empty(order.size, np.uint64), np.empty(order.size, np.bool_), 0
    for place in range(1, order.size):
        if order[place] != order[place - 1] + 1:
            first, second = keys[order[place - 1]], keys[order[place]]
            pairs[count] = np.uint64(first) << np.uint64(32) | np.uint64(second)
            are_known[count] = gain_of(first, second, table) > 0
            count += 1
    return pairs[:count], are_known[:count]


@kernel(nogil=True)
def way_gains(  # noqa: PLR0917 - numba compiles no records
    keys: Keys, places: Order, bounds: Bounds, ways: Order, most_read: int, table: Table
) -> NDArray[np.int64]:
    """int64[w, 2]: the gain of each way in which all units may have been treated, read from the start and from the end.

    ways: int32[w, 2], with widths; see `read_unit`. Of all units together the first `most_read` that are read count; of
    a way that is given up after a glance nothing.
    """
    order, gains = np.empty(most_read, np.int32), np.zeros((ways.shape[0], 2), np.int64)
    for number in range(ways.shape[0]):
        way, width = as_int(ways[number, 0]), as_int(ways[number, 1])
        left, unit, ahead, back = most_read, 0, 0, 0
        while unit < bounds.size - 1 and left > 0:
            size = bounds[unit + 1] - bounds[unit]
            read = order[: min(size, left)]
            read_unit(read, bounds[unit], size, way, width)
            glance = min(read.size, GLANCE_PAIRS)
            one, other = _gains_both_ways(keys, places, read[:glance], table)
            ahead, back = ahead + one, back + other
            seen = most_read - left + glance
            if seen >= GLANCE_PAIRS and max(ahead, back) < MIN_GLANCE * seen:
                ahead = back = 0
                break
            one, other = _gains_both_ways(keys, places, read[max(glance - 1, 0) :], table)
            ahead, back = ahead + one, back + other
            left, unit = left - read.size, unit + 1
        gains[number, 0], gains[number, 1] = ahead, back
    return gains


@kernel(allocates=False, nogil=True)
def _gains_both_ways(keys: Keys, places: Order, read: Order, table: Table) -> tuple[int, int]:
    """Gains of the pairs of what is read, and of the same pairs the other way round; -1 among places is none."""
    ahead, back, before = 0, 0, -1
    for one in read:
        place = places[one]
        if place >= 0:
            if before >= 0:
                ahead += gain_of(keys[before], keys[place], table)
                back += gain_of(keys[place], keys[before], table)
            before = place
    return ahead, back


@kernel(allocates=False, nogil=True)
def step_gains(keys: Keys, cells: NDArray[np.int64], step: int, table: Table) -> tuple[int, int, int]:
    """Gains of all pairs of characters whose cells are so far apart, of the same read the other way, and how many.

    cells: int64[n], increasing.
    """
    ahead, back, pairs, second = 0, 0, 0, 0
    for first in range(cells.size):
        while second < cells.size and cells[second] < cells[first] + step:
            second += 1
        if second == cells.size:
            break
        if cells[second] == cells[first] + step:
            ahead += gain_of(keys[first], keys[second], table)
            back += gain_of(keys[second], keys[first], table)
            pairs += 1
    return ahead, back, pairs


@kernel(nogil=True)
def lag_gains(keys: Keys, places: Order, size: int, max_lag: int, table: Table) -> NDArray[np.int64]:
    """int64[max_lag + 1]: gains of all pairs that stand so far apart among the first `size` places."""
    gains = np.zeros(max_lag + 1, np.int64)
    for first in range(size):
        if places[first] < 0:
            continue
        for lag in range(2, min(max_lag, places.size - 1 - first) + 1):
            second = places[first + lag]
            if second >= 0:
                gains[lag] += gain_of(keys[places[first]], keys[second], table)
    return gains


@kernel(nogil=True)
def known_pairs(keys: Keys, table: Table) -> NDArray[np.uint8]:
    """uint8[n]: whether each character is known behind the one before it; 0 for the first."""
    known = np.zeros(keys.size, np.uint8)
    for place in range(1, keys.size):
        known[place] = is_pair(keys[place - 1], keys[place], table)
    return known
