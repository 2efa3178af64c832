"""Seeds, which are looked up in the index: anchors, frequency windows as hashes, or both, depending on the algorithm.

Anchors are hashes of k consecutive tokens, of which winnowing keeps about one in w by content only. Source: Schleimer,
Wilkerson, Aiken, "Winnowing", SIGMOD 2003; parameters measured in docs/decisions/fingerprint-and-index.md.

A frequency window records how often each initial occurs in a number of tokens, compared with ordinary Chinese. Source:
"How can plagiarism be judged automatically" (Daguan Data, InfoQ China, 2016-08-18).

`symbols` is always uint16[65536]: the hashed symbol of each token (fingerprint.alphabets).
tests/support/fingerprint_definition.py has plain definitions of both.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprint.algorithms import Algorithm
from fingerprint.compilation import kernel
from fingerprint.letters import LETTERS, letter_number
from fingerprint.rules import AnchorRule, Seeds, WindowRule
from fingerprint.stream import WILDCARD

NEVER = np.uint64(0xFFFFFFFFFFFFFFFF)  # the hash of tokens that are never chosen
MULTIPLIER = np.uint64(1_048_583)
MIX_1, MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
SHIFT_1, SHIFT_2 = np.uint64(32), np.uint64(29)
BITS_PER_BYTE, WORD_BYTES, WORD_BITS = 8, 8, 64
BLOCK = 1024  # hashes compared at once: their data fits into the nearest cache

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.uint64]
Positions = NDArray[np.int32]
HashesAndPositions = tuple[Numbers, Positions]
Digits = Callable[[NDArray[np.uint16], WindowRule], NDArray[np.uint8]]


def find_seeds(
    tokens: NDArray[np.uint16], windows: tuple[NDArray[np.uint8], ...], algorithm: Algorithm
) -> HashesAndPositions:
    """Return hashes uint64[s] and stream positions int32[s] of the seeds, by position.

    Anchors precede windows at the same position. windows: the frequency fingerprints for each of the algorithm's rules.
    """
    found = []
    if Seeds.ANCHORS in algorithm.seeds:
        found.append(find_anchors(tokens, algorithm.anchors, algorithm.symbols))
    if Seeds.WINDOWS in algorithm.seeds:
        found += [window_seeds(rows, rule) for rows, rule in zip(windows, algorithm.windows, strict=True)]
    if len(found) == 1:
        return found[0]
    hashes, positions = (np.concatenate(column) for column in zip(*found, strict=True))
    order = np.argsort(positions, kind="stable")
    return hashes[order], positions[order]


def window_seeds(windows: NDArray[np.uint8], rule: WindowRule) -> HashesAndPositions:
    """Return hashes of windows and their positions; of consecutive equal windows (a repeated sentence) only the first.

    windows: uint8[w, bytes], one for every `rule.step` tokens. Windows of other rules have other hashes.
    """
    is_new = np.ones(len(windows), np.bool_)
    is_new[1:] = (windows[1:] != windows[:-1]).any(axis=1)
    positions = np.flatnonzero(is_new)
    numbers = window_numbers(windows[positions])
    kind = np.uint64(rule.granularity << 8 | rule.max_digit)
    return mix_hashes(numbers * MULTIPLIER + kind), (positions * rule.step).astype(np.int32)


def window_seeds_at_step(
    tokens: NDArray[np.uint16], rule: WindowRule, initials: NDArray[np.uint8], step: int
) -> HashesAndPositions:
    """Return the window seeds of a stream at another step than the rule's, with the same hashes.

    If works have windows every half granularity and pages at every token, no window of a work is out of phase.
    """
    moved = replace(rule, step=step)
    return window_seeds(windows_of_rule(tokens, moved, initials), moved)


def find_anchors(
    tokens: NDArray[np.uint16], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the hashes uint64[a] and stream positions int32[a], increasing, of the anchors of a stream.

    Whether a position is kept depends only on the 2w - 2 + k tokens around it, so two texts that share a passage keep
    the same positions in it. Runs of tokens with a wildcard are never kept, and of consecutive equal runs (one
    character repeated) only the first is kept.
    """
    return _find_anchors(tokens, symbols, rule.tokens, 2 * rule.one_in - 1)


def fingerprint_windows(tokens: NDArray[np.uint16], algorithm: Algorithm) -> tuple[NDArray[np.uint8], ...]:
    """Return the fingerprints of the windows by each of the algorithm's rules, uint8[windows, bytes] each."""
    return tuple(windows_of_rule(tokens, rule, algorithm.tables.initials) for rule in algorithm.windows)


def window_digits(counts: NDArray[np.uint16], rule: WindowRule) -> NDArray[np.uint8]:
    """Return the excess over the reference, rounded up and clipped to [0, rule.max_digit], uint8[windows, letters].

    The source says "normalise to a closed range" and shows no formula. With [0, 1] a digit shows whether the letter is
    more frequent than in ordinary text, with a wider range by how many occurrences.
    """
    columns = [letter_number(letter) for letter in rule.letters]
    expected = np.array(rule.reference_permille, np.float64) * rule.granularity / 1000
    excess = np.ceil(counts[:, columns] - expected)
    return np.clip(excess, 0, rule.max_digit).astype(np.uint8)


