"""The words of the chapters of all works, and for the vector models the chapters of each word."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.chapters import ChapterEngine, ChapterOwners
from fingerprint.engines.feature_engine import expand_ranges
from fingerprint.engines.tokens import tokenize, word_ids

UNKNOWN = -1  # the number of a word that no chapter has


def word_counts(text: str, min_occurrences: int = 1) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the words of a text that occur at least `min_occurrences` times, uint64[m], and their counts, int32[m].

    >>> sorted(word_counts("天地，天地")[1].tolist()), word_counts("天地，天地", 2)[1].tolist()
    ([1, 2], [2])
    """
    words, counts = np.unique(word_ids(tokenize(text)), return_counts=True)
    is_kept = counts >= min_occurrences
    return words[is_kept], counts[is_kept].astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class ChapterTable:
    """The words of each chapter, with their counts.

    vocabulary: uint64[v], increasing; frequencies: int32[v], the number of chapters with each word; starts: int64[c +
    1], the start of each chapter in `terms`; terms: int32[n], indexes into the vocabulary, increasing in each chapter;
    counts: int32[n].
    """

    vocabulary: NDArray[np.uint64]
    frequencies: NDArray[np.int32]
    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.int32]

    @property
    def chapters(self) -> int:
        return self.starts.size - 1

    def term_numbers(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the index of each word in the vocabulary, or UNKNOWN, int64[len(words)]."""
        if not self.vocabulary.size:
            return np.full(words.size, UNKNOWN, np.int64)
        indexes = np.minimum(np.searchsorted(self.vocabulary, words), self.vocabulary.size - 1)
        return np.where(self.vocabulary[indexes] == words, indexes, UNKNOWN)

    def chapter(self, number: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Return the words of a chapter, increasing, and their counts."""
        terms_of_chapter = slice(self.starts[number], self.starts[number + 1])
        return self.vocabulary[self.terms[terms_of_chapter]], self.counts[terms_of_chapter]

    def inverse_frequencies(self) -> NDArray[np.float64]:
        """Return log(N / n) for each word, which n of N chapters contain, float64[v]."""
        return np.log(self.chapters / self.frequencies)


class ChapterWords:
    """The added chapters in order, and their table, which is rebuilt after additions.

    Words that occur fewer than `min_occurrences` times in a chapter are omitted, and so are chapters with fewer than
    `min_words` different words. prepare: called with each new table, to compute the data that look-ups need.
    """

    def __init__(self, prepare: Callable[[ChapterTable], None], min_occurrences: int = 1, min_words: int = 1) -> None:
        self.owners = ChapterOwners()
        self._prepare, self._min_occurrences, self._min_words = prepare, min_occurrences, min_words
        self._words: list[NDArray[np.uint64]] = []
        self._counts: list[NDArray[np.int32]] = []
        self._table: ChapterTable | None = None

    def add_chapter(self, work_id: str, chapter: str) -> bool:
        """Add a chapter of a work; return whether it has enough words."""
        words, counts = word_counts(chapter, self._min_occurrences)
        if words.size < self._min_words:
            return False
        self.owners.add_chapter(work_id)
        self._words.append(words)
        self._counts.append(counts)
        self._table = None
        return True

    def table(self) -> ChapterTable:
        """Return the table of all chapters, after `prepare` was called with it."""
        if self._table is None:
            self._table = build_chapter_table(self._words, self._counts)
            self._prepare(self._table)
        return self._table


class WordEngine(ChapterEngine):
    """An engine that compares chapters by their words. Data derived from the table are recomputed after additions."""

    def __post_init__(self) -> None:
        self._works = ChapterWords(self._prepare)

    def _add_chapter(self, work_id: str, text: str) -> None:
        self._works.add_chapter(work_id, text)

    @abstractmethod
    def _prepare(self, table: ChapterTable) -> None:
        """Compute the data that look-ups need from the table."""


def build_chapter_table(words: list[NDArray[np.uint64]], counts: list[NDArray[np.int32]]) -> ChapterTable:
    """Return the table of chapters with these words, increasing in each chapter, and their counts."""
    starts = np.cumsum([0, *(chapter.size for chapter in words)])
    every_word = np.concatenate([*words, np.zeros(0, np.uint64)])
    vocabulary, frequencies = np.unique(every_word, return_counts=True)
    terms = np.searchsorted(vocabulary, every_word).astype(np.int32)
    every_count = np.concatenate([*counts, np.zeros(0, np.int32)])
    return ChapterTable(vocabulary, frequencies.astype(np.int32), starts, terms, every_count)


def highest_places(scores: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """Return the indexes of the highest scores, ascending, int64[at most limit]; of equal scores the first are used."""
    return np.sort(np.argsort(-scores, kind="stable")[:limit])


def highest_terms(
    table: ChapterTable, scores: NDArray[np.float64], limit: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start of each chapter in the second array, and its highest scores by index in `table.terms`, int64[n].

    scores: float64[len(table.terms)]; limit: the largest number for each chapter.
    """
    indexes_by_chapter = [
        first + highest_places(scores[first:end], limit)
        for first, end in zip(table.starts[:-1], table.starts[1:], strict=True)
    ]
    starts = np.cumsum([0, *(indexes.size for indexes in indexes_by_chapter)])
    return starts, np.concatenate([*indexes_by_chapter, np.zeros(0, np.int64)])


def unit_weights(starts: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the weights with the vector of each chapter normalized to length 1, float32[n].

    A zero vector is unchanged.
    """
    squares = np.concatenate([[0.0], np.cumsum(np.square(weights))])
    lengths = np.sqrt(squares[starts[1:]] - squares[starts[:-1]])
    lengths[lengths == 0] = 1
    units: NDArray[np.float32] = (weights / np.repeat(lengths, np.diff(starts))).astype(np.float32)
    return units


class WordPostings(NamedTuple):
    """The chapters of each word.

    starts: int64[v + 1], the start of each word's postings; chapters: int64[n], increasing for each word; weights:
    float32[n].
    """

    starts: NDArray[np.int64]
    chapters: NDArray[np.int64]
    weights: NDArray[np.float32]

    def find_rows(self, terms: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each posting of these words the index of the word in `terms`, and the row, int64[n] each."""
        return expand_ranges(self.starts[terms], self.starts[terms + 1] - self.starts[terms])


def build_word_postings(
    starts: NDArray[np.int64], terms: NDArray[np.int32], weights: NDArray[np.float32], vocabulary_size: int
) -> WordPostings:
    """Return the postings of consecutive chapters, by word. terms, weights: as in a `ChapterTable`."""
    word_starts = np.append(0, np.cumsum(np.bincount(terms, minlength=vocabulary_size)))
    order = np.argsort(terms, kind="stable")
    chapters = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    return WordPostings(word_starts, chapters[order], weights[order])


def dot_products(
    postings: WordPostings, terms: NDArray[np.integer], weights: NDArray[np.float32], chapters: int
) -> NDArray[np.float32]:
    """Return the dot product of the page's weights with those of each chapter, float32[chapters]."""
    sums = np.zeros(chapters, np.float32)
    numbers, rows = postings.find_rows(terms)
    np.add.at(sums, postings.chapters[rows], weights[numbers] * postings.weights[rows])
    return sums
