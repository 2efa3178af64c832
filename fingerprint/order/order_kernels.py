"""The loops that try other orders. An order is int32[m]: places of a sequence of characters, as they are read.

Characters are uint16 in simplified form, 0 for what is no Chinese character.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import Packed, level_of, level_of_syllables
from fingerprint.stream import WILDCARD

Characters = NDArray[np.uint16]
Order = NDArray[np.int32]
Bounds = NDArray[np.int32]
Gains = NDArray[np.int16]

# What may have been done to each unit of a text, by number; `read_unit` says how it is read again.
KEPT, BACKWARDS, DEALT, DEALT_BACK, GATHERED, FENCE, OUTSIDE_IN, INSIDE_OUT, HALVES = range(9)
ALL, ODD, EVEN = range(3)
SCREEN_TOKENS = 64
# Mean level of characters in disorder, times 100; what a pair has above it is its gain (held-out works, 2026-11).
CHANCE_PERCENT = 42
# Periods up to 10 are looked at: with one put in after every 10th, or two, all copies are found as they are (held-out
# works, 2026-11), after every 6th nearly none. A place in the first cycle is one in any period of 2 to 6 and 10, one in
# the second in a period of 7 or 8, and the third is that of 9.
MAX_UNEVEN_PERIOD, CYCLE, CYCLE_OF_8, CYCLE_OF_9 = 10, 60, 56, 9
SECOND, THIRD = CYCLE, CYCLE + CYCLE_OF_8  # where they begin behind each other
ALL_CYCLES = CYCLE + CYCLE_OF_8 + CYCLE_OF_9
COUNTINGS = 3
SIGNS, IN_LINE, HAN = range(COUNTINGS)
PAIR_BITS = 32
FIRST_HAN = 0x3400
LINE_END = 0x0A
SHORT_TOKENS, MIN_SHORT = 16, 0.5


@kernel(allocates=False, nogil=True)
def find_low_window(  # noqa: PLR0917 - numba compiles no records
    codes: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    folding: NDArray[np.uint32],
    table: Packed,
    min_window: float,
    step: int,
) -> tuple[bool, float]:
    """Whether a window of SCREEN_TOKENS pairs has a mean level below `min_window`, and the mean of all windows.

    One window begins every `step` tokens; the last one reaches to the end of the text.
    """
    total, windows, is_low = 0.0, 0, False
    start = 0
    while start + 1 < offsets.size:
        end = min(start + SCREEN_TOKENS, offsets.size - 1)
        levels, before = 0, as_int(folding[codes[offsets[start]]])
        for place in range(start + 1, end + 1):
            code = as_int(folding[codes[offsets[place]]])
            levels += level_of(before, code, table)
            before = code
        mean = levels / (end - start)
        if end - start == SCREEN_TOKENS:
            is_low |= mean < min_window
            total += mean
            windows += 1
        start += step
    return is_low, total / windows if windows else 0.0


@kernel(nogil=True)
def pair_levels(characters: Characters, table: Packed) -> NDArray[np.uint8]:
    """uint8[n]: the level of each character behind the one before it; 0 for the first."""
    levels = np.zeros(characters.size, np.uint8)
    for place in range(1, characters.size):
        levels[place] = level_of(characters[place - 1], characters[place], table)
    return levels


@kernel(allocates=False, nogil=True)
def mean_levels(tokens: NDArray[np.uint16], characters: Characters, table: Packed) -> tuple[float, float, int]:
    """Mean level of the pairs of syllables and of those of characters, and how many pairs there are.

    Two that are no Chinese characters count as none: numbers read alike in either direction.
    """
    of_sounds, of_characters, pairs = 0, 0, 0
    for place in range(1, tokens.size):
        has_character = characters[place - 1] > 0 or characters[place] > 0
        if has_character and tokens[place - 1] != WILDCARD and tokens[place] != WILDCARD:
            of_sounds += level_of_syllables(tokens[place - 1], tokens[place], table)
            of_characters += level_of(characters[place - 1], characters[place], table)
            pairs += 1
    return of_sounds / max(pairs, 1), of_characters / max(pairs, 1), pairs


@kernel(allocates=False, nogil=True)
def sum_gains(characters: Characters, order: Order, table: Packed) -> int:
    """Gains of all pairs of characters that an order puts beside each other."""
    gains = 0
    for place in range(1, order.size):
        gains += 100 * level_of(characters[order[place - 1]], characters[order[place]], table) - CHANCE_PERCENT
    return gains


@kernel(nogil=True)
def new_pairs(characters: Characters, order: Order, table: Packed) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """The pairs of an order that the text does not have, as numbers, and the level of each."""
    pairs, levels, count = np.empty(order.size, np.int64), np.empty(order.size, np.uint8), 0
    for place in range(1, order.size):
        if order[place] != order[place - 1] + 1:
            first, second = as_int(characters[order[place - 1]]), as_int(characters[order[place]])
            pairs[count], levels[count] = first << 16 | second, level_of(first, second, table)
            count += 1
    return pairs[:count], levels[:count]


@kernel(nogil=True)
def read_units(bounds: Bounds, way: int, width: int, parity: int, from_end: bool) -> Order:
    """The order of a text of which every unit, or every other one, was treated in one way.

    bounds: int32[u + 1], where units begin, and the end. from_end: each unit so treated is then read backwards.
    """
    order = np.empty(bounds[-1] - bounds[0], np.int32)
    at = 0
    for unit in range(bounds.size - 1):
        start, size = bounds[unit], bounds[unit + 1] - bounds[unit]
        is_treated = parity == ALL or unit % 2 == parity - ODD
        read_unit(order[at : at + size], start, size, way if is_treated else KEPT, width)
        if is_treated and from_end:
            order[at : at + size] = order[at : at + size][::-1].copy()
        at += size
    return order


@kernel(allocates=False, nogil=True)
def read_unit(order: Order, start: int, size: int, way: int, width: int) -> None:
    """Write the first places of a unit of `size` tokens in the order in which it is read, as many as `order` takes.

    DEALT: the text was dealt out to `width` rows in turn as cards are, and the rows are read one after the other;
    DEALT_BACK: from the last to the first. GATHERED: the rows stand one after the other and are read in turn. FENCE:
    the same for rows that were dealt up and down. OUTSIDE_IN: first, last, second, last but one; INSIDE_OUT: the
    inverse.
    """
    if way in (DEALT, DEALT_BACK):
        _read_rows(order, start, size, way, width)
    elif way == INSIDE_OUT:
        first_half = (size + 1) // 2
        for at in range(order.size):
            order[at] = start + (2 * at if at < first_half else 2 * (size - at) - 1)
    else:
        for at in range(order.size):
            place = at
            if way == BACKWARDS:
                place = size - 1 - at
            elif way == GATHERED:
                row = at % width
                place = row * (size // width) + min(row, size % width) + at // width
            elif way == FENCE:
                place = _place_in_fence(at, size, width)
            elif way == OUTSIDE_IN:
                place = at // 2 if at % 2 == 0 else size - 1 - at // 2
            elif way == HALVES:
                place = (at + size // 2) % size
            order[at] = start + place


@kernel(allocates=False, nogil=True)
def _read_rows(order: Order, start: int, size: int, way: int, width: int) -> None:
    at = 0
    for row in range(width):
        for place in range(row if way == DEALT else width - 1 - row, size, width):
            if at == order.size:
                return
            order[at] = start + place
            at += 1


@kernel(allocates=False, nogil=True)
def _place_in_fence(at: int, size: int, width: int) -> int:
    """Where the character that is read at `at` stands: behind all rows before its own, and what is before it there."""
    period = 2 * width - 2
    turn = at % period
    row = min(turn, period - turn)
    place = at // period * (1 if row in (0, width - 1) else 2) + (turn > width - 1)
    for before in range(row):
        place += (size - before + period - 1) // period if before < size else 0
        if before and period - before < size:
            place += (size - (period - before) + period - 1) // period
    return place


@kernel(nogil=True)
def read_pattern(places: Order, bounds: Bounds, pattern: Order, period: int, phase: int) -> Order:
    """The order of a text in which `period` characters at a time were mixed, or some of them put in.

    places: places of the characters that were counted, -1 for what is counted and not read. bounds: where counting
    begins anew. pattern: which of each `period` are read, in order. phase: how many stand before the first of these.
    """
    order, size = np.empty(places.size, np.int32), 0
    is_read = np.zeros(period, np.bool_)
    for one in pattern:
        is_read[one] = True
    for unit in range(bounds.size - 1):
        first, end = bounds[unit], bounds[unit + 1]
        whole = first + phase + max(end - first - phase, 0) // period * period
        for place in range(first, min(first + phase, end)):
            size = _put(order, size, places[place])
        for start in range(first + phase, whole, period):
            for one in pattern:
                size = _put(order, size, places[start + one])
        for place in range(whole, end):  # what is left of the last is as it was, but for what was put in
            if is_read[place - whole]:
                size = _put(order, size, places[place])
    return order[:size]


@kernel(allocates=False, nogil=True)
def _put(order: Order, size: int, place: int) -> int:
    order[size] = place
    return size + (place >= 0)


@kernel(nogil=True)
def near_gains(characters: Characters, places: Order, bounds: Bounds, max_period: int, table: Packed) -> Gains:
    """int16[places, 3 * max_period]: gain of each place before each from `max_period` before it, 0 where no pair is.

    Both lie in one unit. See `read_pattern` for places and bounds.
    """
    gains = np.zeros((places.size, 3 * max_period), np.int16)
    for unit in range(bounds.size - 1):
        start, end = bounds[unit], bounds[unit + 1]
        for first in range(start, end):
            if places[first] >= 0:
                for second in range(max(start, first - max_period), min(end, first + 2 * max_period)):
                    if places[second] >= 0:
                        level = level_of(characters[places[first]], characters[places[second]], table)
                        gains[first, second - first + max_period] = 100 * level - CHANCE_PERCENT
    return gains


@kernel(allocates=False, nogil=True)
def add_phases(sums: NDArray[np.int32], gains: Gains, bounds: Bounds, period: int) -> None:
    """Add up `near_gains` by the phase of the first of a pair, int32[period, 3 * period] from -period."""
    skipped = gains.shape[1] // 3 - period
    sums[:period] = 0
    for unit in range(bounds.size - 1):
        phase = 0
        for first in range(bounds[unit], bounds[unit + 1]):
            for distance in range(3 * period):
                sums[phase, distance] += gains[first, skipped + distance]
            phase = phase + 1 if phase < period - 1 else 0


@kernel(nogil=True)
def find_best_pattern(  # noqa: PLR0917 - numba compiles no records
    characters: Characters,
    places: Order,
    bounds: Bounds,
    patterns: Order,
    starts: Order,
    periods: Order,
    table: Packed,
) -> tuple[int, int, int]:
    """The pattern with the highest gain, the phase of its first character, and the gain; -1 where the text has more.

    patterns: all of them, one behind the other; starts: int32[p + 1]; periods: int32[p], increasing.
    """
    max_period = as_int(periods[-1])
    gains = near_gains(characters, places, bounds, max_period, table)
    best, best_phase, most = -1, 0, max(as_int(np.sum(gains[:, max_period + 1])), 0)
    period, sums = 0, np.empty((max_period, 3 * max_period), np.int32)
    for number in range(periods.size):
        if periods[number] != period:
            period = as_int(periods[number])
            add_phases(sums, gains, bounds, period)
        pattern = patterns[starts[number] : starts[number + 1]]
        for phase in range(period):
            gain = 0
            for at in range(pattern.size):
                first = as_int(pattern[at])
                second = pattern[at + 1] if at + 1 < pattern.size else pattern[0] + period
                place = phase + first
                gain += sums[place if place < period else place - period, second - first + period]
            if gain > most:
                best, best_phase, most = number, phase, gain
    return best, best_phase, most


@kernel(nogil=True)
def take_places(places: Order, order: Order) -> Order:
    """The places that an order of them names, but for -1."""
    taken = np.empty(order.size, np.int32)
    size = 0
    for one in order:
        if places[one] >= 0:
            taken[size] = places[one]
            size += 1
    return taken[:size]


@kernel(nogil=True)
def look_closer(
    codes: NDArray[np.uint32], offsets: NDArray[np.int32], folding: NDArray[np.uint32], table: Packed
) -> tuple[float, float, float]:
    """How unevenly pairs are Chinese: by places in a period, and by parts of the text.

    First: of all periods of 2 to MAX_UNEVEN_PERIOD and all ways to count (signs, signs of a line, Chinese
    characters), by how many deviations one place differs most from the mean. Second: the share of SHORT_TOKENS in
    a row whose mean level is below MIN_SHORT. Third: of those in a row that are better Chinese read backwards.
    """
    seen = np.zeros((COUNTINGS, ALL_CYCLES), np.int64)  # pairs above PAIR_BITS, their levels below
    signs = signs_of_8 = signs_of_9 = line = line_of_8 = line_of_9 = han = 0
    total, squares, pairs, short, lows, ahead, turned = 0, 0, 0, 0, 0, 0, 0
    before, last = as_int(folding[codes[offsets[0]]]), as_int(offsets[0])
    for place in range(1, offsets.size):
        offset = as_int(offsets[place])
        step, in_line = offset - last, offset - last
        for between in range(last + 1, offset):
            if codes[between] == LINE_END:
                line, line_of_8, line_of_9, in_line = 0, 0, 0, offset - between
        last = offset
        code = as_int(folding[codes[last]])
        signs, signs_of_8 = _ahead(signs, step, CYCLE), _ahead(signs_of_8, step, CYCLE_OF_8)
        line, line_of_8 = _ahead(line, in_line, CYCLE), _ahead(line_of_8, in_line, CYCLE_OF_8)
        han = _ahead(han, code >= FIRST_HAN, CYCLE)  # for periods of 7 to 9 not counted by themselves
        signs_of_9, line_of_9 = _ahead(signs_of_9, step, CYCLE_OF_9), _ahead(line_of_9, in_line, CYCLE_OF_9)
        level = level_of(before, code, table)
        ahead += level - level_of(code, before, table)
        before = code
        total += level
        squares += level * level
        one = level + (1 << PAIR_BITS)
        seen[SIGNS, signs] += one
        seen[SIGNS, SECOND + signs_of_8] += one
        seen[SIGNS, THIRD + signs_of_9] += one
        seen[IN_LINE, line] += one
        seen[IN_LINE, SECOND + line_of_8] += one
        seen[IN_LINE, THIRD + line_of_9] += one
        seen[HAN, han] += one
        pairs += 1
        short += level
        if pairs % SHORT_TOKENS == 0:
            lows += short < MIN_SHORT * SHORT_TOKENS
            turned += ahead < 0
            short, ahead = 0, 0
    if pairs < SHORT_TOKENS:
        return 0.0, 0.0, 0.0
    mean = total / pairs
    deviation = np.sqrt(max(squares / pairs - mean * mean, 0.01))
    rows = pairs // SHORT_TOKENS
    return _most_uneven(seen, mean) / deviation, lows / rows, turned / rows


@kernel(allocates=False, nogil=True)
def _ahead(place: int, step: int, cycle: int) -> int:
    place += step
    while place >= cycle:  # a remainder costs more than all the rest; most steps are of one or two
        place -= cycle
    return place


@kernel(allocates=False, nogil=True)
def _most_uneven(seen: NDArray[np.int64], mean: float) -> float:
    """How far the mean of any place in any period is from that of all, times the root of how many pairs it is of."""
    most = 0.0
    for counting in range(COUNTINGS):
        for period in range(2, MAX_UNEVEN_PERIOD + 1):
            for phase in range(period):
                place, end = phase, CYCLE
                if period == CYCLE_OF_9:
                    place, end = THIRD + phase, ALL_CYCLES
                elif CYCLE % period:
                    place, end = SECOND + phase, THIRD
                both = np.int64(0)
                while place < end:
                    both += seen[counting, place]
                    place += period
                pairs = both >> PAIR_BITS
                if pairs > 0:
                    off = (both & ((1 << PAIR_BITS) - 1)) - mean * pairs
                    most = max(most, off * off / pairs)
    return float(np.sqrt(most))


@kernel(nogil=True)
def way_gains(  # noqa: PLR0917 - numba compiles no records
    characters: Characters, places: Order, bounds: Bounds, ways: Order, most_read: int, table: Packed
) -> NDArray[np.int64]:
    """int64[w, 3, 2]: the gain of each way, by parity, as it is read and from the end.

    ways: int32[w, 2], with widths; see `read_units`. Of each unit the first `most_read` that are read count.
    """
    order, gains = np.empty(most_read, np.int32), np.zeros((ways.shape[0], EVEN + 1, 2), np.int64)
    kept = np.zeros(2, np.int64)  # of every other unit as it is
    for unit in range(bounds.size - 1):
        kept[unit % 2] += _unit_gains(order, characters, places, bounds[unit], bounds[unit + 1], KEPT, 1, table)[0]
    for number in range(ways.shape[0]):
        way, width = as_int(ways[number, 0]), as_int(ways[number, 1])
        for unit in range(bounds.size - 1):
            ahead, back = _unit_gains(order, characters, places, bounds[unit], bounds[unit + 1], way, width, table)
            gains[number, ODD + unit % 2, 0] += ahead
            gains[number, ODD + unit % 2, 1] += back
        gains[number, ALL] = gains[number, ODD] + gains[number, EVEN]
        gains[number, ODD] += kept[1]
        gains[number, EVEN] += kept[0]
    return gains


@kernel(allocates=False, nogil=True)
def _unit_gains(  # noqa: PLR0917 - numba compiles no records
    order: Order, characters: Characters, places: Order, start: int, end: int, way: int, width: int, table: Packed
) -> tuple[int, int]:
    """Gains of the pairs within a unit that is read in this way, and of the same pairs the other way round."""
    size = end - start
    read = order[: min(size, order.size)]
    read_unit(read, start, size, way, width)
    ahead, back, before = 0, 0, -1
    for one in read:
        place = places[one]
        if place >= 0:
            code = as_int(characters[place])
            if before >= 0:
                ahead += 100 * level_of(before, code, table) - CHANCE_PERCENT
                back += 100 * level_of(code, before, table) - CHANCE_PERCENT
            before = code
    return ahead, back


@kernel(allocates=False, nogil=True)
def step_gains(characters: Characters, cells: NDArray[np.int64], step: int, table: Packed) -> tuple[int, int]:
    """Gains of all pairs of characters whose cells are so far apart, and of the same pairs the other way round.

    cells: int64[n], increasing.
    """
    ahead, back, second = 0, 0, 0
    for first in range(cells.size):
        while second < cells.size and cells[second] < cells[first] + step:
            second += 1
        if second == cells.size:
            break
        if cells[second] == cells[first] + step:
            one, other = as_int(characters[first]), as_int(characters[second])
            ahead += 100 * level_of(one, other, table) - CHANCE_PERCENT
            back += 100 * level_of(other, one, table) - CHANCE_PERCENT
    return ahead, back


@kernel(nogil=True)
def lag_gains(characters: Characters, places: Order, size: int, max_lag: int, table: Packed) -> NDArray[np.int64]:
    """int64[max_lag + 1]: gains of all pairs that stand so far apart among the first `size` places."""
    gains = np.zeros(max_lag + 1, np.int64)
    for first in range(size):
        if places[first] < 0:
            continue
        for lag in range(2, min(max_lag, places.size - 1 - first) + 1):
            second = places[first + lag]
            if second >= 0:
                level = level_of(characters[places[first]], characters[second], table)
                gains[lag] += 100 * level - CHANCE_PERCENT
    return gains


@kernel(nogil=True)
def with_uncounted(places: Order, order: Order, size: int) -> Order:
    """An order of all `size` tokens: those that no place counts stay behind the token that they stand behind."""
    is_counted = np.zeros(size, np.bool_)
    counted = 0
    for place in places:
        if place >= 0:
            is_counted[place] = True
            counted += 1
    if counted == size:
        return order
    whole = np.empty(order.size + size - counted, np.int32)
    at, head = 0, 0
    while head < size and not is_counted[head]:
        whole[at] = head
        at, head = at + 1, head + 1
    for one in order:
        whole[at] = one
        at, behind = at + 1, one + 1
        while behind < size and not is_counted[behind]:
            whole[at] = behind
            at, behind = at + 1, behind + 1
    return whole[:at]