def windows_of_rule(
    tokens: NDArray[np.uint16], rule: WindowRule, initials: NDArray[np.uint8], digits: Digits = window_digits
) -> NDArray[np.uint8]:
    """Return the fingerprint of each window, in order of the stream, uint8[windows, bytes].

    initials: uint8[65536], the initial of every token. digits: the formula for the digits of a window.
    """
    low, high = _letter_parts(rule, digits)
    return _fingerprint_windows(tokens, initials, low, high, rule.granularity, rule.step, bytes_per_window(rule))


def hash_anchors(
    tokens: NDArray[np.uint16], positions: NDArray[np.int32], rule: AnchorRule, symbols: NDArray[np.uint16]
) -> NDArray[np.uint64]:
    """Return the hash of the k tokens from each position on, uint64[len(positions)]."""
    hashed = symbols[tokens].astype(np.uint64)
    hashes = np.zeros(positions.size, np.uint64)
    for shift in range(rule.tokens):
        hashes *= MULTIPLIER
        hashes += hashed[positions + shift]
    return mix_hashes(hashes)


def mix_hashes(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread sums over all 64 bits, in place; different sums stay different."""
    hashes *= MIX_1
    hashes ^= hashes >> SHIFT_1
    hashes *= MIX_2
    hashes ^= hashes >> SHIFT_2
    return hashes


def window_count(tokens: int, rule: WindowRule) -> int:
    """Return the number of windows that fit; remaining tokens at the end belong to no window."""
    return max(0, (tokens - rule.granularity) // rule.step + 1)


def bytes_per_window(rule: WindowRule) -> int:
    """Return the number of bytes for the largest number of a rule."""
    largest: int = (rule.max_digit + 1) ** len(rule.letters) - 1
    return -(-largest.bit_length() // BITS_PER_BYTE)


def window_numbers(windows: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the number of each window modulo 2^64; longer windows are hashed to 64 bits with an odd multiplier."""
    numbers = np.zeros(len(windows), np.uint64)
    for column in windows[:, :-WORD_BYTES].T:
        numbers = (numbers + column) * MULTIPLIER
    words = np.zeros((len(windows), WORD_BYTES), np.uint8)
    low = windows[:, -WORD_BYTES:]
    words[:, WORD_BYTES - low.shape[1] :] = low
    numbers ^= words.view(">u8").reshape(-1)
    return numbers


@cache
def _letter_parts(rule: WindowRule, digits: Digits) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the low and high 64 bits that each letter and count adds to a window's fingerprint."""
    low = np.zeros((LETTERS, rule.granularity + 1), np.uint64)
    high = np.zeros_like(low)
    counts = np.repeat(np.arange(rule.granularity + 1, dtype=np.uint16)[:, None], LETTERS, axis=1)
    for place, (letter, column) in enumerate(zip(reversed(rule.letters), digits(counts, rule).T[::-1], strict=True)):
        numbers = [digit * (rule.max_digit + 1) ** place for digit in column.tolist()]
        low[letter_number(letter)] = [number % (1 << WORD_BITS) for number in numbers]
        high[letter_number(letter)] = [number >> WORD_BITS for number in numbers]
    return low, high


@kernel(nogil=True)
def _find_anchors(tokens: Tokens, symbols: Tokens, length: int, window: int) -> tuple[Numbers, Positions]:
    """Return hashes and positions of the anchors. symbols: uint16[65536], the hashed symbol of each token."""
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
        _hash_runs(tokens[hashed : hashed + fresh + length - 1], length, sums, grams[held : held + fresh])
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
    """Write the sum of the run that begins at first + i to sums[i + 1], and of the previous run to sums[0].

    A run's sum is the previous run's without the oldest token and with the newest; modulo 2^64 this is exact.
    """
    leaving = np.uint64(1)
    for _ in range(length):
        leaving *= MULTIPLIER
    done = 0
    if first == 0:
        whole = np.uint64(0)
        for place in range(length):
            whole = whole * MULTIPLIER + np.uint64(symbols[tokens[place]])
        # The first run has no predecessor: use a sum that differs from its own.
        sums[0], sums[1] = ~whole, whole
        done = 1
    rolled = sums[done]
    for at in range(done, sums.size - 1):
        oldest = np.uint64(symbols[tokens[first + at - 1]])
        newest = np.uint64(symbols[tokens[first + at + length - 1]])
        rolled = rolled * MULTIPLIER + (newest - oldest * leaving)
        sums[at + 1] = rolled


@kernel(allocates=False, nogil=True)
def _hash_runs(tokens: Tokens, length: int, sums: Numbers, grams: Numbers) -> None:
    """Write the hashes of all runs of the tokens; NEVER if a run repeats the previous run or has a wildcard.

    Mixing is a bijection, so equal hashes mean equal sums.
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
    """Find the rightmost smallest hash of every window and its place; return the row of least and places with them.

    Minima over 2, 4, 8 ... hashes and then the rest are computed from one row to the other, so that the loops become
    vectors.
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
def _fingerprint_windows(  # noqa: PLR0917 - numba compiles no records
    tokens: Tokens, letters: NDArray[np.uint8], low: Numbers, high: Numbers, granularity: int, step: int, width: int
) -> NDArray[np.uint8]:
    """Return the number of each window, uint8[windows, width].

    letters: uint8[65536], the initial of each token. low, high: uint64[LETTERS, granularity + 1], the amount that a
    letter with each count adds to the number of 128 bits.
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
