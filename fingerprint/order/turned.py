"""Orders of a text of which stretches are read backwards: wherever that is better Chinese, whatever the stretches are."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import Table
from fingerprint.order.gains import Keys, gain_of
from fingerprint.order.readings import Bounds, Order
from fingerprint.order.text_units import Block

# What it costs to turn, in gains of pairs: between two clauses as much as a known pair gives, elsewhere as three do.
TURN_AT_SIGN, TURN_ELSEWHERE = 80, 260


def turned_orders(block: Block, table: Table) -> Iterator[Order]:
    """Each stretch turned as one, or each of its lines, sentences or clauses by itself."""
    is_sign = np.zeros(block.size, np.bool_)
    is_sign[block.clauses[:-1]] = True
    is_turned = find_turned(block.keys, is_sign, table)
    if not is_turned.any():
        return
    yield from (turn(is_turned, bounds) for bounds in (block.whole, block.lines, block.sentences, block.clauses))


@kernel(nogil=True)
def find_turned(keys: Keys, is_sign: NDArray[np.bool_], table: Table) -> NDArray[np.bool_]:
    """bool[n]: which characters stand in stretches that are better Chinese backwards (Viterbi 1967).

    is_sign: before which characters there is a sign.
    """
    size = keys.size
    came_turning = np.zeros((size, 2), np.bool_)  # whether the best way to read up to here turned at this character
    kept, turned = 0, 0
    for place in range(1, size):
        cost = TURN_AT_SIGN if is_sign[place] else TURN_ELSEWHERE
        stays_kept = kept + gain_of(keys[place - 1], keys[place], table)
        stays_turned = turned + gain_of(keys[place], keys[place - 1], table)
        came_turning[place, 0], came_turning[place, 1] = turned - cost > stays_kept, kept - cost > stays_turned
        kept, turned = max(stays_kept, turned - cost), max(stays_turned, kept - cost)
    found, now = np.empty(size, np.bool_), as_int(turned > kept)
    for place in range(size - 1, -1, -1):
        found[place] = now == 1
        if came_turning[place, now]:
            now = 1 - now
    return found


@kernel(nogil=True)
def turn(is_turned: NDArray[np.bool_], bounds: Bounds) -> Order:
    """The order in which stretches are read backwards, those of each unit by themselves."""
    order = np.empty(is_turned.size, np.int32)
    for unit in range(bounds.size - 1):
        start = bounds[unit]
        while start < bounds[unit + 1]:
            end = start + 1
            while end < bounds[unit + 1] and is_turned[end] == is_turned[start]:
                end += 1
            for place in range(start, end):
                order[place] = start + end - 1 - place if is_turned[start] else place
            start = end
    return order
