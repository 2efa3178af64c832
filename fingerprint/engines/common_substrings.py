"""Finds all long common substrings of one text and many, like a suffix structure.

A suffix tree or array of 25 M characters would take minutes and gigabytes in Python. This index gives the same result
for substrings of a minimum length L: of the L - q + 1 runs of q characters (q-grams) in any substring of length L, one
begins at an offset of the stored texts that is divisible by L - q + 1. So only those offsets are stored, every q-gram
of the page is looked up, and each hit is extended, character by character, to the longest match around it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.engines.feature_engine import FeatureTable
from fingerprint.engines.tokens import shingle_hashes

SEPARATOR = 0  # between the stored texts; no character of a text may have this code
# For a q-gram with more places only the first are used: bounds the work on texts that repeat themselves endlessly.
MAX_PLACES = 64
Q_SHARE = 0.6  # q for a minimum length: longer q-grams give fewer false hits, shorter ones a smaller index


@dataclass(frozen=True, slots=True)
class CommonSubstring:
    """A maximal match: `chars` characters from `page` in the page's codes and from `start` in those of a text."""

    text: int
    page: int
    start: int
    chars: int


class SubstringIndex:
    """Texts, given as codes, in which common substrings of at least `min_chars` characters are searched for."""

    def __init__(self, min_chars: int) -> None:
        if min_chars < 1:
            raise ValueError("a common substring has at least one character")
        self.min_chars = min_chars
        self._q = max(1, int(min_chars * Q_SHARE))
        self._grams = FeatureTable()  # with the place of each q-gram in `_texts`
        self._texts: list[NDArray[np.uint32]] = []  # each followed by SEPARATOR
        self._starts = [0]

    def add_codes(self, codes: NDArray[np.uint32]) -> int:
        """Add a text, and return its number, counted from 0. codes: uint32[n], without SEPARATOR."""
        start, step = self._starts[-1], self.min_chars - self._q + 1
        first = -start % step
        hashes = shingle_hashes(codes.astype(np.uint64), self._q)[first::step]
        self._grams.add_occurrences(hashes, start + first + step * np.arange(hashes.size))
        self._texts.append(np.append(codes, np.uint32(SEPARATOR)))
        self._starts.append(start + codes.size + 1)
        return len(self._starts) - 2

    def find(self, codes: NDArray[np.uint32]) -> list[CommonSubstring]:
        """Return the matches by text, in order of the page, that begin or end outside earlier matches.

        A stretch of the page inside a match with a text is not searched for again in that text.
        """
        firsts, counts = self._grams.find_rows(shingle_hashes(codes.astype(np.uint64), self._q))
        if not counts.any():
            return []
        if len(self._texts) > 1:
            self._texts = [np.concatenate(self._texts)]
        found = _find_matches(
            codes,
            firsts,
            np.minimum(counts, MAX_PLACES),
            self._grams.values,
            self._texts[0],
            np.array(self._starts),
            self._q,
            self.min_chars,
        )
        return [CommonSubstring(*row) for row in found.tolist()]

    def longest_lengths(self, codes: NDArray[np.uint32]) -> dict[int, int]:
        """Return the length of the longest common substring for each text that has one of the minimum length."""
        lengths: dict[int, int] = {}
        for match in self.find(codes):
            lengths[match.text] = max(match.chars, lengths.get(match.text, 0))
        return lengths


@kernel()
def _extend_match(page: NDArray[np.uint32], stream: NDArray[np.uint32], at: int, place: int) -> tuple[int, int]:
    """Extend the match at two places; return its characters to the left and, from the places on, to the right."""
    left = 0
    while left < at and left < place and page[at - left - 1] == stream[place - left - 1]:
        left += 1
    right = 0
    while at + right < page.size and page[at + right] == stream[place + right]:
        right += 1
    return left, right


@kernel()
def _find_matches(  # noqa: PLR0917 - numba compiles no records
    page: NDArray[np.uint32],
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    places: NDArray[np.int64],
    stream: NDArray[np.uint32],
    starts: NDArray[np.int64],
    q: int,
    min_chars: int,
) -> NDArray[np.int64]:
    """Return text, place in the page, place in the text and length of each match, int64[matches, 4].

    firsts, counts: for each q-gram of the page, its rows in `places`.
    """
    found = np.empty((16, 4), np.int64)
    count = 0
    covered = np.zeros(starts.size, np.int64)
    for at in range(firsts.size):
        for row in range(firsts[at], firsts[at] + counts[at]):
            text = np.searchsorted(starts, places[row], side="right") - 1
            if at + q <= covered[text]:
                continue
            left, right = _extend_match(page, stream, at, places[row])
            if left + right < min_chars:
                continue
            covered[text] = max(covered[text], at + right)
            if count == found.shape[0]:
                found = np.concatenate((found, np.empty_like(found)))
            found[count, 0], found[count, 1] = text, at - left
            found[count, 2], found[count, 3] = places[row] - left - starts[text], left + right
            count += 1
    return found[:count]
