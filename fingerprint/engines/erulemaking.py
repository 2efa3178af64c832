"""The eRulemaking method: texts are compared only with the seeds of buckets of texts of similar length.

Source: Yang, Callan, "Near-duplicate detection for eRulemaking", dg.o 2005, on public comments to a rule, many of which
are copies of one form letter. The most repeated text in a bucket is its seed. Other texts are compared with the seed by
the vector space model, with features chosen by inverse document frequency.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapter_words import (
    UNKNOWN,
    ChapterTable,
    ChapterWords,
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
from fingerprint.engines.plain_characters import plain_characters
from fingerprint.engines.tokens import CHINESE_WORDS

# A text may be longer than another in its bucket by this share; the widths grow with the length. Conrad's published
# definition puts the lengths of duplicates within 20 %.
BUCKET_WIDTH = 0.2
# The source gives neither value. On 8,600 pages against 14.6 M characters (November 2026; tried 100 to 800 words, .2 to
# .6) precision is .9997 and recall .465; at .3 .999 and .520. If texts are short, more words include words that all
# texts have: of 4,853 innocent news items 100 words accuse 40, 200 at .4 290, 800 at .3 2,272.
MIN_COSINE = 0.4
FEATURES = 100
MIN_WORDS = 20  # distinct words: the cosine of very short texts is high by chance


@dataclass(eq=False)
class ERulemaking(WordEngine):
    """Finds works whose chapters belong to a seed that is near the page's bucket and similar enough to the page.

    Chapters become seeds in the order of repetition of their text, then of addition, unless an earlier seed in a nearby
    bucket has a cosine of `min_cosine`. The vector of a text contains the counts of its `features` words with the
    highest inverse document frequency; words that no chapter contains are ignored. similarity: the cosine of page and
    seed.
    """

    min_cosine: float = MIN_COSINE
    features: int = FEATURES
    bucket_width: float = BUCKET_WIDTH
    min_words: int = MIN_WORDS

    def __post_init__(self) -> None:
        self._works = ChapterWords(self._prepare, min_words=self.min_words)
        self._buckets: list[int] = []
        self._digests: list[int] = []

    def _add_chapter(self, work_id: str, text: str) -> None:
        if self._works.add_chapter(work_id, text):
            codes = plain_characters(text)[0]
            self._buckets.append(self._length_bucket(codes.size))
            self._digests.append(xxhash.xxh3_64_intdigest(codes.tobytes()))

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        words, counts = word_counts(text)
        if words.size < self.min_words:
            return ()
        table = self._works.table()
        numbers = table.term_numbers(words)
        numbers, counts = numbers[numbers != UNKNOWN], counts[numbers != UNKNOWN]
        term_indexes = highest_places(self._inverse_frequencies[numbers], self.features)
        weights = unit_weights(np.array([0, term_indexes.size]), counts[term_indexes].astype(np.float64))
        cosines = self._seed_cosines(
            numbers[term_indexes], weights, self._length_bucket(plain_characters(text)[0].size)
        )
        chapter_cosines = np.minimum(cosines, 1).astype(np.float64)[self._seed_of]
        similar = np.flatnonzero(chapter_cosines >= self.min_cosine)
        return self._works.owners.works(zip(similar.tolist(), chapter_cosines[similar].tolist(), strict=True))

    def _prepare(self, table: ChapterTable) -> None:
        """Find the seed of each chapter: the most similar earlier seed near its bucket, or the chapter itself."""
        self._inverse_frequencies = table.inverse_frequencies()
        starts, term_indexes = highest_terms(table, self._inverse_frequencies[table.terms], self.features)
        terms, weights = table.terms[term_indexes], unit_weights(starts, table.counts[term_indexes].astype(np.float64))
        self._postings = build_word_postings(starts, terms, weights, table.vocabulary.size)
        self._bucket_of, self._is_seed = np.array(self._buckets, np.int64), np.zeros(table.chapters, np.bool_)
        self._seed_of = np.arange(table.chapters)
        order = _by_repetition(self._digests)
        for rank, chapter in enumerate(order.tolist()):
            terms_of_chapter = slice(starts[chapter], starts[chapter + 1])
            in_order = self._seed_cosines(terms[terms_of_chapter], weights[terms_of_chapter], self._buckets[chapter])[
                order[:rank]
            ]
            best = rank - 1 - int(np.argmax(in_order[::-1])) if rank else 0  # of equal ones the last
            self._is_seed[chapter] = not rank or in_order[best] < np.float32(self.min_cosine)
            self._seed_of[chapter] = chapter if self._is_seed[chapter] else order[best]

    def _seed_cosines(
        self, terms: NDArray[np.integer], weights: NDArray[np.float32], bucket: int
    ) -> NDArray[np.float32]:
        """Return the cosine of a text with each seed in or next to its bucket, float32[chapters].

        0 for all other chapters.
        """
        sums = dot_products(self._postings, terms, weights, self._seed_of.size)
        sums[~self._is_seed | (np.abs(self._bucket_of - bucket) > 1)] = 0
        return sums

    def _length_bucket(self, chars: int) -> int:
        return int(np.log(max(chars, 1)) / np.log1p(self.bucket_width))


def _by_repetition(digests: list[int]) -> NDArray[np.int64]:
    """Return the numbers of the texts, the most frequent digests first.

    Texts with equal frequencies keep their order.
    """
    _, kinds, repeats = np.unique(np.array(digests, np.uint64), return_inverse=True, return_counts=True)
    return np.argsort(-repeats[kinds], kind="stable")


ENTRIES = (
    chapter_entry(
        "erulemaking",
        ERulemaking,
        Message("engine.buckets-by-length-the-most-repeated-text"),
        "Yang, Callan, dg.o 2005",
        (
            CHINESE_WORDS,
            Message("engine.how-many-features-and-which-cosine-was"),
            Message("engine.a-bucket-is-20-of-the-length-wide-and"),
        ),
        {
            "min_cosine": Message("engine.a-near-duplicate-of-the-seed-from-this"),
            "features": Message("engine.words-of-the-highest-idf-that-a-text-is"),
            "bucket_width": Message("engine.a-text-may-be-this-share-longer-than"),
            "min_words": Message("engine.different-words-that-a-text-needs"),
        },
    ),
)
