"""The loops that undo one kind of disorder each, and the loop that judges an order.

The gain of a pair of characters is how much likelier it is in Chinese than in disorder, in hundredths of a natural
logarithm. An order is int32[m]: the places of tokens in reading order.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import NO_KEY, Keys, Table, is_pair

Order = NDArray[np.int32]
Bounds = NDArray[np.int32]  # the starts of units, and the end of the last
Gains = NDArray[np.int16]
Costs = NDArray[np.int64]

# In disorder .12 to .18 of the pairs are known, by genre; in order .34 to .65 (held-out works, November 2026). Here .14
# and .4, so that old prose gains too: log(.4 / .14) = 1.05 and log(.6 / .86) = -.36.
CHANCE_SHARE = 0.14
GAIN_OF_A_NAT = 100.0
UNKNOWN, KNOWN = -36, 141  # the loss of any pair, and the additional gain of a known pair
MAX_BETWEEN = 4  # consecutive characters left out
BACK = 0  # the column of `near_gains` for the reversed pair; the others are distances
UNREACHED, NEVER = -(1 << 40), 1 << 30

ROUNDS = 3  # in which the costs of an event are learned from the events found
FIRST_COST = 110  # of an event, if nothing is known: one in four
MAX_COST = 700  # one in a thousand
MAX_SHARE = 0.99
NATS_OF_A_PHASE = 1.0  # the cost of naming the frequency of events in a phase
PRIOR = 4.0  # places with average frequency of events, added for a phase or a character with few places
# An inserted character occurs often and rarely forms pairs with its neighbours: .05 of its pairs are known.
ALIEN_SHARE, MIN_ODDS, COST_OF_ALIENS = 0.05, 5.0, 10
BUCKETS_SHIFT = 20  # 2^12 buckets of characters, by their keys
SEEN_SHIFT = 17  # 2^15 places for the pairs of one order
AROUND = 6  # pairs on either side of a new pair that count as near


@kernel(allocates=False, nogil=True)
def pair_gain(first: np.uint32, second: np.uint32, table: Table) -> int:
    """Return the gain of a pair; 0 for equal characters and characters that are not Chinese."""
    if NO_KEY in (first, second) or first == second:
        return 0
    return UNKNOWN + KNOWN * np.int64(is_pair(first, second, table))  # type: ignore[return-value]


@kernel(nogil=True)
def near_gains(keys: Keys, table: Table) -> Gains:
    """Return the gain of each token before the previous one, and after earlier ones, int16[n, 2 + MAX_BETWEEN]."""
    gains = np.zeros((keys.size, 2 + MAX_BETWEEN), np.int16)
    fill_gains(gains, keys, table)
    return gains


@kernel(allocates=False, nogil=True)
def fill_gains(gains: Gains, keys: Keys, table: Table) -> None:
    """Write the result of `near_gains` to `gains`; kernels that create no arrays can call it."""
    for place in range(1, keys.size):
        gains[place, BACK] = pair_gain(keys[place], keys[place - 1], table)
        for distance in range(1, min(place, 1 + MAX_BETWEEN) + 1):
            gains[place, distance] = pair_gain(keys[place - distance], keys[place], table)


@kernel(nogil=True)
def reverse_units(gains: Gains, bounds: Bounds) -> tuple[Order, float]:
    """Return the order with units reversed if that is better Chinese, and the cost of naming the units, in gains."""
    units, cost, share = bounds.size - 1, 0.0, 0.0
    change, is_turned = np.zeros(units, np.int64), np.zeros(units, np.bool_)
    for unit in range(units):
        for place in range(bounds[unit] + 1, bounds[unit + 1]):
            change[unit] += gains[place, BACK] - gains[place, 1]
    for _ in range(ROUNDS):
        count = 0
        for unit in range(units):
            is_turned[unit] = change[unit] > cost
            count += is_turned[unit]
        share = (count + 0.5) / (units + 1)
        cost = GAIN_OF_A_NAT * np.log(1 / share - 1)
    order = np.arange(gains.shape[0]).astype(np.int32)
    for unit in range(units):
        if is_turned[unit]:
            order[bounds[unit] : bounds[unit + 1]] = order[bounds[unit] : bounds[unit + 1]][::-1].copy()
    turned = is_turned.sum()
    return order, -GAIN_OF_A_NAT * (turned * np.log(share) + (units - turned) * np.log(1 - share))


@kernel(nogil=True)
def swap_neighbours(gains: Gains, offsets: NDArray[np.int32], max_period: int) -> tuple[Order, float]:
    """Return the order in which some neighbours are swapped, and the cost of naming the swaps, in gains.

    offsets: the offsets of the tokens in the text; tokens with a sign between them are no neighbours. max_period: the
    longest period at which swaps may be regular.
    """
    size = gains.shape[0]
    costs = np.full(size, FIRST_COST, np.int64)
    is_swapped = np.zeros(size, np.bool_)  # for the first token of two
    spent = 0.0
    for _ in range(ROUNDS):
        for place in range(size - 1):
            costs[place] = costs[place] if offsets[place + 1] == offsets[place] + 1 else NEVER
        _find_swaps(is_swapped, gains, costs)
        spent = _learn_costs(costs, is_swapped, offsets, max_period)
    order = np.arange(size).astype(np.int32)
    for place in range(size - 1):
        if is_swapped[place]:
            order[place], order[place + 1] = place + 1, place
    return order, spent


@kernel(nogil=True)
def _find_swaps(is_swapped: NDArray[np.bool_], gains: Gains, costs: Costs) -> int:
    """Mark the swaps that gain most (Viterbi 1967); a token is swapped at most once."""
    size = gains.shape[0]
    best = np.full((size + 1, 2), UNREACHED, np.int64)  # up to each token: it is the last, or the one before it is
    came_swapped = np.zeros((size + 1, 2), np.bool_)
    best[1, 0] = 0
    if size > 1:
        best[2, 1] = gains[1, BACK] - costs[0]
    for place in range(1, size):
        kept, swapped = best[place, 0] + gains[place, 1], best[place, 1] + gains[place, 2]
        best[place + 1, 0], came_swapped[place + 1, 0] = max(kept, swapped), swapped > kept
        if place + 1 < size:
            kept, swapped = best[place, 0] + gains[place + 1, 2], best[place, 1] + gains[place + 1, 3]
            best[place + 2, 1] = max(kept, swapped) + gains[place + 1, BACK] - costs[place]
            came_swapped[place + 2, 1] = swapped > kept
    is_swapped[:] = False
    place, state = size, as_int(best[size, 1] > best[size, 0])
    while place > 0:
        came = as_int(came_swapped[place, state])
        if state:
            is_swapped[place - 2] = True
        place, state = place - 1 - state, came
    return as_int(max(best[size, 0], best[size, 1]))


@kernel(nogil=True)
def _learn_costs(costs: Costs, is_event: NDArray[np.bool_], offsets: NDArray[np.int32], max_period: int) -> float:
    """Write the cost of an event at each place, by its phase in the likeliest period; return the cost of naming all.

    Places whose cost is NEVER cannot have events.
    """
    size, count, events = 0, 0, np.empty(is_event.size, np.uint32)
    for place in range(is_event.size):
        size += costs[place] < NEVER
        if is_event[place]:
            events[count] = np.uint32(offsets[place])
            count += 1
    share = (count + 0.5) / (size + 1)
    of_phase, logits = np.zeros(max_period, np.float64), np.zeros(max_period, np.float64)
    least, best = 1e18, 1
    for period in range(1, max_period + 1):
        _share_by_phase(of_phase, events[:count], size / period, period, share)
        nats = period * NATS_OF_A_PHASE
        for phase in range(period):
            one = of_phase[phase]
            nats -= size / period * (one * np.log(one) + (1 - one) * np.log(1 - one))
        if nats < least:
            least, best = nats, period
    _share_by_phase(of_phase, events[:count], size / best, best, share)
    for phase in range(best):
        logits[phase] = GAIN_OF_A_NAT * np.log(1 / of_phase[phase] - 1)
    for place in range(is_event.size):
        costs[place] = as_int(logits[np.uint32(offsets[place]) % np.uint32(best)])
    return GAIN_OF_A_NAT * least


@kernel(allocates=False, nogil=True)
def _share_by_phase(
    shares: NDArray[np.float64], events: NDArray[np.uint32], places: float, period: int, share: float
) -> None:
    """Write the share of places with an event for each phase.

    places: the places of a phase; share: the share over all phases.
    """
    shares[:period] = 0
    for event in events:
        shares[event % np.uint32(period)] += 1
    for phase in range(period):
        shares[phase] = min((shares[phase] + PRIOR * share) / (places + PRIOR), MAX_SHARE)


@kernel(nogil=True)
def leave_out(gains: Gains, keys: Keys, offsets: NDArray[np.int32], max_period: int) -> tuple[Order, float]:
    """Return the order without inserted characters, and the cost of naming them, in gains.

    The text itself shows which characters were inserted: at first characters that rarely form pairs with a neighbour,
    then characters that were left out often, or at regular places. max_period: the longest period at which these may be
    regular.
    """
    size = gains.shape[0]
    buckets = (keys >> np.uint32(BUCKETS_SHIFT)).astype(np.int64)
    costs, phase_costs = _first_costs(gains, buckets), np.zeros(size, np.int64)
    seen, left, logits = np.zeros((3, 1 << (32 - BUCKETS_SHIFT)), np.float64)
    for place in range(size):
        seen[buckets[place]] += 1
    is_left_out = np.zeros(size, np.bool_)
    nats, named = 0.0, 0.0
    for _ in range(ROUNDS):
        _find_left_out(is_left_out, gains, costs)
        named = _learn_costs(phase_costs, is_left_out, offsets, max_period)
        left[:] = 0
        for place in range(size):
            left[buckets[place]] += is_left_out[place]
        share = (left.sum() + 0.5) / (size + 1)
        nats, base = 0.0, np.log(1 / share - 1)
        for bucket in range(seen.size):
            if seen[bucket]:
                of_kind = (left[bucket] + PRIOR * share) / (seen[bucket] + PRIOR)
                logits[bucket] = GAIN_OF_A_NAT * (np.log(1 / of_kind - 1) - base)
                nats -= left[bucket] * np.log(of_kind) + (seen[bucket] - left[bucket]) * np.log(1 - of_kind)
        for place in range(size):
            cost = phase_costs[place] + as_int(logits[buckets[place]])
            costs[place] = max(min(cost, MAX_COST), -MAX_COST)
    return np.flatnonzero(~is_left_out).astype(np.int32), min(named, GAIN_OF_A_NAT * nats)


@kernel(nogil=True)
def _first_costs(gains: Gains, buckets: Costs) -> Costs:
    """Return the first cost of leaving out each token: low for characters that rarely pair with their neighbours."""
    size = gains.shape[0]
    costs = np.empty(size, np.int64)
    seen, known = np.zeros(1 << (32 - BUCKETS_SHIFT), np.float64), np.zeros(1 << (32 - BUCKETS_SHIFT), np.float64)
    for place in range(size):
        seen[buckets[place]] += 2
        known[buckets[place]] += (gains[place, 1] > 0) + (place + 1 < size and gains[place + 1, 1] > 0)
    share = min(max(known.sum() / (2 * size), 2 * ALIEN_SHARE), 0.9)
    if_known, if_unknown = np.log(ALIEN_SHARE / share), np.log((1 - ALIEN_SHARE) / (1 - share))
    for place in range(size):
        of_kind = known[buckets[place]]
        odds = of_kind * if_known + (seen[buckets[place]] - of_kind) * if_unknown
        costs[place] = COST_OF_ALIENS if odds > MIN_ODDS else FIRST_COST
    return costs


@kernel(nogil=True)
def first_gains(gains: Gains, keys: Keys) -> tuple[int, int]:
    """Return the first gains of swapping neighbours and of leaving out tokens, before it is known which."""
    size = gains.shape[0]
    as_it_is = 0
    for place in range(1, size):
        as_it_is += gains[place, 1]
    marks = np.zeros(size, np.bool_)
    swapped = _find_swaps(marks, gains, np.full(size, FIRST_COST, np.int64))
    left_out = _find_left_out(marks, gains, _first_costs(gains, (keys >> np.uint32(BUCKETS_SHIFT)).astype(np.int64)))
    return swapped - as_it_is, left_out - as_it_is


@kernel(nogil=True)
def _find_left_out(is_left_out: NDArray[np.bool_], gains: Gains, costs: Costs) -> int:
    """Mark the tokens without which the others gain most (Viterbi 1967)."""
    size = gains.shape[0]
    best, before = np.empty(size, np.int64), np.empty(size, np.int32)
    for place in range(size):
        most, found, cost = -costs[:place].sum() if place <= MAX_BETWEEN else UNREACHED, -1, 0
        for last in range(place - 1, max(place - 2 - MAX_BETWEEN, -1), -1):
            gained = best[last] - cost + gains[place, place - last]
            if gained > most:
                most, found = gained, last
            cost += costs[last]
        best[place], before[place] = most, found
    is_left_out[:] = True
    place = size - 1
    while place >= 0:
        is_left_out[place] = False
        place = as_int(before[place])
    return as_int(best[size - 1])


@kernel(nogil=True)
def read_columns(starts: Order, ends: Order, token_at: Order, from_right: bool) -> Order:
    """Return the order of lines that are read in columns.

    token_at: the token of each sign, -1 if it has none.
    """
    order, size, width = np.empty(token_at.size, np.int32), 0, 0
    for line in range(starts.size):
        width = max(width, ends[line] - starts[line])
    for column in range(width):
        for line in range(starts.size):
            place = ends[line] - 1 - column if from_right else starts[line] + column
            if starts[line] <= place < ends[line] and token_at[place] >= 0:
                order[size] = token_at[place]
                size += 1
    return order[:size]


@kernel(allocates=False, nogil=True)
def sum_gains(keys: Keys, order: Order, table: Table) -> int:
    """Return the gains of all pairs of characters that an order makes adjacent."""
    gains = 0
    for place in range(1, order.size):
        gains += pair_gain(keys[order[place - 1]], keys[order[place]], table)
    return gains


class Weight(NamedTuple):
    """The effect of an order on a text, from its first change to its last: pairs, known pairs, gains.

    before, after: tokens. made: pairs that the text does not have; near: these pairs and the pairs around them. unlike:
    distinct pairs among the made pairs.
    """

    before: int
    after: int
    gained_before: int
    gained: int
    made: int
    known_made: int
    unlike: int
    known_unlike: int
    near: int
    known_near: int


@kernel(nogil=True)
def weigh(keys: Keys, order: Order, table: Table) -> Weight:
    """Measure the changes of an order."""
    size, kept, head, tail = keys.size, order.size, 0, 0
    while head < kept and order[head] == head:
        head += 1
    while tail < kept - head and order[kept - 1 - tail] == size - 1 - tail:
        tail += 1
    gained_before, gained, made, known_made, unlike, known_unlike, near, known_near = 0, 0, 0, 0, 0, 0, 0, 0
    for place in range(max(head, 1), min(size - tail + 1, size)):
        gained_before += pair_gain(keys[place - 1], keys[place], table)
    is_seen = np.zeros(1 << (32 - SEEN_SHIFT), np.bool_)
    last_made, counted = -1 - AROUND, 0
    for place in range(max(head, 1), min(kept - tail + 1, kept)):
        first, second = keys[order[place - 1]], keys[order[place]]
        gain = pair_gain(first, second, table)
        gained += gain
        if order[place] != order[place - 1] + 1:
            made, known_made = made + 1, known_made + (gain > 0)
            bucket = np.uint32(first * np.uint32(31) + second) >> np.uint32(SEEN_SHIFT)
            if not is_seen[bucket]:
                is_seen[bucket] = True
                unlike, known_unlike = unlike + 1, known_unlike + (gain > 0)
            last_made = place
            counted = max(counted, place - AROUND, 1)
        while last_made >= 0 and counted <= min(place, last_made + AROUND):
            near += 1
            known_near += pair_gain(keys[order[counted - 1]], keys[order[counted]], table) > 0
            counted += 1
    return Weight(
        size - head - tail,
        kept - head - tail,
        gained_before,
        gained,
        made,
        known_made,
        unlike,
        known_unlike,
        near,
        known_near,
    )
