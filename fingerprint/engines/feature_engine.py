"""Engines whose chapters are sets of features: the number of shared features decides whether texts are alike."""

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.engines.chapters import ChapterEngine
from fingerprint.engines.engine import EngineMatch

MAX_BUCKET_BITS = 24  # 128 MiB of bucket starts


class FeatureIndex:
    """Sets of features, one per chapter, numbered from 0, in a sorted table that is rebuilt after additions."""

    def __init__(self) -> None:
        self._pending: list[NDArray[np.uint64]] = []
        self._sizes: list[int] = []
        self._keys = np.zeros(0, np.uint64)
        self._chapters = np.zeros(0, np.int32)
        self._buckets = np.zeros(2, np.int64)
        self._shift = np.uint64(63)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of features in each chapter, int64[chapters]."""
        return np.array(self._sizes, np.int64)

    def add_features(self, features: NDArray[np.uint64]) -> None:
        """Add the next chapter.

        features: distinct, with well mixed bits.
        """
        self._pending.append(features)
        self._sizes.append(features.size)

    def count_shared(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the chapters int64[c], increasing, that share features with a page, and the number shared, int64[c].

        features: the distinct features of the page.
        """
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


class FeatureEngine(ChapterEngine):
    """Finds the chapters that `_alike` accepts; chapters without features are never found."""

    def __init__(self, chapter_chars: int) -> None:
        super().__init__(chapter_chars)
        self._index = FeatureIndex()

    def _add_chapter(self, work_id: str, text: str) -> None:
        features = self._extract_features(text)
        if features.size:
            self._owners.add_chapter(work_id)
            self._index.add_features(features)

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        features = self._extract_features(text)
        chapters, shared = self._index.count_shared(features)
        similarities, is_alike = self._alike(shared, features.size, self._index.sizes[chapters])
        return self._owners.works(zip(chapters[is_alike].tolist(), similarities[is_alike].tolist(), strict=True))

    @abstractmethod
    def _extract_features(self, text: str) -> NDArray[np.uint64]:
        """Return the distinct features of a text."""

    @abstractmethod
    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the similarity of page and chapter, float64[n], and whether it is sufficient, bool[n]."""
