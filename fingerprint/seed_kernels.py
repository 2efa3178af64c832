"""Anchors and frequency windows compiled: the twins of fingerprint.anchors and fingerprint.windows, bit for bit."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

WILDCARD_TOKEN = 0xFFFF  # fingerprint.normalization.WILDCARD; numba needs constants of this module
# fingerprint.anchors.NEVER, MULTIPLIER, MIX_1, MIX_2, SHIFT_1, SHIFT_2
NEVER, MULTIPLIER = np.uint64(0xFFFFFFFFFFFFFFFF), np.uint64(1_048_583)
MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
SHIFT_1, SHIFT_2 = np.uint64(32), np.uint64(29)
LETTERS = 27  # fingerprint.letters.LETTERS
BITS_PER_BYTE, WORD_BYTES = 8, 8

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.uint64]
Positions = NDArray[np.int32]
RollingState = tuple[np.uint64, np.uint64, int]
BLOCK = 1024  # hashes that are compared at once: what they need stays in the nearest cache


@njit(cache=True, nogil=True)  # type: ignore[misc,unused-ignore]
def anchors(tokens: Tokens, symbols: Tokens, length: int, window: int) -> tuple[Numbers, Positions]:
    """Hashes and positions of the anchors. symbols: uint16[65536], what of a token is hashed."""
    size = tokens.size - length + 1
    if size < window:
        return np.empty(0, np.uint64), np.empty(0, np.int32)
    hashes, positions = np.empty(size, np.uint64), np.empty(size, np.int32)
    room = min(BLOCK, size) + window
    grams, least, places = np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.int64)
    rolled, wild = _rolled(tokens, symbols, length - 1)
    state = (rolled, np.uint64(0), wild)
    count, last, hashed, held = 0, -1, 0, 0
    while hashed < size:
        fresh = min(BLOCK, size - hashed)
        state = _hash_grams(tokens, symbols, length, hashed, grams[held : held + fresh], state)
        hashed += fresh
        held += fresh
        covered = held - window + 1
        if covered > 0:
            _find_minima(grams[:held], window, least, places)
            base = hashed - held
            for at in range(covered):
                place = base + places[at]
                hashes[count], positions[count] = least[at], place
                count += (place != last) & (least[at] != NEVER)
                last = place
            for at in range(window - 1):
                grams[at] = grams[covered + at]
            held = window - 1
    return hashes[:count].copy(), positions[:count].copy()


@njit(cache=True, nogil=True)  # type: ignore[misc,unused-ignore]
def _rolled(tokens: Tokens, symbols: Tokens, size: int) -> tuple[np.uint64, int]:
    """The sum over the first tokens, and where the last wildcard among them stands."""
    rolled, wild = np.uint64(0), -1
    for place in range(size):
        rolled = rolled * MULTIPLIER + np.uint64(symbols[tokens[place]])
        if tokens[place] == WILDCARD_TOKEN:
            wild = place
    return rolled, wild


@njit(cache=True, nogil=True)  # type: ignore[misc,unused-ignore]
def _hash_grams(  # noqa: PLR0917 - numba compiles no records
    tokens: Tokens, symbols: Tokens, length: int, first: int, grams: Numbers, state: RollingState
) -> RollingState:
    """Write the hashes of the runs that begin at `first` and behind; state: sum, sum before it, last wildcard."""
    rolled, before, wild = state
    leaving = np.uint64(1)
    for _ in range(length):
        leaving *= MULTIPLIER
    for at in range(grams.size):
        place = first + at
        newest = tokens[place + length - 1]
        gone = np.uint64(0)
        if place > 0:
            gone = np.uint64(symbols[tokens[place - 1]])
        rolled = rolled * MULTIPLIER + (np.uint64(symbols[newest]) - gone * leaving)
        if newest == WILDCARD_TOKEN:
            wild = place + length - 1
        value = rolled * MIX_1
        value ^= value >> SHIFT_1
        value *= MIX_2
        value ^= value >> SHIFT_2
        # Mixing is a bijection, so that equal sums are equal hashes.
        is_barred = (wild >= place) | ((rolled == before) & (place > 0))
        grams[at] = NEVER if is_barred else value
        before = rolled
    return rolled, before, wild


@njit(cache=True, nogil=True)  # type: ignore[misc,unused-ignore]
def _find_minima(grams: Numbers, window: int, least: Numbers, places: NDArray[np.int64]) -> None:
    """Write the rightmost smallest hash of every window and its place, by minima over 2, 4, 8 ... and then the rest."""
    for at in range(grams.size):
        least[at], places[at] = grams[at], at
    reach, size = 1, grams.size
    while reach < window:
        shift = min(reach, window - reach)
        size -= shift
        for at in range(size):
            is_lower = least[at + shift] <= least[at]
            least[at] = least[at + shift] if is_lower else least[at]
            places[at] = places[at + shift] if is_lower else places[at]
        reach += shift


@njit(cache=True, nogil=True)  # type: ignore[misc,unused-ignore]
def windows(  # noqa: PLR0917 - numba compiles no records
    tokens: Tokens, letters: NDArray[np.uint8], low: Numbers, high: Numbers, granularity: int, step: int, width: int
) -> NDArray[np.uint8]:
    """uint8[windows, width]: the number of each window.

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
