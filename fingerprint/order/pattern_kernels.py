"""The loops that find in which order each so many characters of a text are read."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.evidence import MAX_PERIOD
from fingerprint.order.followers import Keys, Table
from fingerprint.order.gains import gain_of
from fingerprint.order.readings import Bounds, Order

Gains = NDArray[np.int16]
Sums = NDArray[np.int32]

MAX_MIXED = 12  # of longer periods only such are looked for of which something says that they are there
# To say which of a hundred sections is turned or moved takes 4.6 natural logarithms. To leave one out costs nothing:
# common characters go with others nearly as often as those of poor prose.
STEP_COST = 500
MAX_STEPS = 24
NEAR_BEFORE, NEAR_BEHIND = 3, 6  # how far apart characters stand of which the gains are compared by phase


@kernel(nogil=True)
def _near_gains(keys: Keys, places: Order, bounds: Bounds, table: Table) -> Gains:
    """int16[places, 3 * MAX_PERIOD]: gain of each place before each from MAX_PERIOD before it, 0 where no pair is.

    Both lie in one unit. places: of the characters that are counted, -1 for what is counted and no token. bounds: where
    counting begins anew.
    """
    gains = np.zeros((as_int(bounds[-1]), 3 * MAX_PERIOD), np.int16)
    for unit in range(bounds.size - 1):
        start, end = bounds[unit], bounds[unit + 1]
        for first in range(start, end):
            if places[first] >= 0:
                for second in range(max(start, first - MAX_PERIOD), min(end, first + 2 * MAX_PERIOD)):
                    if places[second] >= 0:
                        gains[first, second - first + MAX_PERIOD] = gain_of(
                            keys[places[first]], keys[places[second]], table
                        )
    return gains


@kernel(allocates=False, nogil=True)
def _add_phases(sums: Sums, gains: Gains, bounds: Bounds, period: int) -> None:
    """Add up `_near_gains` by the phase of the first of a pair, int32[period, 3 * period] from -period."""
    skipped = MAX_PERIOD - period
    sums[:period] = 0
    for unit in range(bounds.size - 1):
        phase = 0
        for first in range(bounds[unit], bounds[unit + 1]):
            for distance in range(3 * period):
                sums[phase, distance] += gains[first, skipped + distance]
            phase = phase + 1 if phase < period - 1 else 0


@kernel(nogil=True)
def find_patterns(  # noqa: PLR0917 - numba compiles no records
    keys: Keys, places: Order, bounds: Bounds, periods: Order, min_regularity: float, table: Table
) -> Order:
    """int32[periods, 2 + MAX_PERIOD]: the best pattern of each: its phase, how many are read, and which, in order.

    min_regularity: of the periods of which a pattern is looked for; of others none is read.

    From the order as it is, and from the one backwards, a section is turned, left out, or changes places with the next,
    as long as that gains.
    """
    gains = _near_gains(keys, places, bounds, table)
    sums = np.empty((MAX_PERIOD, 3 * MAX_PERIOD), np.int32)
    found = np.zeros((periods.size, 2 + MAX_PERIOD), np.int32)
    for number in range(periods.size):
        period, most = as_int(periods[number]), as_int(-(1 << 40))
        if _regularity(gains, bounds, period) < min_regularity / np.sqrt(period):
            continue
        _add_phases(sums, gains, bounds, period)
        for phase in range(period):
            for step in (1, -1):
                pattern = np.arange(period).astype(np.int32)[::step].copy()
                pattern, gained = _improve(sums, pattern, period, phase)
                gained -= STEP_COST if step < 0 else 0
                if gained > most:
                    most = gained
                    found[number, 0], found[number, 1] = phase, pattern.size
                    found[number, 2 : 2 + pattern.size] = pattern
    return found


@kernel(nogil=True)
def _regularity(gains: Gains, bounds: Bounds, period: int) -> float:
    """How much more gains of near pairs differ by phase than by chance: 0 by 4.2 divided by the root of the period."""
    found, sums = 0.0, np.empty(period, np.int64)
    for distance in range(MAX_PERIOD - NEAR_BEFORE, MAX_PERIOD + NEAR_BEHIND + 1):
        of_all, squares, pairs = 0, 0, 0
        for first in range(gains.shape[0]):
            gain = as_int(gains[first, distance])
            of_all, squares, pairs = of_all + gain, squares + gain * gain, pairs + (gain != 0)
        if pairs == 0:
            continue
        mean = of_all // pairs
        sums[:] = 0
        for unit in range(bounds.size - 1):
            phase = 0
            for first in range(bounds[unit], bounds[unit + 1]):
                sums[phase] += gains[first, distance] - mean if gains[first, distance] else 0
                phase = phase + 1 if phase < period - 1 else 0
        found += np.sum(sums * sums) / max(squares - pairs * mean * mean, 1) - 1
    return found


@kernel(nogil=True)
def _improve(sums: Sums, pattern: Order, period: int, phase: int) -> tuple[Order, int]:
    """What a pattern becomes by changes that gain more than they cost, and what it then gains."""
    ahead, back = np.zeros(period, np.int64), np.zeros(period, np.int64)
    _sum_up(ahead, back, sums, pattern, period, phase)
    gained = _gain_changed(sums, pattern, ahead, back, period, phase, 0, 0, pattern.size)
    for _ in range(MAX_STEPS):
        most, best_first, best_end, best_last = gained, 0, 0, 0
        for first in range(pattern.size):
            for end in range(first + 1, pattern.size + 1):
                for last in range(first - 1, pattern.size + 1):
                    is_left_out = last == end
                    if first <= last < end or (is_left_out and 2 * (pattern.size - end + first) < period):
                        continue
                    here = _gain_changed(sums, pattern, ahead, back, period, phase, first, end, last)
                    here -= 0 if is_left_out else STEP_COST
                    if here > most:
                        most, best_first, best_end, best_last = here, first, end, last
        if most == gained:
            break
        pattern, gained = _changed(pattern, best_first, best_end, best_last), most
        _sum_up(ahead, back, sums, pattern, period, phase)
    return pattern, gained


@kernel(allocates=False, nogil=True)
def _sum_up(  # noqa: PLR0917 - numba compiles no records
    ahead: NDArray[np.int64], back: NDArray[np.int64], sums: Sums, pattern: Order, period: int, phase: int
) -> None:
    """Note what a pattern gains up to each place, read as it is and backwards."""
    for at in range(1, pattern.size):
        ahead[at] = ahead[at - 1] + _gain(sums, pattern[at - 1], pattern[at], period, phase)
        back[at] = back[at - 1] + _gain(sums, pattern[at], pattern[at - 1], period, phase)


@kernel(allocates=False, nogil=True)
def _gain(sums: Sums, one: int, other: int, period: int, phase: int) -> int:
    """What it gains to read one place before another."""
    place = phase + one
    return as_int(sums[place if place < period else place - period, other - one + period])


@kernel(allocates=False, nogil=True)
def _gain_changed(  # noqa: PLR0917 - numba compiles no records
    sums: Sums,
    pattern: Order,
    ahead: NDArray[np.int64],
    back: NDArray[np.int64],
    period: int,
    phase: int,
    first: int,
    end: int,
    last: int,
) -> int:
    """What a pattern gains of which one section is changed.

    It is that from first to end: turned (last < first), left out (last = end), or read behind what comes up to `last`.
    ahead, back: what the pattern gains up to each place, read as it is and backwards.
    """
    gained, before, head = 0, -1, -1
    for number in range(4):
        start, stop, is_turned = 0, first, False
        if number == 1:
            start, stop = end, last
        elif number == 2:
            start, stop, is_turned = first, end if last != end else first, last < first
        elif number == 3:
            start, stop = max(last, end), pattern.size
        if start >= stop:
            continue
        of = back if is_turned else ahead
        gained += of[stop - 1] - of[start]
        lead, tail = (stop - 1, start) if is_turned else (start, stop - 1)
        if before >= 0:
            gained += _gain(sums, pattern[before], pattern[lead], period, phase)
        head, before = lead if head < 0 else head, tail
    return gained + _gain(sums, pattern[before], pattern[head] + period, period, phase)


@kernel(nogil=True)
def _changed(pattern: Order, first: int, end: int, last: int) -> Order:
    """The pattern so changed; see `_gain_changed`."""
    section = pattern[first:end]
    if last < first:
        return np.concatenate((pattern[:first], section[::-1], pattern[end:]))
    if last == end:
        return np.concatenate((pattern[:first], pattern[end:]))
    return np.concatenate((pattern[:first], pattern[end:last], section, pattern[last:]))
