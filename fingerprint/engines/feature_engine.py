"""Engines that compare chapters as sets of features: the number of shared features decides whether they are similar."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.chapters import ChapterEngine
from fingerprint.engines.engine import EngineMatch


class FeatureTable:
    """A value for each occurrence of a feature, ordered by feature and, for equal features, by addition."""

    def __init__(self) -> None:
        self._features, self.values = np.zeros(0, np.uint64), np.zeros(0, np.int64)
        self._pending: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] = []

    def add_occurrences(self, features: NDArray[np.uint64], values: NDArray[np.int64]) -> None:
        """Add occurrences of features, each with its value."""
        self._pending.append((features, values))

    def find_rows(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first row of `values` for each feature and the number of its rows, int64[n] each."""
        if self._pending:
            pending_features, values = zip(*self._pending, strict=True)
            self._pending = []
            features_of_all = np.concatenate([self._features, *pending_features])
            order = np.argsort(features_of_all, kind="stable")
            self._features = features_of_all[order]
            self.values = np.concatenate([self.values, *values])[order]
        firsts = np.searchsorted(self._features, features)
        return firsts, np.searchsorted(self._features, features, side="right") - firsts


def expand_ranges(
    firsts: NDArray[np.integer], counts: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each row in some ranges of rows, the number of the range and the row, int64[rows] each.

    >>> [column.tolist() for column in expand_ranges(np.array([7, 2]), np.array([2, 1]))]
    [[0, 0, 1], [7, 8, 2]]
    """
    numbers = np.repeat(np.arange(counts.size), counts)
    return numbers, np.arange(numbers.size) + np.repeat(firsts - np.cumsum(counts) + counts, counts)


class FeatureIndex:
    """The set of features of each chapter. Chapters are numbered from 0."""

    def __init__(self) -> None:
        self._sizes: list[int] = []
        self._table = FeatureTable()

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of features in each chapter, int64[chapters]."""
        return np.array(self._sizes, np.int64)

    def add_features(self, features: NDArray[np.uint64]) -> None:
        """Add the next chapter. features: distinct."""
        self._table.add_occurrences(features, np.full(features.size, len(self._sizes)))
        self._sizes.append(features.size)

    def count_shared(self, features: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the chapters that share features with a page, increasing, and how many they share, int64[c] each.

        features: the distinct features of the page.
        """
        _, rows = expand_ranges(*self._table.find_rows(features))
        counts = np.bincount(self._table.values[rows], minlength=1)
        chapters = np.flatnonzero(counts)
        return chapters, counts[chapters]


@dataclass(eq=False)
class FeatureEngine(ChapterEngine):
    """Finds the chapters that `_alike` accepts. Chapters without features are never found."""

    _index: FeatureIndex = field(init=False, repr=False, default_factory=FeatureIndex)

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
        """Return the similarity of the page and each chapter, float64[n], and whether it is sufficient, bool[n]."""
