"""TF-IDF: the most characteristic terms of a chapter, compared by the cosine of their weights."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.wording import Message
from fingerprint.engines.chapter_words import (
    UNKNOWN,
    ChapterTable,
    WordEngine,
    build_word_postings,
    dot_products,
    highest_places,
    highest_terms,
    unit_weights,
    word_counts,
)
from fingerprint.engines.chapters import chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import CHINESE_WORDS

TOP_TERMS = 20  # published
# Not published. On 8,600 pages against 14.6 M characters (November 2026; tried .4 to .65) this value gives the known
# recall in each kind of edit: full chapters .99, with 20 % homophones .90, in the other script .21.
MIN_COSINE = 0.55


@dataclass(eq=False)
class TfIdf(WordEngine):
    """Finds chapters whose vectors of the `top_terms` highest tf * log(N / n) have a cosine of at least `min_cosine`.

    A word of the page that no chapter contains counts as a word of one chapter.
    """

    top_terms: int = TOP_TERMS
    min_cosine: float = MIN_COSINE

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        table = self._works.table()
        words, counts = word_counts(text)
        if not words.size or not table.chapters:
            return ()
        numbers = table.term_numbers(words)
        is_known = numbers != UNKNOWN
        frequencies = np.where(is_known, self._inverse_frequencies[numbers], np.log(table.chapters))
        weights = counts.astype(np.float64) * frequencies
        term_indexes = highest_places(weights, self.top_terms)
        length = np.linalg.norm(weights[term_indexes])
        if not length:
            return ()
        term_indexes = term_indexes[is_known[term_indexes]]
        page_weights = (weights[term_indexes] / length).astype(np.float32)
        cosines = dot_products(self._postings, numbers[term_indexes], page_weights, table.chapters)
        similar = np.flatnonzero(cosines >= self.min_cosine)
        return self._works.owners.works(
            zip(similar.tolist(), np.minimum(cosines[similar], 1).astype(float).tolist(), strict=True)
        )

    def _prepare(self, table: ChapterTable) -> None:
        self._inverse_frequencies = table.inverse_frequencies()
        weights = table.counts * self._inverse_frequencies[table.terms]
        starts, term_indexes = highest_terms(table, weights, self.top_terms)
        units = unit_weights(starts, weights[term_indexes])
        self._postings = build_word_postings(starts, table.terms[term_indexes], units, table.vocabulary.size)


ENTRIES = (
    chapter_entry(
        "tf-idf",
        TfIdf,
        Message("engine.cosine-of-the-20-terms-of-highest-tf-idf"),
        "Salton, Buckley, 1988",
        (
            CHINESE_WORDS,
            Message("engine.the-source-has-no-threshold-for-2"),
            Message("engine.a-word-of-the-page-that-no-work-has"),
        ),
        {
            "top_terms": Message("engine.terms-of-a-text"),
            "min_cosine": Message("engine.a-duplicate-from-this-cosine-on"),
        },
        needs_corpus=True,
    ),
)
