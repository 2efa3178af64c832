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

SEPARATOR = 0  # between the stored texts; no character of a text may have this code
# For a q-gram with more places only the first are used: bounds the work on texts that repeat themselves endlessly.
MAX_PLACES = 64
BUCKET_BITS = 20  # some three stored q-grams in a bucket at 25 M characters and the minimum length of 20
MIX = np.uint64(0x9E3779B97F4A7C15)
MULTIPLIER = np.uint64(1_048_583)
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
        self._texts: list[NDArray[np.uint32]] = []
        self._sorted: _SortedGrams | None = None

    def add_codes(self, codes: NDArray[np.uint32]) -> int:
        """Add a text, and return its number, counted from 0. codes: uint32[n], without SEPARATOR."""
        self._texts.append(codes)
        self._sorted = None
        return len(self._texts) - 1

    def find(self, codes: NDArray[np.uint32]) -> list[CommonSubstring]:
        """Return the matches by text, in order of the page, that begin or end outside earlier matches.

        A stretch of the page inside a match with a text is not searched for again in that text.
        """
        stored = self._sorted_grams()
        if codes.size < self.min_chars or not stored.places.size:
            return []
        found = _find_matches(
            codes, self._q, self.min_chars, stored.buckets, stored.keys, stored.places, stored.stream, stored.starts
        )
        return [CommonSubstring(*row) for row in found.tolist()]

    def longest_lengths(self, codes: NDArray[np.uint32]) -> dict[int, int]:
        """Return the length of the longest common substring for each text that has one of the minimum length."""
        lengths: dict[int, int] = {}
        for match in self.find(codes):
            lengths[match.text] = max(match.chars, lengths.get(match.text, 0))
        return lengths

    def _sorted_grams(self) -> "_SortedGrams":
        if self._sorted is None:
            self._sorted = _sort_grams(self._texts, self._q, self.min_chars - self._q + 1)
        return self._sorted


@dataclass(frozen=True, slots=True, eq=False)
class _SortedGrams:
    """Sorted q-grams.

    stream: all texts, each followed by SEPARATOR; starts: int64[texts + 1]; keys, places: sorted by bucket.
    """

    stream: NDArray[np.uint32]
    starts: NDArray[np.int64]
    buckets: NDArray[np.int64]
    keys: NDArray[np.uint64]
    places: NDArray[np.int64]


def _sort_grams(texts: list[NDArray[np.uint32]], q: int, step: int) -> _SortedGrams:
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([text.size + 1 for text in texts], out=starts[1:])
    stream = np.full(starts[-1], SEPARATOR, np.uint32)
    for start, text in zip(starts, texts, strict=False):
        stream[start : start + text.size] = text
    places = np.arange(0, max(0, stream.size - q + 1), step)
    keys, is_inside = _gram_hashes(stream, places, q)
    places, keys = places[is_inside], keys[is_inside]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    edges = np.arange((1 << BUCKET_BITS) + 1, dtype=np.uint64) << np.uint64(64 - BUCKET_BITS)
    edges[-1] = np.iinfo(np.uint64).max
    buckets = np.searchsorted(keys, edges)
    buckets[-1] = keys.size
    return _SortedGrams(stream, starts, buckets.astype(np.int64), keys, places[order])


@kernel()
def _gram_hash(codes: NDArray[np.uint32], first: int, q: int) -> np.uint64:
    value = np.uint64(0)
    for at in range(first, first + q):
        value = value * MULTIPLIER + np.uint64(codes[at])
    value *= MIX
    return value ^ (value >> np.uint64(32))


@kernel()
def _gram_hashes(
    stream: NDArray[np.uint32], places: NDArray[np.int64], q: int
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Return the hash of the q-gram at each place, and whether it lies inside one text."""
    keys = np.empty(places.size, np.uint64)
    is_inside = np.ones(places.size, np.bool_)
    for number in range(places.size):
        keys[number] = _gram_hash(stream, places[number], q)
        for at in range(places[number], places[number] + q):
            if stream[at] == SEPARATOR:
                is_inside[number] = False
    return keys, is_inside


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
    q: int,
    min_chars: int,
    buckets: NDArray[np.int64],
    keys: NDArray[np.uint64],
    places: NDArray[np.int64],
    stream: NDArray[np.uint32],
    starts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return text, place in the page, place in the text and length of each match, int64[matches, 4]."""
    found = np.empty((16, 4), np.int64)
    count = 0
    covered = np.zeros(starts.size, np.int64)
    for at in range(page.size - q + 1):
        key = _gram_hash(page, at, q)
        bucket = np.int64(key >> np.uint64(64 - BUCKET_BITS))
        first, last = buckets[bucket], buckets[bucket + 1]
        first += np.searchsorted(keys[first:last], key)
        for entry in range(first, min(last, first + MAX_PLACES)):
            if keys[entry] != key:
                break
            text = np.searchsorted(starts, places[entry], side="right") - 1
            if at + q <= covered[text]:
                continue
            left, right = _extend_match(page, stream, at, places[entry])
            if left + right < min_chars:
                continue
            covered[text] = max(covered[text], at + right)
            if count == found.shape[0]:
                found = np.concatenate((found, np.empty_like(found)))
            found[count, 0], found[count, 1] = text, at - left
            found[count, 2], found[count, 3] = places[entry] - left - starts[text], left + right
            count += 1
    return found[:count]
