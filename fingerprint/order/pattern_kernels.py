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
# Divided by the root of the period: two deviations. Of every 9 characters backwards it is 18.
MIN_REGULARITY = 8.5


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
def find_patterns(keys: Keys, places: Order, bounds: Bounds, periods: Order, table: Table) -> Order:
    """int32[periods, 2 + MAX_PERIOD]: of each period the best pattern: its phase, how many are read, and which, in order.

    Of a period that nothing speaks for none is read.

    From the order as it is, and from the one backwards, a section is turned, left out, or changes places with the next,
    as long as that gains.
    """
    gains = _near_gains(keys, places, bounds, table)
    sums = np.empty((MAX_PERIOD, 3 * MAX_PERIOD), np.int32)
    found = np.zeros((periods.size, 2 + MAX_PERIOD), np.int32)
    for number in range(periods.size):
        period, most = as_int(periods[number]), as_int(-(1 << 40))
        if _regularity(gains, bounds, period) < MIN_REGULARITY / np.sqrt(period):
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
    """How much more the gains of near pairs differ by phase than by chance: 0 by 4.2 divided by the root of the period."""
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
    gained = _gain_of_pattern(sums, pattern, period, phase)
    tried = np.empty(period, np.int32)
    for _ in range(MAX_STEPS):
        better, most = pattern, gained
        for first in range(pattern.size):
            for end in range(first + 1, pattern.size + 1):
                for last in range(first - 1, pattern.size + 1):
                    if first <= last < end:
                        continue
                    size = _change(tried, pattern, first, end, last)
                    if 2 * size < period:
                        continue
                    cost = STEP_COST if size == pattern.size else 0
                    here = _gain_of_pattern(sums, tried[:size], period, phase) - cost
                    if here > most:
                        better, most = tried[:size].copy(), here
        if most == gained:
            break
        pattern, gained = better, most
    return pattern, gained


@kernel(allocates=False, nogil=True)
def _change(changed: Order, pattern: Order, first: int, end: int, last: int) -> int:
    """Write a pattern of which the section from first to end is turned (last = first - 1), left out (last = end), or
    read behind what comes from there to `last`; how long it is."""
    size = 0
    for place in range(first):
        size = _put(changed, size, pattern[place])
    for place in range(end - 1, first - 1, -1):
        if last < first:
            size = _put(changed, size, pattern[place])
    for place in range(end, last):
        size = _put(changed, size, pattern[place])
    for place in range(first, end):
        if last > end:
            size = _put(changed, size, pattern[place])
    for place in range(max(last, end), pattern.size):
        size = _put(changed, size, pattern[place])
    return size


@kernel(allocates=False, nogil=True)
def _put(changed: Order, size: int, place: int) -> int:
    changed[size] = place
    return size + 1


@kernel(allocates=False, nogil=True)
def _gain_of_pattern(sums: Sums, pattern: Order, period: int, phase: int) -> int:
    gained = 0
    for at in range(pattern.size):
        first = as_int(pattern[at])
        second = as_int(pattern[at + 1]) if at + 1 < pattern.size else as_int(pattern[0]) + period
        place = phase + first
        gained += sums[place if place < period else place - period, second - first + period]
    return gained
