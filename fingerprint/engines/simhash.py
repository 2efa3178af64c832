"""Simhash: for each bit the sign of the sum of the features' hashes; near-duplicates differ in few bits.

Sources: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002; Manku, Jain, Das Sarma,
"Detecting near-duplicates for Web crawling", WWW 2007 (64 bits, 3 of which may differ, permuted sorted tables).
"""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.words import Words
from fingerprint.compilation import kernel
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterEngine, chapter_entry
from fingerprint.engines.engine import Found
from fingerprint.engines.hashing import shingle_hashes
from fingerprint.engines.simhash_tables import BlockTables, equal_blocks
from fingerprint.engines.tokens import CHINESE_TOKENS, tokens_of

FEATURE_TOKENS = 2
WORD_BITS = 64
# The published layout for up to 4 differing bits: at 0, 12, 24, 36 and 48, the last one wider.
FIVE_BLOCKS = (12, 12, 12, 12, 16)


class SimhashEngine(ChapterEngine):
    """Chapters whose simhash differs from the page's in at most `max_distance` bits.

    blocks: widths in bits, most significant first. There is a table for each choice of len(blocks) - max_distance of
    them as the leading bits: two fingerprints within the distance agree in all blocks of at least one choice.
    """

    def __init__(
        self,
        blocks: Sequence[int] = equal_blocks(WORD_BITS, 6),
        max_distance: int = 3,
        feature_tokens: int = FEATURE_TOKENS,
        chapter_chars: int = CHAPTER_CHARS,
    ) -> None:
        super().__init__(chapter_chars)
        self._bits, self._feature_tokens = sum(blocks), feature_tokens
        self._tables = BlockTables(blocks, max_distance)

    def _add_chapter(self, work_id: str, text: str) -> None:
        fingerprint = self._fingerprint(text)
        if fingerprint is not None:
            self._owners.add(work_id)
            self._tables.add(fingerprint)

    def _find_chapter(self, text: str) -> Iterable[Found]:
        fingerprint = self._fingerprint(text)
        if fingerprint is None:
            return ()
        near = self._tables.find_near(fingerprint)
        return self._owners.works((chapter, 1 - distance / self._bits) for chapter, distance in near)

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


DEPARTURES = (
    CHINESE_TOKENS,
    Words(
        "A feature is two neighbouring tokens and weighs by how often it occurs; the sources leave features, weights "
        "and hash open. Hashes are those of splitmix64.",
        "特征为相邻两个词元，权重为出现次数；原文未规定特征、权重和哈希函数。哈希用 splitmix64。",
    ),
    Words(
        "The published worked example (the cat on the mat: 851459198, 847263864, 984968088; distances 4, 16, 12) comes "
        "out of the same function when each different pair of characters, blanks included, counts once and is hashed "
        "as String#hash of Ruby 1.9 did, kept in 31 bits and a sign, with the seed 0x862be6e7. That program drew a "
        "seed whenever it started, so no parameters of the engine are the example's.",
        "公开的例子（the cat on the mat：851459198、847263864、984968088，距离 4、16、12）可由同一函数得出："
        "不同的相邻字符对（含空格）各计一次，用 Ruby 1.9 的 String#hash（31 位加符号位）、种子 0x862be6e7 求哈希。"
        "该程序每次启动都随机取种子，因此引擎的参数中没有与例子对应的一组。",
    ),
)
PARAMETERS = {
    "blocks": Words("bits of each block of the fingerprint, from the top", "指纹各块的位数，自高位起"),
    "max_distance": Words("near-duplicates differ in at most so many bits", "至多相差这么多位即为近似重复"),
    "feature_tokens": Words("tokens of a feature", "每个特征的词元数"),
}
ENTRIES = (
    chapter_entry(
        "simhash-64",
        SimhashEngine,
        Words(
            "64-bit simhash, at most 3 bits differ; permuted sorted tables",
            "64 位 simhash，至多 3 位不同；按置换的有序表检索",
        ),
        "Manku, Jain, Das Sarma, WWW 2007",
        (
            Words(
                "Of the layouts that the source discusses: 6 blocks, 20 tables of 31 to 33 leading bits.",
                "原文讨论了多种分块方式，此处取 6 块、20 张表，前导位 31 至 33 位。",
            ),
            *DEPARTURES,
        ),
        PARAMETERS,
    ),
    chapter_entry(
        "simhash-64-blocks",
        partial(SimhashEngine, blocks=FIVE_BLOCKS, max_distance=4),
        Words("64-bit simhash in 5 blocks, at most 4 bits differ", "64 位 simhash 分为 5 块，至多 4 位不同"),
        "Charikar, STOC 2002",
        DEPARTURES,
        PARAMETERS,
    ),
    chapter_entry(
        "simhash-32",
        partial(SimhashEngine, blocks=equal_blocks(32, 4)),
        Words(
            "32-bit simhash in 4 blocks of 8, at most 3 bits differ", "32 位 simhash 分为 4 个 8 位块，至多 3 位不同"
        ),
        "Charikar, STOC 2002",
        DEPARTURES,
        PARAMETERS,
    ),
)
