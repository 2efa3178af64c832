"""The reference works as n-grams. Tells which of them share wording with a text, by two simple and strict rules.

A text shares wording with a work if both have a run of RUN_CHARS characters, or if DENSE_GRAMS different 5-grams of
the text occur within DENSE_CHARS characters of the work. All counts are of Han characters in simplified form.
"""

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.stream import find_runs
from laboratory.cases.grams import folded, gram_hashes

RUN_CHARS = 20
GRAM_CHARS = 5
DENSE_GRAMS = 8
DENSE_CHARS = 100


class Shelf:
    """The works, numbered in the order given. Takes about 40 bytes for each character."""

    def __init__(self, texts: Sequence[str]) -> None:
        parts = [folded(text) for text in texts]
        self._offsets = [offsets for _, offsets in parts]
        self._starts = np.concatenate([[0], np.cumsum([codes.size for codes, _ in parts])]).astype(np.int64)
        self._grams = _Postings([codes for codes, _ in parts], GRAM_CHARS)
        self._runs = _Postings([codes for codes, _ in parts], RUN_CHARS)

    def has_common_run(self, text: str) -> bool:
        """Return True if any work has a run of RUN_CHARS characters in common with the text."""
        codes, _ = folded(text)
        return bool(self._runs.hits(gram_hashes(codes, RUN_CHARS))[0].size)

    def sharing(self, text: str) -> frozenset[int]:
        """Return the works that share wording with the text."""
        return self._sharing(text, 0, 0)

    def elsewhere(self, work: int, start: int, end: int, text: str) -> frozenset[int]:
        """Return the works that share wording with a passage of a work elsewhere than at the place of the passage.

        start, end: offsets of the passage in the text of the work; text: the passage. The work itself is included if
        it contains the passage twice.
        """
        own = self._starts[work] + np.searchsorted(self._offsets[work], [start, end])
        return self._sharing(text, int(own[0]), int(own[1]))

    def contained(self, text: str, work: int) -> float:
        """Return the share of the text's distinct 5-grams that occur in the work, 0 to 1; 0 for a text without any."""
        codes, _ = folded(text)
        hashes = np.unique(gram_hashes(codes, GRAM_CHARS))
        positions, grams = self._grams.hits(hashes)
        is_inside = (positions >= self._starts[work]) & (positions < self._starts[work + 1])
        return np.unique(grams[is_inside]).size / hashes.size if hashes.size else 0.0

    def common_runs(self, text: str, least_works: int, least_chars: int, most_chars: int) -> list[TextRange]:
        """Return the ranges of phrases in the text, all of whose 5-grams occur in at least `least_works` works."""
        codes, offsets = folded(text)
        kinds, places = np.unique(gram_hashes(codes, GRAM_CHARS), return_inverse=True)
        positions, grams = self._grams.hits(kinds)
        works = np.searchsorted(self._starts, positions, side="right")
        pairs = np.unique(grams * (self._starts.size + 1) + works)
        counts = np.bincount(pairs // (self._starts.size + 1), minlength=kinds.size)
        starts, ends = find_runs(counts[places] >= least_works)
        chars = ends - starts + GRAM_CHARS - 1
        fits = (chars >= least_chars) & (chars <= most_chars)
        lasts = ends[fits] + GRAM_CHARS - 2
        return [
            TextRange(int(start), int(end) + 1)
            for start, end in zip(offsets[starts[fits]], offsets[lasts], strict=True)
        ]

    def _sharing(self, text: str, own_start: int, own_end: int) -> frozenset[int]:
        codes, _ = folded(text)
        works: set[int] = set()
        for postings, least in ((self._runs, 1), (self._grams, DENSE_GRAMS)):
            positions, grams = postings.hits(gram_hashes(codes, postings.size))
            is_other = (positions + postings.size <= own_start) | (positions >= own_end)
            positions, grams = positions[is_other], grams[is_other]
            order = np.argsort(positions, kind="stable")
            reach = DENSE_CHARS - postings.size if least > 1 else 0
            dense = _dense(positions[order], grams[order], self._starts, reach, least)
            works.update(np.flatnonzero(dense).tolist())
        return frozenset(works)


class _Postings:
    """The offsets of all n-grams in the concatenated works; no n-gram crosses the end of a work."""

    def __init__(self, works: Sequence[NDArray[np.uint32]], size: int) -> None:
        self.size = size
        starts = np.concatenate([[0], np.cumsum([codes.size for codes in works])])
        hashes = np.concatenate([np.zeros(0, np.uint64), *(gram_hashes(codes, size) for codes in works)])
        places = [np.arange(max(0, codes.size - size + 1)) + start for codes, start in zip(works, starts, strict=False)]
        order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[order]
        self._positions = np.concatenate([np.zeros(0, np.int64), *places])[order].astype(np.int32)

    def hits(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return int64[h], the positions of all occurrences, and int64[h], the number of the n-gram of each."""
        kinds = np.unique(hashes)
        firsts = np.searchsorted(self._hashes, kinds, side="left")
        counts = np.searchsorted(self._hashes, kinds, side="right") - firsts
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        positions = self._positions[np.repeat(firsts, counts) + within].astype(np.int64)
        return positions, np.repeat(np.arange(kinds.size), counts)


@numba.njit(cache=True)
def _dense(
    positions: NDArray[np.int64], grams: NDArray[np.int64], starts: NDArray[np.int64], reach: int, least: int
) -> NDArray[np.bool_]:
    """Return bool[works]: True if `least` different grams begin within `reach` of each other in the work.

    positions: int64[h], increasing; grams: int64[h], 0 and up; starts: int64[works + 1].
    """
    found = np.zeros(starts.size - 1, np.bool_)
    if positions.size == 0:
        return found
    counts = np.zeros(grams.max() + 1, np.int32)
    different, first, work = 0, 0, 0
    for last in range(positions.size):
        while positions[last] >= starts[work + 1]:
            work += 1
        gram = grams[last]
        different += counts[gram] == 0
        counts[gram] += 1
        limit = max(positions[last] - reach, starts[work])
        while positions[first] < limit:
            counts[grams[first]] -= 1
            different -= counts[grams[first]] == 0
            first += 1
        if different >= least:
            found[work] = True
    return found
