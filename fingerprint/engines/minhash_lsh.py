"""MinHash with locality-sensitive hashing, as the library datasketch does it.

Source: Broder, "On the resemblance and containment of documents", 1997; Indyk and Motwani, STOC 1998.
"""

from collections.abc import Iterable

import numpy as np
from datasketch import MinHash, MinHashLSH
from numpy.typing import NDArray

from core.words import Words
from fingerprint.engines.chapters import (
    CHAPTER_CHARS,
    CHAPTER_PARAMETERS,
    IN_CHAPTERS,
    ChapterEngine,
    ChapterOwners,
)
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.hashing import shingle_hashes
from fingerprint.engines.tokens import CHINESE_TOKENS, tokens_of

MAX_BATCH = 4096  # features: times the permutations, what one step holds in memory
HASH_SHIFT = np.uint64(32)  # datasketch wants hashes of 32 bits


class MinHashLshEngine(ChapterEngine):
    """Chapters that share a band of minima with the page and whose minima give a Jaccard index of `threshold` or more.

    shingle_tokens: tokens of a feature; permutations: hash functions, parted by datasketch into bands of rows so that
    the errors on both sides of `threshold` are least.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        shingle_tokens: int = 5,
        permutations: int = 128,
        chapter_chars: int = CHAPTER_CHARS,
        chapter_step: int | None = None,
    ) -> None:
        super().__init__(chapter_chars, chapter_step)
        self._shingle_tokens, self._threshold = shingle_tokens, threshold
        self._lsh = MinHashLSH(threshold=threshold, num_perm=permutations)
        self._empty = MinHash(num_perm=permutations, hashfunc=int)
        self._owners = ChapterOwners()
        self._sketches: list[MinHash] = []

    @property
    def bands_and_rows(self) -> tuple[int, int]:
        """How many bands there are, and how many minima agree in a band that matches."""
        return self._lsh.b, self._lsh.r

    def _add_chapter(self, work_id: str, text: str) -> None:
        sketch = self._sketch(text)
        if sketch is not None:
            self._lsh.insert(self._owners.add(work_id), sketch, check_duplication=False)
            self._sketches.append(sketch)

    def _find_chapter(self, text: str) -> Iterable[Found]:
        sketch = self._sketch(text)
        if sketch is None:
            return ()
        candidates = sorted(self._lsh.query(sketch))
        near = ((chapter, float(sketch.jaccard(self._sketches[chapter]))) for chapter in candidates)
        return self._owners.works((chapter, jaccard) for chapter, jaccard in near if jaccard >= self._threshold)

    def _sketch(self, text: str) -> MinHash | None:
        features = _features(text, self._shingle_tokens)
        if not features.size:
            return None
        sketch = self._empty.copy()
        for first in range(0, features.size, MAX_BATCH):
            sketch.update_batch(features[first : first + MAX_BATCH].tolist())
        return sketch


def _features(text: str, shingle_tokens: int) -> NDArray[np.uint64]:
    return np.unique(shingle_hashes(tokens_of(text).ids, shingle_tokens) >> HASH_SHIFT)


ENTRIES = (
    EngineEntry(
        "minhash-lsh",
        MinHashLshEngine,
        MinHashLshEngine.gives_spans,
        Words(
            "MinHash of runs of 5 characters, bands for a Jaccard index of 0.5 (datasketch)",
            "5 字片段的 MinHash，按 Jaccard 0.5 分段（datasketch）",
        ),
        "Broder, 1997; Indyk, Motwani, STOC 1998",
        (
            CHINESE_TOKENS,
            Words(
                "What shares a band is reported only when its minima reach the threshold too; the sources stop at the "
                "candidates. Bands and rows are those that datasketch chooses for the threshold.",
                "同段的候选还须最小值估计达到阈值才报告；原文止于候选。段数与行数由 datasketch 按阈值选定。",
            ),
            IN_CHAPTERS,
        ),
        {
            "threshold": Words(
                "a duplicate from this estimated Jaccard index on", "估计的 Jaccard 系数达到此值即为重复"
            ),
            "shingle_tokens": Words("tokens of a feature", "每个特征的词元数"),
            "permutations": Words("hash functions", "哈希函数的个数"),
            **CHAPTER_PARAMETERS,
            "chapter_step": Words(
                "characters from the beginning of one piece to the next; none: end to end",
                "相邻两段起点的间隔（字符）；无：首尾相接",
            ),
        },
    ),
)
