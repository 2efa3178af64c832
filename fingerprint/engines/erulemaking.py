"""The eRulemaking method: each bucket of texts of similar length has seeds, and texts are compared only with seeds.

Source: Yang, Callan, "Near-duplicate detection for eRulemaking", dg.o 2005: public comments on a rule, many of which
are one form letter. The most repeated text in a bucket is its seed. Other texts are compared with the seed by the
vector space model, with features chosen by inverse document frequency.
"""

from collections.abc import Iterable

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.compilation import kernel
from fingerprint.engines.chapter_words import (
    UNKNOWN,
    ChapterTable,
    build_chapter_table,
    build_word_postings,
    dot_products,
    highest_places,
    highest_terms,
    unit_weights,
    word_counts,
)
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterEngine, chapter_entry
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


class ERulemaking(ChapterEngine):
    """Finds works with chapters that belong to a seed in or next to the page's bucket, with a cosine of `min_cosine`.

    Chapters become seeds in the order of repetition of their text, then of addition, unless an earlier seed in a nearby
    bucket is similar enough. A text is the vector of the counts of its `features` words with the highest inverse
    document frequency; words that no chapter has are in no document. similarity: the cosine of page and seed.
    """

    def __init__(
        self,
        min_cosine: float = MIN_COSINE,
        features: int = FEATURES,
        bucket_width: float = BUCKET_WIDTH,
        min_words: int = MIN_WORDS,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        super().__init__(chapter_chars)
        self._min_cosine, self._features = min_cosine, features
        self._growth, self._min_words = np.log1p(bucket_width), min_words
        self._words: list[NDArray[np.uint64]] = []
        self._counts: list[NDArray[np.int32]] = []
        self._buckets: list[int] = []
        self._digests: list[int] = []
        self._seeds: _WordSeeds | None = None

    def _add_chapter(self, work_id: str, text: str) -> None:
        words, counts = word_counts(text)
        if words.size < self._min_words:
            return
        self._owners.add_chapter(work_id)
        self._words.append(words)
        self._counts.append(counts)
        codes = plain_characters(text)[0]
        self._buckets.append(self._length_bucket(codes.size))
        self._digests.append(xxhash.xxh3_64_intdigest(codes.tobytes()))
        self._seeds = None

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        words, counts = word_counts(text)
        if words.size < self._min_words or not self._words:
            return ()
        if self._seeds is None:
            order = _by_repetition(self._digests)
            table = build_chapter_table(
                [self._words[chapter] for chapter in order], [self._counts[chapter] for chapter in order]
            )
            buckets = np.array(self._buckets, np.int64)[order]
            self._seeds = _WordSeeds(table, order, buckets, self._features, self._min_cosine)
        seeds = self._seeds
        cosines = seeds.cosines(words, counts, self._length_bucket(plain_characters(text)[0].size))
        return self._owners.works(
            (chapter, cosines[seed])
            for seed in np.flatnonzero(cosines >= self._min_cosine).tolist()
            for chapter in seeds.split_chapters[seed]
        )

    def _length_bucket(self, chars: int) -> int:
        return int(np.log(max(chars, 1)) / self._growth)


class _WordSeeds:
    """The seeds among chapters, and the chapters that belong to a seed.

    order: the numbers of the chapters in the table.
    """

    def __init__(
        self, table: ChapterTable, order: list[int], buckets: NDArray[np.int64], features: int, min_cosine: float
    ) -> None:
        self._table, self._buckets, self._features = table, buckets, features
        self._inverse_frequencies = table.inverse_frequencies()
        starts, chosen = highest_terms(table, self._inverse_frequencies[table.terms], features)
        terms, weights = table.terms[chosen], unit_weights(starts, table.counts[chosen].astype(np.float64))
        self._postings = postings = build_word_postings(starts, terms, weights, table.vocabulary.size)
        owners = _seed_of_each(
            starts,
            terms,
            weights,
            postings.starts,
            postings.chapters,
            postings.weights,
            buckets,
            min_cosine,
        )
        self.split_chapters: dict[int, list[int]] = {}
        for place, seed in enumerate(owners.tolist()):
            self.split_chapters.setdefault(seed, []).append(order[place])
        self._is_seed = owners == np.arange(owners.size)

    def cosines(self, words: NDArray[np.uint64], counts: NDArray[np.int32], bucket: int) -> NDArray[np.float64]:
        """Return the cosine of the page with each seed near its bucket, float64[chapters by repetition], else 0."""
        numbers = self._table.term_numbers(words)
        numbers, counts = numbers[numbers != UNKNOWN], counts[numbers != UNKNOWN]
        chosen = highest_places(self._inverse_frequencies[numbers], self._features)
        weights = unit_weights(np.array([0, chosen.size]), counts[chosen].astype(np.float64))
        sums = dot_products(self._postings, numbers[chosen], weights, self._table.chapters)
        sums[~(self._is_seed & (np.abs(self._buckets - bucket) <= 1))] = 0
        cosines: NDArray[np.float64] = np.minimum(sums, 1).astype(np.float64)
        return cosines


def _by_repetition(digests: list[int]) -> list[int]:
    """Return the numbers of the texts, those with the most frequent digests first; equal ones keep their order."""
    _, kinds, repeats = np.unique(np.array(digests, np.uint64), return_inverse=True, return_counts=True)
    order: list[int] = np.argsort(-repeats[kinds], kind="stable").tolist()
    return order


@kernel()
def _seed_of_each(  # noqa: PLR0917 - numba compiles no records
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    weights: NDArray[np.float32],
    word_starts: NDArray[np.int64],
    chapters: NDArray[np.int32],
    chapter_weights: NDArray[np.float32],
    buckets: NDArray[np.int64],
    min_cosine: float,
) -> NDArray[np.int64]:
    """Return the most similar earlier seed near each chapter's bucket, int64[chapters]; itself if none is similar."""
    count = starts.size - 1
    seeds = np.arange(count)
    sums = np.empty(count, np.float32)
    for chapter in range(count):
        sums[:chapter] = 0
        for at in range(starts[chapter], starts[chapter + 1]):
            for place in range(word_starts[terms[at]], word_starts[terms[at] + 1]):
                if chapters[place] >= chapter:
                    break
                sums[chapters[place]] += weights[at] * chapter_weights[place]
        best = np.float32(min_cosine)
        for other in range(chapter):
            if sums[other] >= best and seeds[other] == other and abs(buckets[other] - buckets[chapter]) <= 1:
                best = sums[other]
                seeds[chapter] = other
    return seeds


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
