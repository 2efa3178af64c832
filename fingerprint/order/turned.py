"""Orders of a text of which stretches are read backwards wherever that is better Chinese, whatever they are."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order import gains
from fingerprint.order.countings import treated_units
from fingerprint.order.followers import Keys, Table
from fingerprint.order.gains import GAIN_OF_A_NAT, gain_of
from fingerprint.order.readings import Bounds, Order
from fingerprint.order.text_units import Block

# What a turn costs at first, in gains: between two units less than a known pair gains, elsewhere as much as three do.
# Then as much as turns are rare in what was found.
FIRST_COSTS = (350, 110)
NEVER = 1 << 20
ROUNDS = 3


def turned_orders(block: Block, table: Table) -> Iterator[tuple[Order, float]]:
    """The likeliest, and what it takes to say it, in gains: with whole units of some kind turned, or any parts."""
    units = treated_units(block)
    found = []
    for bounds, cuts, is_whole in (
        *((unit, unit, True) for unit in units),
        *((unit, block.sentences, False) for unit in units),
    ):
        is_start = np.zeros(block.size, np.bool_)
        is_start[bounds[:-1]] = True
        is_turned, spent = _learn_turned(block, is_start, table, is_whole=is_whole)
        turns = is_turned[1:] != is_turned[:-1]
        if is_turned.any() and (is_whole or (turns & ~is_start[1:]).any()):
            found.append((turn(is_turned, cuts), spent))
    if found:
        yield max(found, key=lambda each: gains.sum_gains(block.keys, each[0], table) - each[1])


def _learn_turned(
    block: Block, is_start: NDArray[np.bool_], table: Table, *, is_whole: bool
) -> tuple[NDArray[np.bool_], float]:
    """What is turned, and what it takes to say so: as many nats as it is unlikely, in gains.

    is_start: of units. is_whole: whether only whole units are turned.
    """
    elsewhere, at_start = FIRST_COSTS
    for _ in range(ROUNDS):
        is_turned = find_turned(block.keys, is_start, NEVER if is_whole else elsewhere, at_start, table)
        turns = is_turned[1:] != is_turned[:-1]
        both = [turns[~is_start[1:]], turns[is_start[1:]]]
        shares = [(np.count_nonzero(here) + 0.5) / (here.size + 1) for here in both]
        elsewhere, at_start = (int(GAIN_OF_A_NAT * np.log(1 / share - 1)) for share in shares)
    spent = -sum(
        np.log(share) * np.count_nonzero(here) + np.log(1 - share) * np.count_nonzero(~here)
        for share, here in zip(shares, both, strict=True)
    )
    return is_turned, GAIN_OF_A_NAT * spent


@kernel(nogil=True)
def find_turned(
    keys: Keys, is_sign: NDArray[np.bool_], elsewhere: int, at_sign: int, table: Table
) -> NDArray[np.bool_]:
    """bool[n]: which characters stand in stretches that are better Chinese backwards (Viterbi 1967).

    is_sign: before which characters there is a sign. elsewhere, at_sign: what a turn costs.
    """
    size = keys.size
    came_turning = np.zeros((size, 2), np.bool_)  # whether the best way to read up to here turned at this character
    kept, turned = 0, 0
    for place in range(1, size):
        cost = at_sign if is_sign[place] else elsewhere
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
