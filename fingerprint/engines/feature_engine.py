"""Engines whose chapters are sets of features: how many a page shares with a chapter says whether they are alike."""

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.chapters import ChapterEngine
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.feature_index import FeatureIndex


class FeatureEngine(ChapterEngine):
    """Chapters that are alike by `_alike`; a chapter without features is none."""

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
        """Return each once."""

    @abstractmethod
    def _alike(
        self, shared: NDArray[np.int64], page_features: int, chapter_features: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the similarity of page and chapter, float64[n], and whether it suffices, bool[n]."""
