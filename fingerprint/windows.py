"""The frequency fingerprint: how often each initial occurs in windows of the stream, against ordinary Chinese.

Source: "How can plagiarism be judged automatically" (Daguan Data, InfoQ China, 2016-08-18).
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.letters import letter_number
from fingerprint.rules import WindowRule

BITS_PER_BYTE = 8


def window_count(tokens: int, rule: WindowRule) -> int:
    """Return the number of windows that fit; what is left over at the end belongs to none."""
    return max(0, (tokens - rule.granularity) // rule.step + 1)


def digits(counts: NDArray[np.uint16], rule: WindowRule) -> NDArray[np.uint8]:
    """Return the excess over the reference, rounded up, cut to [0, rule.max_digit], uint8[windows, letters].

    The source says "normalise to a closed range" and shows no formula: with [0, 1] a digit says whether the letter is
    more frequent than in ordinary text, with a wider range by how many occurrences.
    """
    columns = [letter_number(letter) for letter in rule.letters]
    expected = np.array(rule.reference_permille, np.float64) * rule.granularity / 1000
    excess = np.ceil(counts[:, columns] - expected)
    return np.clip(excess, 0, rule.max_digit).astype(np.uint8)


def bytes_per_window(rule: WindowRule) -> int:
    """Bytes that the largest number of a rule needs."""
    largest: int = (rule.max_digit + 1) ** len(rule.letters) - 1
    return -(-largest.bit_length() // BITS_PER_BYTE)
