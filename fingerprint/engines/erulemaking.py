"""The eRulemaking method: seeds for buckets of texts of like length, and all other texts compared with the seeds only.

Source: Yang, Callan, "Near-duplicate detection for eRulemaking", 2005: public comments on a rule, many of them one
form letter. The most repeated text of a bucket is its seed; others are compared with the seed by the vector space
model.
"""

import numpy as np
import xxhash
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.engines.chapter_words import UNKNOWN, ChapterTable, Postings, postings_of, table_of
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterOwners, chapters_of
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.plain_characters import plain_characters
from fingerprint.engines.words import word_counts

# A text may be this share longer than another of its bucket; the widths grow with the length. Of published definitions,
# Conrad's has the lengths of duplicates within 20 %.
BUCKET_WIDTH = 0.2
# Not published. On 8,600 pages against 14.6 M characters (November 2026; tried .4 to .7) the lowest at which precision
# is 1; full chapters .96, with 20 % homophones .69.
MIN_COSINE = 0.6
MIN_WORDS = 20  # different ones: the cosine of very short texts is high by chance


class ERulemaking:
    """Works of the chapters that belong to a seed in the page's bucket, or beside it, with a cosine of `min_cosine`.

    Chapters become seeds in the order of how often their text repeats, then of their coming, unless an earlier seed of
    a bucket near theirs is as similar. similarity: the cosine of page and seed, of word frequencies.
    """

    gives_spans = False

    def __init__(
        self,
        min_cosine: float = MIN_COSINE,
        bucket_width: float = BUCKET_WIDTH,
        min_words: int = MIN_WORDS,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        self._min_cosine, self._growth = min_cosine, np.log1p(bucket_width)
        self._min_words, self._chapter_chars = min_words, chapter_chars
        self._owners = ChapterOwners()
        self._words: list[NDArray[np.uint64]] = []
        self._counts: list[NDArray[np.int32]] = []
        self._buckets: list[int] = []
        self._digests: list[int] = []
        self._seeds: _Seeds | None = None

    def add(self, work_id: str, text: str) -> None:
        for chapter in chapters_of(text, self._chapter_chars):
            words, counts = word_counts(chapter)
            if words.size >= self._min_words:
                self._owners.add(work_id)
                self._words.append(words)
                self._counts.append(counts)
                codes = plain_characters(chapter)[0]
                self._buckets.append(self._bucket(codes.size))
                self._digests.append(xxhash.xxh3_64_intdigest(codes.tobytes()))
        self._seeds = None

    def find(self, text: str) -> list[Found]:
        words, counts = word_counts(text)
        if words.size < self._min_words:
            return []
        if self._seeds is None:
            self._seeds = _Seeds(self._words, self._counts, self._buckets, self._digests, self._min_cosine)
        cosines = self._seeds.cosines(words, counts, self._bucket(plain_characters(text)[0].size))
        return self._owners.best_works(
            (chapter, cosines[seed])
            for seed in np.flatnonzero(cosines >= self._min_cosine).tolist()
            for chapter in self._seeds.chapters_of[seed]
        )

    def _bucket(self, chars: int) -> int:
        return int(np.log(max(chars, 1)) / self._growth)


class _Seeds:
    """The seeds among chapters, and which chapters belong to each."""

    def __init__(
        self,
        words: list[NDArray[np.uint64]],
        counts: list[NDArray[np.int32]],
        buckets: list[int],
        digests: list[int],
        min_cosine: float,
    ) -> None:
        order = _by_repetition(digests)
        self._table = table_of([words[chapter] for chapter in order], [counts[chapter] for chapter in order])
        self._buckets = np.array(buckets, np.int64)[order]
        weights = _unit_weights(self._table)
        postings = postings_of(self._table.starts, self._table.terms, weights, self._table.vocabulary.size)
        owners = _seed_of_each(
            self._table.starts,
            self._table.terms,
            weights,
            postings.starts,
            postings.chapters,
            postings.weights,
            self._buckets,
            min_cosine,
        )
        self.chapters_of: dict[int, list[int]] = {}
        for place, seed in enumerate(owners.tolist()):
            self.chapters_of.setdefault(seed, []).append(order[place])
        self._is_seed = owners == np.arange(owners.size)
        self._postings: Postings = postings

    def cosines(self, words: NDArray[np.uint64], counts: NDArray[np.int32], bucket: int) -> NDArray[np.float64]:
        """float64[chapters, most repeated first]: of the page with each seed near its bucket, 0 for all others."""
        numbers = self._table.numbers_of(words)
        is_known = numbers != UNKNOWN
        weights = counts / np.linalg.norm(counts)
        sums = np.zeros(self._table.chapters, np.float32)
        _add_products_of(
            self._postings.starts,
            self._postings.chapters,
            self._postings.weights,
            numbers[is_known],
            weights[is_known].astype(np.float32),
            self._is_seed & (np.abs(self._buckets - bucket) <= 1),
            sums,
        )
        cosines: NDArray[np.float64] = np.minimum(sums, 1).astype(np.float64)
        return cosines


def _by_repetition(digests: list[int]) -> list[int]:
    """Numbers of the texts, those first whose digest occurs most often; of equal ones in order."""
    _, kinds, repeats = np.unique(np.array(digests, np.uint64), return_inverse=True, return_counts=True)
    order: list[int] = np.argsort(-repeats[kinds], kind="stable").tolist()
    return order


def _unit_weights(table: ChapterTable) -> NDArray[np.float32]:
    squares = np.concatenate([[0.0], np.cumsum(np.square(table.counts, dtype=np.float64))])
    lengths = np.sqrt(squares[table.starts[1:]] - squares[table.starts[:-1]])
    weights: NDArray[np.float32] = (table.counts / np.repeat(lengths, np.diff(table.starts))).astype(np.float32)
    return weights


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
    """int64[chapters]: the most similar earlier seed near a chapter's bucket, itself where none is similar enough."""
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


@kernel()
def _add_products_of(  # noqa: PLR0917 - numba compiles no records
    starts: NDArray[np.int64],
    chapters: NDArray[np.int32],
    chapter_weights: NDArray[np.float32],
    terms: NDArray[np.int64],
    weights: NDArray[np.float32],
    is_wanted: NDArray[np.bool_],
    sums: NDArray[np.float32],
) -> None:
    for at in range(terms.size):
        for place in range(starts[terms[at]], starts[terms[at] + 1]):
            if is_wanted[chapters[place]]:
                sums[chapters[place]] += weights[at] * chapter_weights[place]


ENTRIES = (
    EngineEntry(
        "erulemaking",
        ERulemaking,
        ERulemaking.gives_spans,
        "buckets by length, the most repeated text as seed, cosine of all words with the seeds",
        "按长度分桶，以重复最多的文本为种子，再与种子比较余弦",
        "Yang, Callan, 2005",
    ),
)
