"""Orders of a text of which a few characters at a time are read backwards, however many: words in the wrong order, too.

Where words stand from the last to the first of a unit, the unit is read from its end, and each word in it backwards.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order import gains, readings
from fingerprint.order.countings import treated_units
from fingerprint.order.followers import Keys, Table
from fingerprint.order.gains import GAIN_OF_A_NAT, gain_of
from fingerprint.order.readings import BACKWARDS, Bounds, Order
from fingerprint.order.text_units import Block

MAX_GROUP = 8  # characters
FIRST_COST = 100  # of each group, in gains; then as much as groups of its size are rare in what was found
ROUNDS = 3
UNREACHED = -(1 << 40)


def group_orders(block: Block, table: Table) -> Iterator[tuple[Order, float]]:
    """The likeliest for each kind of units, read forwards and from their ends, and what it takes to say it, in gains."""
    as_it_is = gains.sum_gains(block.keys, np.arange(block.size, dtype=np.int32), table)
    for bounds in treated_units(block):
        ways = [np.arange(block.size, dtype=np.int32), readings.read_units(bounds, BACKWARDS, 1, False)]
        for read in ways if bounds is not block.whole else ways[:1]:
            ends, spent = _learn_groups(block.keys[read], bounds, table)
            order = read[readings.read_units(ends, BACKWARDS, 1, False)]
            if gains.sum_gains(block.keys, order, table) - spent > as_it_is:
                yield order, spent


def _learn_groups(keys: Keys, bounds: Bounds, table: Table) -> tuple[Bounds, float]:
    """Where groups begin, and the end, and what it takes to say so: as many nats as it is unlikely, in gains."""
    costs = np.full(MAX_GROUP + 1, FIRST_COST, np.int64)
    is_start = np.zeros(keys.size, np.bool_)
    is_start[bounds[:-1]] = True
    for _ in range(ROUNDS):
        ends = find_groups(keys, is_start, costs, table)
        counts = np.bincount(np.diff(ends), minlength=MAX_GROUP + 1) + 0.1
        nats = -np.log(counts / counts.sum())
        costs = (GAIN_OF_A_NAT * nats).astype(np.int64)
    return ends, GAIN_OF_A_NAT * float(nats @ (counts - 0.1))


@kernel(nogil=True)
def find_groups(keys: Keys, is_start: NDArray[np.bool_], costs: NDArray[np.int64], table: Table) -> Bounds:
    """Where groups begin, and the end, if each is read backwards and these gain most (Viterbi 1967).

    is_start: of units, in which groups end. costs: int64[MAX_GROUP + 1], what a group of each size costs.
    """
    size = keys.size
    best = np.full((size + 1, MAX_GROUP + 1), UNREACHED, np.int64)  # up to a place, by the size of the last group
    before = np.zeros((size + 1, MAX_GROUP + 1), np.int8)
    best[0, 0] = 0
    for start in range(size):
        inner = 0
        for own in range(1, min(MAX_GROUP, size - start) + 1):
            last = start + own - 1
            if own > 1:
                if is_start[last]:
                    break
                inner += gain_of(keys[last], keys[last - 1], table)
            most, found = as_int(UNREACHED), 0
            for earlier in range(min(MAX_GROUP, start) + 1):
                gained = best[start, earlier]
                if gained > UNREACHED and earlier:
                    gained += gain_of(keys[start - earlier], keys[last], table)
                if gained > most:
                    most, found = gained, earlier
            best[start + own, own], before[start + own, own] = most + inner - costs[own], found
    ends, place, count = np.empty(size + 1, np.int32), size, size
    own = as_int(np.argmax(best[size]))
    ends[size] = size
    while place > 0:
        own, place = as_int(before[place, own]), place - own
        count -= 1
        ends[count] = place
    return ends[count:]
