"""Where in which work each feature stands."""

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fingerprint.engines.feature_index import bucket_starts

MAX_HITS = 4_000_000  # of one page: what bounds its time and memory where page and work repeat one passage all over


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
        """Every pair of equal features of a page and of works, up to MAX_HITS of them."""
        if self._pending:
            self._build()
        queries, entries = _looked_up(features, self._keys, self._buckets, self._shift, MAX_HITS)
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
    found = 0
    for feature in features:
        bucket = np.int64(feature >> shift)
        for entry in range(buckets[bucket], buckets[bucket + 1]):
            if keys[entry] == feature:
                found += 1
    size = min(found, max_hits)
    queries, entries = np.empty(size, np.int64), np.empty(size, np.int64)
    found = 0
    for query in range(features.size):
        feature = features[query]
        bucket = np.int64(feature >> shift)
        for entry in range(buckets[bucket], buckets[bucket + 1]):
            if found == size:
                break
            if keys[entry] == feature:
                queries[found], entries[found] = query, entry
                found += 1
    return queries, entries
