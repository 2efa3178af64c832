"""Simhash: for each bit the sign of the sum of the features' hashes; near-duplicates differ in few bits.

Sources: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002; Manku, Jain, Das Sarma,
"Detecting near-duplicates for Web crawling", WWW 2007 (64 bits, 3 of which may differ, permuted sorted tables).
"""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.compilation import kernel
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.hashing import shingle_hashes
from fingerprint.engines.simhash_tables import BlockTables, equal_blocks
from fingerprint.engines.tokens import CHINESE_TOKENS, tokenize

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
            self._owners.add_chapter(work_id)
            self._tables.add_fingerprint(fingerprint)

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        fingerprint = self._fingerprint(text)
        if fingerprint is None:
            return ()
        near = self._tables.find_similar(fingerprint)
        return self._owners.works((chapter, 1 - distance / self._bits) for chapter, distance in near)

    def _fingerprint(self, text: str) -> int | None:
        """Return the fingerprint of a text; None without features, as nothing can resemble it."""
        features = shingle_hashes(tokenize(text).ids, self._feature_tokens)
        return simhash(features, self._bits) if features.size else None


def simhash(features: NDArray[np.uint64], bits: int = WORD_BITS) -> int:
    """Return the simhash of hashed features, of which the lowest `bits` bits count.

    A feature weighs by how often it occurs.

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
    Message("engine.a-feature-is-two-neighbouring-tokens-and"),
    Message("engine.the-published-worked-example-the-cat-on"),
)
PARAMETERS = {
    "blocks": Message("engine.bits-of-each-block-of-the-fingerprint"),
    "max_distance": Message("engine.near-duplicates-differ-in-at-most-so-many"),
    "feature_tokens": Message("engine.tokens-of-a-feature"),
}
ENTRIES = (
    chapter_entry(
        "simhash-64",
        SimhashEngine,
        Message("engine.64-bit-simhash-at-most-3-bits-differ"),
        "Manku, Jain, Das Sarma, WWW 2007",
        (
            Message("engine.of-the-layouts-that-the-source-discusses"),
            *DEPARTURES,
        ),
        PARAMETERS,
    ),
    chapter_entry(
        "simhash-64-blocks",
        partial(SimhashEngine, blocks=FIVE_BLOCKS, max_distance=4),
        Message("engine.64-bit-simhash-in-5-blocks-at-most-4-bits"),
        "Charikar, STOC 2002",
        DEPARTURES,
        PARAMETERS,
    ),
    chapter_entry(
        "simhash-32",
        partial(SimhashEngine, blocks=equal_blocks(32, 4)),
        Message("engine.32-bit-simhash-in-4-blocks-of-8-at-most-3"),
        "Charikar, STOC 2002",
        DEPARTURES,
        PARAMETERS,
    ),
)
