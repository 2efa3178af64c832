"""Where in which work each feature stands."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprint.engines.feature_index import bucket_starts

# What bounds time and memory of a page where page and work repeat one passage all over: hits for a page of any length,
# and hits for each of its features. A page that copies from a few editions of one work stays far below.
HITS_OF_ANY_PAGE, HITS_OF_A_FEATURE = 1_000_000, 16


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Equal features: places int64[h] in the page, works int32[h], work_places int64[h]; by place of the page."""

    places: NDArray[np.int64]
    works: NDArray[np.int32]
    work_places: NDArray[np.int64]


class PositionIndex:
    """Features of works with their places, in a sorted table that is made anew after additions."""

    def __init__(self) -> None:
        self._pending: list[tuple[int, NDArray[np.uint64], NDArray[np.int32]]] = []
        self._keys = np.zeros(0, np.uint64)
        self._works, self._places = np.zeros(0, np.int32), np.zeros(0, np.int32)
        self._buckets, self._shift = bucket_starts(self._keys)

    def add(self, work: int, features: NDArray[np.uint64], places: NDArray[np.int32]) -> None:
        """The features of a work, well mixed."""
        self._pending.append((work, features, places))

    def hits(self, features: NDArray[np.uint64], places: NDArray[np.int32]) -> Hits:
        """Every pair of equal features of a page and of works; only the first ones where there are very many."""
        if self._pending:
            self._build()
        max_hits = HITS_OF_ANY_PAGE + HITS_OF_A_FEATURE * features.size
        queries, entries = _looked_up(features, self._keys, self._buckets, self._shift, max_hits)
        return Hits(places[queries].astype(np.int64), self._works[entries], self._places[entries].astype(np.int64))

    def _build(self) -> None:
        works, features, places = zip(*self._pending, strict=True)
        self._pending = []
        numbers = np.repeat(np.array(works, np.int32), [each.size for each in features])
        keys = np.concatenate([self._keys, *features])
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._works = np.concatenate([self._works, numbers])[order]
        self._places = np.concatenate([self._places, *places])[order]
        self._buckets, self._shift = bucket_starts(self._keys)


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _looked_up(
    features: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    buckets: NDArray[np.int64],
    shift: np.uint64,
    max_hits: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each hit the number of the feature and that of the entry."""
    firsts, lasts = np.empty(features.size, np.int64), np.empty(features.size, np.int64)
    found = 0
    for query in range(features.size):
        bucket = np.int64(features[query] >> shift)
        start, end = buckets[bucket], buckets[bucket + 1]
        firsts[query] = start + np.searchsorted(keys[start:end], features[query])
        lasts[query] = start + np.searchsorted(keys[start:end], features[query], side="right")
        found += lasts[query] - firsts[query]
    size = min(found, max_hits)
    queries, entries = np.empty(size, np.int64), np.empty(size, np.int64)
    found = 0
    for query in range(features.size):
        for entry in range(firsts[query], min(lasts[query], firsts[query] + size - found)):
            queries[found], entries[found] = query, entry
            found += 1
    return queries, entries
