"""Index of the places of features in works."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.engines.feature_index import bucket_starts

# What bounds time and memory of a page where page and work repeat one passage all over: hits for a page of any length,
# and hits for each of its features. A page that copies from a few editions of one work stays far below.
HITS_OF_ANY_PAGE, HITS_OF_A_FEATURE = 1_000_000, 4


@dataclass(frozen=True, slots=True, eq=False)
class FeatureHits:
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

    def add_features(self, work: int, features: NDArray[np.uint64], places: NDArray[np.int32]) -> None:
        """Mix the bits of a work's features, and add them."""
        self._pending.append((work, features, places))

    def hits(self, features: NDArray[np.uint64], places: NDArray[np.int32]) -> FeatureHits:
        """Return every pair of equal features of a page and of works.

        Where there are very many, the features that occur most often in works are left out until there are not.
        """
        if self._pending:
            self._build()
        firsts, counts = _ranges(features, self._keys, self._buckets, self._shift)
        kept = _rarest(counts, HITS_OF_ANY_PAGE + HITS_OF_A_FEATURE * features.size)
        queries = np.repeat(kept, counts[kept])
        within = np.arange(queries.size) - np.repeat(np.cumsum(counts[kept]) - counts[kept], counts[kept])
        entries = firsts[queries] + within
        return FeatureHits(
            places[queries].astype(np.int64), self._works[entries], self._places[entries].astype(np.int64)
        )

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


def _rarest(counts: NDArray[np.int64], max_total: int) -> NDArray[np.int64]:
    """Return the ascending numbers of the smallest counts that sum up to the limit, int64[n]."""
    if counts.sum() <= max_total:
        return np.flatnonzero(counts)
    order = np.argsort(counts, kind="stable")
    kept: NDArray[np.int64] = np.sort(order[np.cumsum(counts[order]) <= max_total])
    return kept


@kernel()
def _ranges(
    features: NDArray[np.uint64], keys: NDArray[np.uint64], buckets: NDArray[np.int64], shift: np.uint64
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start and the number of the entries of each feature, int64[n] each."""
    firsts, counts = np.empty(features.size, np.int64), np.empty(features.size, np.int64)
    for query in range(features.size):
        bucket = np.int64(features[query] >> shift)
        start, end = buckets[bucket], buckets[bucket + 1]
        first = np.searchsorted(keys[start:end], features[query])
        firsts[query] = start + first
        counts[query] = np.searchsorted(keys[start:end], features[query], side="right") - first
    return firsts, counts
