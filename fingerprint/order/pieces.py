"""The order of a text of which a few characters at a time were mixed, here in one way and there in another.

Wherever that makes likelier Chinese, up to MAX_SHUFFLED characters are read in any order, and up to MAX_TURNED backwards;
how likely each of these ways is, the text itself tells: ways that are seldom taken cost more in the next round.
"""

from collections.abc import Iterator
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.order.followers import Keys, Table, is_pair
from fingerprint.order.gains import GAIN_OF_A_NAT, KNOWN, UNKNOWN
from fingerprint.order.readings import Bounds, Order
from fingerprint.order.text_units import Block

MAX_SHUFFLED, MAX_TURNED = 4, 12
REACH = 2 * MAX_TURNED + 1  # how far apart characters may be that two pieces put beside each other
FIRST_COST_OF_KEPT, FIRST_COST = 0.1, 3.5  # natural logarithm; 2.5 and 3 gave the same orders (November 2026)
ROUNDS = 3
UNREACHED = -(1 << 40)


@cache
def pieces() -> tuple[Order, Bounds]:
    """Places of all pieces in the order in which they are read, and where each piece begins; the first is one character.

    Of orders that are two smaller pieces one behind the other there is none.
    """
    orders = [(0,)]
    for size in range(2, MAX_SHUFFLED + 1):
        orders += [order for order in permutations(range(size)) if _is_one(order)]
    orders += [tuple(range(size))[::-1] for size in range(MAX_SHUFFLED + 1, MAX_TURNED + 1)]
    starts = np.cumsum([0, *map(len, orders)], dtype=np.int32)
    return np.array([place for order in orders for place in order], np.int32), starts


def _is_one(order: tuple[int, ...]) -> bool:
    return all(set(order[:size]) != set(range(size)) for size in range(1, len(order)))


def piece_orders(block: Block, table: Table) -> Iterator[tuple[Order, float]]:
    """The likeliest order, and what it takes to say it, in gains."""
    places, starts = pieces()
    known = find_known(block.keys, table)
    costs = np.full(starts.size - 1, FIRST_COST)
    costs[0] = FIRST_COST_OF_KEPT
    for _ in range(ROUNDS):
        order, taken = read_pieces(known, places, starts, (GAIN_OF_A_NAT * costs).astype(np.int64))
        costs = -np.log((taken + 0.5) / (taken.sum() + 0.5 * taken.size))
    yield order, GAIN_OF_A_NAT * float(costs @ taken)


@kernel(nogil=True)
def find_known(keys: Keys, table: Table) -> NDArray[np.int8]:
    """int8[n, 2 * REACH + 1]: whether each character is known before the one that stands so far behind it."""
    known = np.zeros((keys.size, 2 * REACH + 1), np.int8)
    for first in range(keys.size):
        for second in range(max(0, first - REACH), min(keys.size, first + REACH + 1)):
            known[first, second - first + REACH] = is_pair(keys[first], keys[second], table)
    return known


@kernel(nogil=True)
def read_pieces(
    known: NDArray[np.int8], places: Order, starts: Bounds, costs: NDArray[np.int64]
) -> tuple[Order, NDArray[np.int64]]:
    """The order of the least costly pieces, and how often each is taken.

    A state is where a piece ends and how far before its end the last character is read.
    """
    size, number = known.shape[0], starts.size - 1
    best = np.full((size + 1, MAX_TURNED), UNREACHED, np.int64)
    pieces_taken, lasts_before = np.zeros((size + 1, MAX_TURNED), np.int8), np.zeros((size + 1, MAX_TURNED), np.int8)
    best[0, 0] = 0
    for start in range(size):
        for piece in range(number):
            begin, end = starts[piece], starts[piece + 1]
            stop = start + end - begin
            if stop > size:
                continue
            most, last_before = _join(known, best[start], start, places[begin])
            for at in range(begin + 1, end):
                most += UNKNOWN + KNOWN * known[start + places[at - 1], places[at] - places[at - 1] + REACH]
            last = end - begin - 1 - places[end - 1]
            if most - costs[piece] > best[stop, last]:
                best[stop, last] = most - costs[piece]
                pieces_taken[stop, last], lasts_before[stop, last] = piece, last_before
    return _trace(best[size], pieces_taken, lasts_before, places, starts)


@kernel(allocates=False, nogil=True)
def _join(known: NDArray[np.int8], best: NDArray[np.int64], start: int, first: int) -> tuple[int, int]:
    """The best way to read up to here and on with a character, and how far back the one before it stands."""
    most, found = UNREACHED, 0
    for last in range(MAX_TURNED):
        if best[last] > UNREACHED:
            gained = best[last]
            if start > 0:
                gained += UNKNOWN + KNOWN * known[start - 1 - last, first + 1 + last + REACH]
            if gained > most:
                most, found = gained, last
    return most, found


@kernel(nogil=True)
def _trace(
    best: NDArray[np.int64],
    pieces_taken: NDArray[np.int8],
    lasts_before: NDArray[np.int8],
    places: Order,
    starts: Bounds,
) -> tuple[Order, NDArray[np.int64]]:
    order, taken = np.empty(pieces_taken.shape[0] - 1, np.int32), np.zeros(starts.size - 1, np.int64)
    last, stop = np.argmax(best), order.size
    while stop > 0:
        piece = pieces_taken[stop, last]
        last = lasts_before[stop, last]
        begin, end = starts[piece], starts[piece + 1]
        start = stop - (end - begin)
        for at in range(begin, end):
            order[start + at - begin] = start + places[at]
        taken[piece] += 1
        stop = start
    return order, taken
