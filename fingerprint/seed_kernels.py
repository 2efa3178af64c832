"""Anchors and frequency windows compiled; the tests have their plain definitions."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.anchors import MIX_1, MIX_2, MULTIPLIER, NEVER, SHIFT_1, SHIFT_2
from fingerprint.compilation import kernel
from fingerprint.letters import LETTERS
from fingerprint.stream import WILDCARD

BITS_PER_BYTE, WORD_BYTES = 8, 8

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.uint64]
Positions = NDArray[np.int32]
BLOCK = 1024  # hashes that are compared at once: what they need stays in the nearest cache


@kernel(nogil=True)
def find_anchors(tokens: Tokens, symbols: Tokens, length: int, window: int) -> tuple[Numbers, Positions]:
    """Hashes and positions of the anchors. symbols: uint16[65536], what of a token is hashed."""
    size = tokens.size - length + 1
    if size < window:
        return np.empty(0, np.uint64), np.empty(0, np.int32)
    hashes, positions = np.empty(size, np.uint64), np.empty(size, np.int32)
    room = min(BLOCK, size) + window
    sums, grams = np.empty(room + 1, np.uint64), np.empty(room, np.uint64)
    least, places = np.empty((2, room), np.uint64), np.empty((2, room), np.int64)
    count, last, hashed, held = 0, -1, 0, 0
    while hashed < size:
        fresh = min(BLOCK, size - hashed)
        _add_up(tokens, symbols, length, hashed, sums[: fresh + 1])
        _hash(tokens[hashed : hashed + fresh + length - 1], length, sums, grams[held : held + fresh])
        sums[0] = sums[fresh]
        hashed += fresh
        held += fresh
        covered = held - window + 1
        if covered > 0:
            side = _find_minima(grams[:held], window, least, places)
            base = hashed - held
            for at in range(covered):
                place, value = base + places[side, at], least[side, at]
                hashes[count], positions[count] = value, place
                count += (place != last) & (value != NEVER)
                last = place
            for at in range(window - 1):
                grams[at] = grams[covered + at]
            held = window - 1
    return hashes[:count].copy(), positions[:count].copy()


@kernel(allocates=False, nogil=True)
def _add_up(tokens: Tokens, symbols: Tokens, length: int, first: int, sums: Numbers) -> None:
    """Write the sum of the run that begins at first + i to sums[i + 1]; sums[0] is that of the run before.

    A run's sum is that of the run before it without the oldest token and with the newest; modulo 2^64 this is exact.
    """
    leaving = np.uint64(1)
    for _ in range(length):
        leaving *= MULTIPLIER
    done = 0
    if first == 0:
        whole = np.uint64(0)
        for place in range(length):
            whole = whole * MULTIPLIER + np.uint64(symbols[tokens[place]])
        # No run stands before the first: a sum that is not its own.
        sums[0], sums[1] = ~whole, whole
        done = 1
    rolled = sums[done]
    for at in range(done, sums.size - 1):
        oldest = np.uint64(symbols[tokens[first + at - 1]])
        newest = np.uint64(symbols[tokens[first + at + length - 1]])
        rolled = rolled * MULTIPLIER + (newest - oldest * leaving)
        sums[at + 1] = rolled


@kernel(allocates=False, nogil=True)
def _hash(tokens: Tokens, length: int, sums: Numbers, grams: Numbers) -> None:
    """Write the hashes of all runs of the tokens; NEVER for one that repeats the run before it or has a wildcard.

    Mixing is a bijection, so that equal sums are equal hashes.
    """
    for at in range(grams.size):
        value = sums[at + 1] * MIX_1
        value ^= value >> SHIFT_1
        value *= MIX_2
        value ^= value >> SHIFT_2
        grams[at] = NEVER if sums[at + 1] == sums[at] else value
    wildcards = 0
    for place in range(tokens.size):
        wildcards += tokens[place] == WILDCARD
    if wildcards:
        for place in range(tokens.size):
            if tokens[place] == WILDCARD:
                grams[max(place - length + 1, 0) : place + 1] = NEVER


@kernel(allocates=False, nogil=True)
def _find_minima(grams: Numbers, window: int, least: NDArray[np.uint64], places: NDArray[np.int64]) -> int:
    """Find the rightmost smallest hash of every window and its place; which row of least and places holds them.

    By minima over 2, 4, 8 ... hashes and then the rest, from one row to the other, so that the loops become vectors.
    """
    for at in range(grams.size):
        least[0, at], places[0, at] = grams[at], at
    side, reach, size = 0, 1, grams.size
    while reach < window:
        shift = min(reach, window - reach)
        size -= shift
        _take_lower(least[side], places[side], shift, least[1 - side, :size], places[1 - side])
        side = 1 - side
        reach += shift
    return side


@kernel(allocates=False, nogil=True)
def _take_lower(
    least: Numbers, places: NDArray[np.int64], shift: int, lower: Numbers, lower_places: NDArray[np.int64]
) -> None:
    for at in range(lower.size):
        here, there = least[at], least[at + shift]
        is_lower = there <= here
        lower[at] = there if is_lower else here
        lower_places[at] = places[at + shift] if is_lower else places[at]


@kernel(nogil=True)
def fingerprint_windows(  # noqa: PLR0917 - numba compiles no records
    tokens: Tokens, letters: NDArray[np.uint8], low: Numbers, high: Numbers, granularity: int, step: int, width: int
) -> NDArray[np.uint8]:
    """Return the number of each window, uint8[windows, width].

    letters: uint8[65536], the initial of a token. low, high: uint64[LETTERS, granularity + 1], what a letter that
    occurs so often adds to the number of 128 bits.
    """
    count = max(0, (tokens.size - granularity) // step + 1)
    found = np.empty((count, width), np.uint8)
    occurring = np.zeros(LETTERS, np.int64)
    entered = 0
    for window in range(count):
        start = window * step
        for place in range(max(start - step, 0), start):
            occurring[letters[tokens[place]]] -= 1
        for place in range(entered, start + granularity):
            occurring[letters[tokens[place]]] += 1
        entered = start + granularity
        below, above = np.uint64(0), np.uint64(0)
        for letter in range(LETTERS):
            part = low[letter, occurring[letter]]
            below += part
            above += high[letter, occurring[letter]] + np.uint64(below < part)
        for place in range(width):
            byte = width - 1 - place
            word = below if byte < WORD_BYTES else above
            found[window, place] = (word >> np.uint64(BITS_PER_BYTE * (byte % WORD_BYTES))) & np.uint64(0xFF)
    return found
