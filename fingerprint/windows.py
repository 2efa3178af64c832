"""The frequency fingerprint: how often each initial occurs in windows of the stream, against ordinary Chinese.

Source: "How can plagiarism be judged automatically" (Daguan Data, InfoQ China, 2016-08-18).
"""

import math

import numpy as np
from numpy.typing import NDArray

from fingerprint.letters import LETTERS, letter_number
from fingerprint.rules import WindowRule

BITS_PER_BYTE = 8
WORD_BYTES = 8
WINDOWS_PER_SLAB = 1 << 16  # bounds the memory of one step, whatever the length of the text


def window_count(tokens: int, rule: WindowRule) -> int:
    """How many windows fit; what is left over at the end belongs to none."""
    return max(0, (tokens - rule.granularity) // rule.step + 1)


def letter_counts(letters: NDArray[np.uint8], granularity: int, step: int) -> NDArray[np.uint16]:
    """uint16[windows, LETTERS]: how often each letter occurs in each window; every row sums to `granularity`."""
    windows = max(0, (letters.size - granularity) // step + 1)
    counts = np.empty((windows, LETTERS), np.uint16)
    for first in range(0, windows, WINDOWS_PER_SLAB):
        last = min(first + WINDOWS_PER_SLAB, windows)
        slab = letters[first * step : (last - 1) * step + granularity]
        counts[first:last] = _slab_counts(slab, granularity, step)
    return counts


def _slab_counts(letters: NDArray[np.uint8], granularity: int, step: int) -> NDArray[np.int64]:
    """Counts of blocks that both window and step are made of, summed over each window."""
    block = math.gcd(granularity, step)
    blocks = letters.size // block
    cells = np.repeat(np.arange(blocks) * LETTERS, block) + letters[: blocks * block]
    running = np.zeros((blocks + 1, LETTERS), np.int64)
    np.cumsum(np.bincount(cells, minlength=blocks * LETTERS).reshape(blocks, LETTERS), axis=0, out=running[1:])
    starts = np.arange(0, blocks - granularity // block + 1, step // block)
    return running[starts + granularity // block] - running[starts]


def digits(counts: NDArray[np.uint16], rule: WindowRule) -> NDArray[np.uint8]:
    """uint8[windows, len(rule.letters)]: what exceeds the reference, rounded up, cut to [0, rule.max_digit].

    The source says "normalise to a closed range" and shows no formula: with [0, 1] a digit says whether the letter is
    more frequent than in ordinary text, with a wider range by how many occurrences.
    """
    columns = [letter_number(letter) for letter in rule.letters]
    expected = np.array(rule.reference_permille, np.float64) * rule.granularity / 1000
    excess = np.ceil(counts[:, columns] - expected)
    return np.clip(excess, 0, rule.max_digit).astype(np.uint8)


def pack_digits(values: NDArray[np.uint8], rule: WindowRule) -> NDArray[np.uint8]:
    """uint8[windows, bytes]: the digits of each row as one big-endian number in base max_digit + 1.

    20 digits need 3 bytes for [0,1], 5 for [0,3], 8 for [0,7] and 9 for [0,9] (the source says 8: 10^20 > 2^64).
    """
    width = bytes_per_window(rule)
    if width > WORD_BYTES:
        return _pack_wide(values, rule.max_digit + 1, width)
    places = np.arange(len(rule.letters))[::-1].astype(np.uint64)
    numbers = values.astype(np.uint64) @ (np.uint64(rule.max_digit + 1) ** places)
    return numbers.astype(">u8").view(np.uint8).reshape(-1, WORD_BYTES)[:, WORD_BYTES - width :].copy()


def _pack_wide(values: NDArray[np.uint8], base: int, width: int) -> NDArray[np.uint8]:
    number = np.zeros((values.shape[0], width), np.uint32)
    for digit in values.T:
        number *= np.uint32(base)
        number[:, -1] += digit
        for place in range(width - 1, 0, -1):
            number[:, place - 1] += number[:, place] >> BITS_PER_BYTE
            number[:, place] &= 0xFF
    return number.astype(np.uint8)


def bytes_per_window(rule: WindowRule) -> int:
    """Bytes that the largest number of a rule needs."""
    largest: int = (rule.max_digit + 1) ** len(rule.letters) - 1
    return -(-largest.bit_length() // BITS_PER_BYTE)


def window_fingerprints(letters: NDArray[np.uint8], rule: WindowRule) -> NDArray[np.uint8]:
    """uint8[windows, bytes]: the fingerprint of each window, in order of the stream."""
    return pack_digits(digits(letter_counts(letters, rule.granularity, rule.step), rule), rule)
