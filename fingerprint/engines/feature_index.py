"""Index of chapters by their features, which counts a page's features in each."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel

MAX_BUCKET_BITS = 24  # 128 MiB of bucket starts


class FeatureIndex:
    """Sets of features, one a chapter, numbered from 0, in a sorted table that is made anew after additions."""

    def __init__(self) -> None:
        self._pending: list[NDArray[np.uint64]] = []
        self._sizes: list[int] = []
        self._keys = np.zeros(0, np.uint64)
        self._chapters = np.zeros(0, np.int32)
        self._buckets = np.zeros(2, np.int64)
        self._shift = np.uint64(63)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64[chapters]: how many features each has."""
        return np.array(self._sizes, np.int64)

    def add_features(self, features: NDArray[np.uint64]) -> None:
        """Add the next chapter. features: each once, well mixed."""
        self._pending.append(features)
        self._sizes.append(features.size)

    def count_shared(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Chapters int64[c], increasing, that share any of a page's features (each once), and how many, int64[c]."""
        if self._pending:
            self._build()
        counts = _count(features, self._keys, self._chapters, self._buckets, self._shift, len(self._sizes))
        chapters = np.flatnonzero(counts)
        return chapters, counts[chapters].astype(np.int64)

    def _build(self) -> None:
        first = len(self._sizes) - len(self._pending)
        numbers = np.repeat(np.arange(first, len(self._sizes), dtype=np.int32), [each.size for each in self._pending])
        keys = np.concatenate([self._keys, *self._pending])
        self._pending = []
        chapters = np.concatenate([self._chapters, numbers])
        order = np.argsort(keys, kind="stable")
        self._keys, self._chapters = keys[order], chapters[order]
        self._buckets, self._shift = bucket_starts(self._keys)


def bucket_starts(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], np.uint64]:
    """Return the starts of the ascending keys by their b leading bits, int64[2^b + 1], and 64 - b."""
    bits = min(MAX_BUCKET_BITS, max(1, int(keys.size).bit_length()))
    shift = np.uint64(64 - bits)
    limits = np.arange(1 << bits, dtype=np.uint64) << shift
    return np.append(np.searchsorted(keys, limits), keys.size).astype(np.int64), shift


@kernel()
def _count(  # noqa: PLR0917 - numba compiles no records
    features: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    chapters: NDArray[np.int32],
    buckets: NDArray[np.int64],
    shift: np.uint64,
    chapter_count: int,
) -> NDArray[np.int32]:
    counts = np.zeros(chapter_count, np.int32)
    for feature in features:
        bucket = np.int64(feature >> shift)
        for place in range(buckets[bucket], buckets[bucket + 1]):
            if keys[place] == feature:
                counts[chapters[place]] += 1
            elif keys[place] > feature:
                break
    return counts
