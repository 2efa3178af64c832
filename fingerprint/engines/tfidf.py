"""TF-IDF: the terms of a chapter that say most about it, compared by the cosine of their weights."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.engines.chapter_words import (
    UNKNOWN,
    ChapterTable,
    ChapterWords,
    Postings,
    dot_products,
    postings_of,
)
from fingerprint.engines.chapters import CHAPTER_CHARS
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.words import word_counts

TOP_TERMS = 20  # published
# Not published. On 8,600 pages against 14.6 M characters (November 2026; tried .4 to .65) this one gives the known
# recall in each kind of edit: full chapters .99, with 20 % homophones .90, in the other script .21.
MIN_COSINE = 0.55


class TfIdf:
    """Chapters whose vectors of the `top_terms` highest tf * log(N / n) have a cosine of at least `min_cosine`.

    A word that no chapter has counts as one that a single chapter has.
    """

    gives_spans = False

    def __init__(
        self, top_terms: int = TOP_TERMS, min_cosine: float = MIN_COSINE, chapter_chars: int = CHAPTER_CHARS
    ) -> None:
        self._top_terms, self._min_cosine = top_terms, min_cosine
        self._works = ChapterWords(chapter_chars)
        self._table: ChapterTable | None = None

    def add(self, work_id: str, text: str) -> None:
        self._works.add(work_id, text)

    def find(self, text: str) -> list[Found]:
        table, inverse_frequencies, postings = self._tables()
        words, counts = word_counts(text)
        if not words.size or not table.chapters:
            return []
        numbers = table.numbers_of(words)
        is_known = numbers != UNKNOWN
        weights = counts.astype(np.float64) * np.where(is_known, inverse_frequencies[numbers], np.log(table.chapters))
        chosen = top_places(weights, self._top_terms)
        length = np.linalg.norm(weights[chosen])
        if not length:
            return []
        chosen = chosen[is_known[chosen]]
        page_weights = (weights[chosen] / length).astype(np.float32)
        cosines = dot_products(postings, numbers[chosen], page_weights, table.chapters)
        similar = np.flatnonzero(cosines >= self._min_cosine)
        return self._works.owners.best_works(
            zip(similar.tolist(), np.minimum(cosines[similar], 1).astype(float).tolist(), strict=True)
        )

    def _tables(self) -> tuple[ChapterTable, NDArray[np.float64], Postings]:
        if not self._works.is_current(self._table):
            self._table = self._works.table()
            self._inverse_frequencies = self._table.inverse_frequencies()
            self._postings = _top_postings(self._table, self._inverse_frequencies, self._top_terms)
        assert self._table is not None
        return self._table, self._inverse_frequencies, self._postings


def top_places(weights: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
    """int64[at most limit]: the places of the highest weights, increasing; of equal ones those that come first."""
    return np.sort(np.argsort(-weights, kind="stable")[:limit])


def _top_postings(table: ChapterTable, inverse_frequencies: NDArray[np.float64], limit: int) -> Postings:
    weights = table.counts * inverse_frequencies[table.terms]
    chosen, unit_weights = [np.zeros(0, np.int64)], [np.zeros(0)]
    starts = np.zeros(table.chapters + 1, np.int64)
    for chapter in range(table.chapters):
        first = table.starts[chapter]
        places = first + top_places(weights[first : table.starts[chapter + 1]], limit)
        chosen.append(places)
        unit_weights.append(weights[places] / (np.linalg.norm(weights[places]) or 1))
        starts[chapter + 1] = starts[chapter] + places.size
    terms = table.terms[np.concatenate(chosen)]
    return postings_of(starts, terms, np.concatenate(unit_weights).astype(np.float32), table.vocabulary.size)


ENTRIES = (
    EngineEntry(
        "tf-idf",
        TfIdf,
        TfIdf.gives_spans,
        "cosine of the 20 terms of highest tf-idf of a chapter",
        "一章中 tf-idf 最高的 20 个词的余弦",
        "Salton, Buckley, 1988",
        needs_corpus=True,
    ),
)
