"""Simhash: for each bit the sign of the sum of the features' hashes; near-duplicates differ in few bits.

Sources: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002; Manku, Jain, Das Sarma,
"Detecting near-duplicates for Web crawling", WWW 2007 (64 bits, 3 of which may differ, permuted sorted tables).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterOwners, chapters_of
from fingerprint.engines.engine import EngineEntry, Found
from fingerprint.engines.hashing import shingle_hashes
from fingerprint.engines.simhash_tables import BlockTables, equal_blocks
from fingerprint.engines.tokens import tokens_of

FEATURE_TOKENS = 2
WORD_BITS = 64
# The published layout for up to 4 differing bits: at 0, 12, 24, 36 and 48, the last one wider.
FIVE_BLOCKS = (12, 12, 12, 12, 16)


class SimhashEngine:
    """Chapters whose simhash differs from the page's in at most `max_distance` bits.

    blocks: widths in bits, most significant first. There is a table for each choice of len(blocks) - max_distance of
    them as the leading bits: two fingerprints within the distance agree in all blocks of at least one choice.
    """

    gives_spans = False

    def __init__(
        self,
        blocks: Sequence[int] = equal_blocks(WORD_BITS, 6),
        max_distance: int = 3,
        feature_tokens: int = FEATURE_TOKENS,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        self._bits, self._feature_tokens, self._chapter_chars = sum(blocks), feature_tokens, chapter_chars
        self._tables, self._owners = BlockTables(blocks, max_distance), ChapterOwners()

    def add(self, work_id: str, text: str) -> None:
        for chapter in chapters_of(text, self._chapter_chars):
            fingerprint = self._fingerprint(chapter)
            if fingerprint is not None:
                self._owners.add(work_id)
                self._tables.add(fingerprint)

    def find(self, text: str) -> list[Found]:
        fingerprint = self._fingerprint(text)
        if fingerprint is None:
            return []
        near = self._tables.find_near(fingerprint)
        return self._owners.best_works((chapter, 1 - distance / self._bits) for chapter, distance in near)

    def _fingerprint(self, text: str) -> int | None:
        """None for a text without features: nothing can be like it."""
        features = shingle_hashes(tokens_of(text).ids, self._feature_tokens)
        return simhash(features, self._bits) if features.size else None


def simhash(features: NDArray[np.uint64], bits: int = WORD_BITS) -> int:
    """The simhash of hashed features, of which the lowest `bits` bits count; a feature weighs by how often it occurs.

    A bit whose sum is 0 is 0.
    """
    sums = _bit_sums(features, bits)
    return sum(1 << place for place in range(bits) if sums[place] > 0)


@kernel()
def _bit_sums(features: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    ones = np.zeros(bits, np.int64)
    for feature in features:
        rest = feature
        for place in range(bits):
            ones[place] += np.int64(rest & np.uint64(1))
            rest >>= np.uint64(1)
    return 2 * ones - features.size


def five_block_engine(max_distance: int = 4, chapter_chars: int = CHAPTER_CHARS) -> SimhashEngine:
    """Simhash of 64 bits in five blocks, one of which agrees where up to 4 bits differ."""
    return SimhashEngine(FIVE_BLOCKS, max_distance, chapter_chars=chapter_chars)


def simhash_32_engine(max_distance: int = 3, chapter_chars: int = CHAPTER_CHARS) -> SimhashEngine:
    """Simhash of 32 bits in four blocks of 8, one of which agrees where up to 3 bits differ."""
    return SimhashEngine(equal_blocks(32, 4), max_distance, chapter_chars=chapter_chars)


ENTRIES = (
    EngineEntry(
        "simhash-64",
        SimhashEngine,
        SimhashEngine.gives_spans,
        "64-bit simhash, at most 3 bits differ; permuted sorted tables",
        "64 位 simhash，至多 3 位不同；按置换的有序表检索",
        "Manku, Jain, Das Sarma, WWW 2007",
    ),
    EngineEntry(
        "simhash-64-blocks",
        five_block_engine,
        SimhashEngine.gives_spans,
        "64-bit simhash in 5 blocks, at most 4 bits differ",
        "64 位 simhash 分为 5 块，至多 4 位不同",
        "Charikar, STOC 2002; blocks at 0, 12, 24, 36, 48",
    ),
    EngineEntry(
        "simhash-32",
        simhash_32_engine,
        SimhashEngine.gives_spans,
        "32-bit simhash in 4 blocks of 8, at most 3 bits differ",
        "32 位 simhash 分为 4 个 8 位块，至多 3 位不同",
        "Charikar, STOC 2002; 32 bits",
    ),
)
