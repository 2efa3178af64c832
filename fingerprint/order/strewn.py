"""The order of a text without characters that were strewn in, wherever it is likelier Chinese without them.

Which characters were strewn in the text itself tells: those that hardly ever go with a neighbour were at first, and
then those that are often left out.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import NO_CHARACTER
from fingerprint.compilation import kernel
from fingerprint.order.evidence import MAX_PERIOD
from fingerprint.order.followers import Keys, Table, is_pair
from fingerprint.order.gains import GAIN_OF_A_NAT, gain_of, known_pairs
from fingerprint.order.readings import Order
from fingerprint.order.text_units import Block

NEAR = (1, 2, 3, 4)  # how far apart characters stand that may go with each other
MIN_ALIENS = 0.08  # of the text: one after every 12th
# Of ten kinds strewn in one or two are not known for such; of those known for it a tenth belong there.
MIN_REGULAR = 0.7
ALIEN_SHARE = 0.05  # of the pairs of a character that belongs nowhere those that are known
MIN_ODDS = 8.0  # natural logarithm; one that is left out at first occurs six times or more
COST_OF_ALIENS, FIRST_COST = 0.1, 0.7  # natural logarithm; from 1.2 and 2.5 fewer of the common ones were found
MAX_BETWEEN = 4  # characters that are left out in a row
PRIOR = 2.0  # occurrences that are as often left out as all characters are
ROUNDS = 5


def strewn_orders(block: Block, table: Table) -> Iterator[tuple[Order, float]]:
    """The likeliest order, and what it takes to say it, in gains."""
    _, kinds, counts = np.unique(block.characters, return_inverse=True, return_counts=True)
    known = known_pairs(block.keys, table).astype(np.int64)
    beside, both = known + np.append(known[1:], 0), np.full(block.size, 2)
    costs = np.where(_odds_of_aliens(kinds, beside, both) > MIN_ODDS, COST_OF_ALIENS, FIRST_COST)
    for _ in range(ROUNDS):
        kept = leave_out(block.keys, (GAIN_OF_A_NAT * costs[kinds]).astype(np.int64), table)
        left_out = np.bincount(kinds, minlength=counts.size) - np.bincount(kinds[kept], minlength=counts.size)
        share = (left_out + PRIOR * left_out.sum() / kinds.size + 0.01) / (counts + PRIOR + 0.02)
        costs = -np.log(share)
    spent = -float(np.log(share) @ left_out + np.log(1 - share) @ (counts - left_out))
    yield kept, GAIN_OF_A_NAT * spent


def without_aliens(block: Block, table: Table) -> Iterator[tuple[Order, Block]]:
    """What is left of a text in any order, as tokens and as a text, without characters that go with none near by.

    They may have been strewn in before it was put in another order or later, so that they are signs of it or not.
    """
    kinds = np.unique(block.characters, return_inverse=True)[1]
    known, seen = np.zeros(block.size, np.int64), np.zeros(block.size, np.int64)
    for lag in NEAR:
        pairs = known_both_ways(block.keys, lag, table)
        known[lag:] += pairs
        known[:-lag] += pairs
        seen[lag:] += 2
        seen[:-lag] += 2
    is_odd = (_odds_of_aliens(kinds, known, seen) > MIN_ODDS)[kinds]
    is_odd_han = is_odd & (block.characters != NO_CHARACTER)  # of numbers and names in letters most belong there
    phases = (_find_phase(odd, block.places) for odd in (is_odd, is_odd_han))
    is_alien = next((phase for phase in phases if phase is not None), is_odd_han)
    if not MIN_ALIENS * block.size <= np.count_nonzero(is_alien) < block.size:
        return
    kept = np.flatnonzero(~is_alien).astype(np.int32)
    yield kept, Block(block.codes, block.places[kept], block.tokens[kept], block.simplified)
    is_left = np.ones(block.codes.size, np.bool_)
    is_left[block.places[is_alien]] = False
    places = (np.cumsum(is_left) - 1)[block.places[kept]].astype(np.int32)
    yield kept, Block(block.codes[is_left], places, block.tokens[kept], block.simplified)


def _find_phase(is_odd: NDArray[np.bool_], places: Order) -> NDArray[np.bool_] | None:
    """All that stand at each so many signs, where most odd ones stand and most of them are odd; None where none do."""
    for period in range(2, MAX_PERIOD + 1):
        phases = places % period
        here, there = np.bincount(phases[is_odd], minlength=period), np.bincount(phases, minlength=period)
        phase = int(np.argmax(here))
        if here[phase] > MIN_REGULAR * max(there[phase], np.count_nonzero(is_odd)):
            return np.asarray(phases == phase)
    return None


@kernel(nogil=True)
def known_both_ways(keys: Keys, lag: int, table: Table) -> NDArray[np.int64]:
    """int64[n - lag]: in how many of both ways each character and the one so far behind it are a known pair."""
    known = np.zeros(keys.size - lag, np.int64)
    for place in range(keys.size - lag):
        one, other = keys[place], keys[place + lag]
        known[place] = np.int64(is_pair(one, other, table)) + np.int64(is_pair(other, one, table))
    return known


def _odds_of_aliens(kinds: NDArray[np.int64], known: NDArray[np.int64], seen: NDArray[np.int64]) -> NDArray[np.float64]:
    """How much likelier each kind of character goes with no other because it belongs nowhere; natural logarithm.

    known: how many pairs of each character are known, of those that are seen.
    """
    share = min(max(float(known.sum() / seen.sum()), 2 * ALIEN_SHARE), 0.9)
    of_kind, of_all = np.bincount(kinds, weights=known), np.bincount(kinds, weights=seen)
    unknown = of_all - of_kind
    return np.asarray(of_kind * np.log(ALIEN_SHARE / share) + unknown * np.log((1 - ALIEN_SHARE) / (1 - share)))


@kernel(nogil=True)
def leave_out(keys: Keys, costs: NDArray[np.int64], table: Table) -> Order:
    """int32[m]: the characters that are left when some are left out for what each costs."""
    size = keys.size
    best, before = np.empty(size, np.int64), np.empty(size, np.int32)
    for place in range(size):
        most, found, cost = -costs[:place].sum() if place <= MAX_BETWEEN else -(1 << 40), -1, 0
        for last in range(place - 1, max(place - 2 - MAX_BETWEEN, -1), -1):
            gained = best[last] - cost + gain_of(keys[last], keys[place], table)
            if gained > most:
                most, found = gained, last
            cost += costs[last]
        best[place], before[place] = most, found
    kept, place, count = np.empty(size, np.int32), size - 1, size
    while place >= 0:
        count -= 1
        kept[count] = place
        place = before[place]
    return kept[count:]
