"""The Boolean model: texts as sets of features, compared by the features that only one text has.

Source: Lian, Liu, Xu, Cheng, "Improved near-replicas detection of web pages based on Boolean model", 2007.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapter_words import (
    UNKNOWN,
    ChapterTable,
    ChapterWords,
    WordEngine,
    build_word_postings,
    dot_products,
    word_counts,
)
from fingerprint.engines.chapters import chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import CHINESE_WORDS

MAX_DIFFERENT = 0.2  # published: "more than 1/5 different features: not similar"
# The source does not say how it chooses features. Words that occur twice reproduce the known recall (development texts,
# November 2026: of all words, the 64, 128 or 256 most frequent, words that occur twice, and single characters, only
# these keep every chapter with 5 % homophones and a quarter of the pages across two chapters).
MIN_OCCURRENCES = 2
# Published as "at most d". A chapter has some 250 features, a fifth of which (50) may differ.
MAX_COUNT_DIFFERENCE = 50
MIN_FEATURES = 10  # fewer features agree by chance: titles, formulas, one sign repeated

Features = tuple[NDArray[np.uint64], NDArray[np.int32]]  # increasing, and the count of each


def dissimilarity(page: Features, work: Features) -> float:
    """Return the weight of the features that only one text has, as a share of all features; 1 if there are none.

    A feature is weighted by its term frequency, a shared feature by the mean of both.

    >>> page = np.array([1, 2, 3, 4], np.uint64), np.ones(4, np.int32)
    >>> work = np.array([1, 2, 5, 6, 7], np.uint64), np.ones(5, np.int32)
    >>> round(dissimilarity(page, work), 3), round(1 - dissimilarity(page, work), 3)
    (0.714, 0.286)
    """
    total = int(page[1].sum() + work[1].sum())
    _, in_page, in_work = np.intersect1d(page[0], work[0], assume_unique=True, return_indices=True)
    shared = (int(page[1][in_page].sum()) + int(work[1][in_work].sum())) / 2
    return 1 - shared / (total - shared) if total else 1.0


@dataclass(eq=False)
class BooleanModel(WordEngine):
    """Finds chapters that differ from the page in at most a fifth of the features, both by number and by weight."""

    max_different: float = MAX_DIFFERENT
    max_count_difference: int = MAX_COUNT_DIFFERENCE
    min_occurrences: int = MIN_OCCURRENCES
    min_features: int = MIN_FEATURES

    def __post_init__(self) -> None:
        self._works = ChapterWords(self._prepare, min_occurrences=self.min_occurrences)

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        page = word_counts(text, self.min_occurrences)
        if page[0].size < self.min_features:
            return ()
        table = self._works.table()
        numbers = table.term_numbers(page[0])
        known = numbers[numbers != UNKNOWN]
        shared = dot_products(self._postings, known, np.ones(known.size, np.float32), table.chapters)
        sizes = np.diff(table.starts)
        is_candidate = (sizes >= self.min_features) & (np.abs(sizes - page[0].size) <= self.max_count_difference)
        # At most a share s of the union may differ: shared >= (1 - s) * (page + chapter - shared).
        min_shared = (1 - self.max_different) * (sizes + page[0].size - shared)
        candidates = np.flatnonzero(is_candidate & (shared >= min_shared - 1e-6))
        similarities = [(chapter, 1 - dissimilarity(page, table.chapter(chapter))) for chapter in candidates.tolist()]
        return self._works.owners.works(pair for pair in similarities if pair[1] >= 1 - self.max_different)

    def _prepare(self, table: ChapterTable) -> None:
        ones = np.ones(table.terms.size, np.float32)
        self._postings = build_word_postings(table.starts, table.terms, ones, table.vocabulary.size)


ENTRIES = (
    chapter_entry(
        "boolean",
        BooleanModel,
        Message("engine.sets-of-words-that-occur-twice-at-most-a"),
        "Lian, Liu, Xu, Cheng, 2007",
        (
            CHINESE_WORDS,
            Message("engine.the-source-chooses-features-without"),
            Message("engine.published-is-at-most-d-d-50-is-a-fifth-of"),
            Message("engine.common-features-are-counted-by-inverted"),
        ),
        {
            "max_different": Message("engine.share-of-the-features-that-may-differ"),
            "max_count_difference": Message("engine.texts-whose-numbers-of-features-differ-by"),
            "min_occurrences": Message("engine.occurrences-that-make-a-word-a-feature"),
            "min_features": Message("engine.features-that-a-text-needs"),
        },
    ),
)
