"""SCAM: the share of the page's words that a work contains in similar numbers, and the reverse.

dSCAM: the works are in several registries, whose word statistics show which of them cannot contain the source of a
page.

Sources: Shivakumar, Garcia-Molina, "SCAM: a copy detection mechanism for digital documents", 1995; Garcia-Molina,
Gravano, Shivakumar, "dSCAM: finding document copies across multiple databases", PDIS 1996.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapter_words import UNKNOWN, ChapterTable, ChapterWords, build_word_postings, word_counts
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import CHINESE_WORDS

# Published: a word counts if page / work + work / page is below epsilon. At 2.5 that is less than twice as often.
EPSILON = 2.5
# Not published as a number. On 8,600 pages against 14.6 M characters (November 2026; tried .3 to .8): precision .996,
# and 0.1 % of the innocent pages named (at .5: .984 and 0.7 %).
MIN_SIMILARITY = 0.6
MIN_WORDS = 20  # distinct words; a page with fewer is contained in a chapter by chance
REGISTRIES = 50  # as many databases as the source uses for dSCAM
ROUNDING = 1e-9  # the bound of a registry is summed in another order than the similarities


class Registry:
    """The chapters of some works, and their word statistics."""

    def __init__(self, epsilon: float, min_similarity: float) -> None:
        self._ratio, self._min_similarity = largest_ratio(epsilon), min_similarity
        self._works = ChapterWords(self._prepare)

    def add_chapter(self, work_id: str, chapter: str) -> None:
        self._works.add_chapter(work_id, chapter)

    def highest_possible(self, words: NDArray[np.uint64], counts: NDArray[np.int32]) -> float:
        """Return an upper bound of the similarity of any chapter, from word statistics only. It may exceed 1.

        A chapter contains each word of the page at most as often as any chapter does, within the ratio. The page
        contains each word of a chapter at most by its highest share in any chapter.
        """
        table = self._works.table()
        numbers = table.term_numbers(words)
        page_counts = counts[numbers != UNKNOWN].astype(np.float64)
        highest, shares = self._highest[numbers[numbers != UNKNOWN]], self._shares[numbers[numbers != UNKNOWN]]
        is_close = page_counts < self._ratio * highest
        of_page = page_counts * np.minimum(highest, self._ratio * page_counts)
        page_square = float(np.square(counts, dtype=np.float64).sum())
        return max(float(of_page[is_close].sum()) / page_square, float((page_counts * shares)[is_close].sum()))

    def find(self, words: NDArray[np.uint64], counts: NDArray[np.int32]) -> Iterator[EngineMatch]:
        table = self._works.table()
        numbers = table.term_numbers(words)
        is_known = numbers != UNKNOWN
        word_numbers, rows = self._postings.find_rows(numbers[is_known])
        on_page, in_work = (
            counts[is_known][word_numbers].astype(np.float64),
            self._postings.weights[rows].astype(np.float64),
        )
        is_close = (on_page < self._ratio * in_work) & (in_work < self._ratio * on_page)
        products = np.bincount(
            self._postings.chapters[rows][is_close], (on_page * in_work)[is_close], minlength=table.chapters
        )
        page_square = float(np.square(counts, dtype=np.float64).sum())
        similarities = np.minimum(products / np.minimum(page_square, self._squares), 1)
        similar = np.flatnonzero(similarities >= self._min_similarity)
        return self._works.owners.works(zip(similar.tolist(), similarities[similar].tolist(), strict=True))

    def _prepare(self, table: ChapterTable) -> None:
        self._postings = build_word_postings(
            table.starts, table.terms, table.counts.astype(np.float32), table.vocabulary.size
        )
        squares = np.concatenate([[0], np.cumsum(np.square(table.counts, dtype=np.float64))])
        self._squares = squares[table.starts[1:]] - squares[table.starts[:-1]]
        self._squares[np.diff(table.starts) < MIN_WORDS] = np.inf
        # The statistics: the highest count of a word in any chapter, and its highest share of a chapter's squares.
        self._highest, self._shares = np.zeros((2, table.vocabulary.size))
        np.maximum.at(self._highest, table.terms, table.counts)
        np.maximum.at(self._shares, table.terms, table.counts / np.repeat(self._squares, np.diff(table.starts)))


@dataclass(eq=False)
class Scam(ChapterEngine):
    """Finds chapters that contain at least `min_similarity` of the page, or of which the page contains this share.

    Works are distributed over `registries` by their id, as over the databases of different owners. A page is looked up
    only in registries whose word statistics permit such a chapter, so the results do not depend on the number of
    registries. similarity: the higher of the two containments, as published.
    """

    epsilon: float = EPSILON
    min_similarity: float = MIN_SIMILARITY
    registries: int = 1

    def __post_init__(self) -> None:
        self._registries = [Registry(self.epsilon, self.min_similarity) for _ in range(self.registries)]

    def choose_registries(self, words: NDArray[np.uint64], counts: NDArray[np.int32]) -> list[Registry]:
        """Return the registries that may have a chapter similar enough to a page with these words."""
        min_similarity = self.min_similarity - ROUNDING
        return [registry for registry in self._registries if registry.highest_possible(words, counts) >= min_similarity]

    def _add_chapter(self, work_id: str, text: str) -> None:
        number = xxhash.xxh3_64_intdigest(work_id.encode("utf-8", "surrogatepass")) % len(self._registries)
        self._registries[number].add_chapter(work_id, text)

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        words, counts = word_counts(text)
        if words.size < MIN_WORDS:
            return
        for registry in self.choose_registries(words, counts):
            yield from registry.find(words, counts)


def largest_ratio(epsilon: float) -> float:
    """Return the largest ratio r of two frequencies for which r + 1 / r is at most epsilon; at least 1.

    >>> largest_ratio(2.5)
    2.0
    """
    return (epsilon + math.sqrt(max(0.0, epsilon * epsilon - 4))) / 2


DEPARTURES = (
    CHINESE_WORDS,
    Message("engine.the-source-tries-several-thresholds-at-0"),
    Message("engine.words-weigh-alike-the-source-lets-the"),
)
PARAMETERS = {
    "epsilon": Message("engine.a-word-counts-when-the-ratio-of-its-two"),
    "min_similarity": Message("engine.a-copy-from-this-containment-on-either"),
    "registries": Message("engine.registries-over-which-the-works-are"),
}
ENTRIES = (
    chapter_entry(
        "scam",
        Scam,
        Message("engine.asymmetric-containment-by-words-of"),
        "Shivakumar, Garcia-Molina, 1995",
        DEPARTURES,
        PARAMETERS,
    ),
    chapter_entry(
        "dscam",
        partial(Scam, registries=REGISTRIES),
        Message("engine.scam-over-many-registries-asked-are-those"),
        "Garcia-Molina, Gravano, Shivakumar, PDIS 1996",
        (
            Message("engine.of-the-source-its-abstract-alone-was-at"),
            Message("engine.the-source-also-orders-the-queries-to-the"),
            Message("engine.works-are-spread-over-the-registries-by-a"),
            *DEPARTURES,
        ),
        PARAMETERS,
    ),
)
