"""Simhash: the sign of the sum of the features' hashes, bit by bit. Near-duplicates differ in few bits.

Sources: Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002; Manku, Jain, Das Sarma,
"Detecting near-duplicates for Web crawling", WWW 2007 (64 bits, of which 3 may differ; permuted sorted tables).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import CHINESE_TOKENS, shingle_hashes, tokenize

FEATURE_TOKENS = 2
WORD_BITS = 64
# The published layout for up to 4 differing bits: blocks at 0, 12, 24, 36 and 48; the last one is wider.
FIVE_BLOCKS = (12, 12, 12, 12, 16)


def equal_blocks(bits: int, count: int) -> tuple[int, ...]:
    """Return the widths of `count` blocks, as even as possible; the first blocks are larger.

    >>> equal_blocks(64, 6), equal_blocks(32, 4)
    ((11, 11, 11, 11, 10, 10), (8, 8, 8, 8))
    """
    width, rest = divmod(bits, count)
    return tuple(width + (block < rest) for block in range(count))


def block_offsets(blocks: Sequence[int]) -> tuple[int, ...]:
    """Return the first bit of each block.

    >>> block_offsets((12, 12, 12, 12, 16))
    (0, 12, 24, 36, 48)
    """
    return tuple(sum(blocks[:block]) for block in range(len(blocks)))


def distance(first: int, second: int) -> int:
    """Return the number of bits in which two fingerprints differ."""
    return (first ^ second).bit_count()


class BlockTables:
    """Fingerprints, numbered from 0, in one table for each choice of blocks.

    If two fingerprints differ in at most `max_distance` bits, they agree in at least len(blocks) - max_distance blocks.
    Each choice of so many blocks has a table of the fingerprints by the bits of these blocks. The source moves these
    bits to the front and sorts.
    """

    def __init__(self, blocks: Sequence[int], max_distance: int) -> None:
        if not 0 <= max_distance < len(blocks):
            raise ValueError(f"{len(blocks)} blocks cannot find fingerprints that differ in {max_distance} bits")
        bits, starts, self._max_distance = sum(blocks), block_offsets(blocks), max_distance
        self.choices = tuple(combinations(range(len(blocks)), len(blocks) - max_distance))
        self._tables: list[tuple[int, dict[int, list[int]]]] = [
            (sum(_block_mask(bits, starts[block], blocks[block]) for block in choice), {}) for choice in self.choices
        ]
        self._fingerprints: list[int] = []

    def add_fingerprint(self, fingerprint: int) -> None:
        """Add the next fingerprint."""
        for mask, numbers in self._tables:
            numbers.setdefault(fingerprint & mask, []).append(len(self._fingerprints))
        self._fingerprints.append(fingerprint)

    def find_similar(self, fingerprint: int) -> list[tuple[int, int]]:
        """Return the number and distance of each fingerprint within `max_distance`, by number."""
        candidates = {number for mask, numbers in self._tables for number in numbers.get(fingerprint & mask, ())}
        distances = ((number, distance(fingerprint, self._fingerprints[number])) for number in sorted(candidates))
        return [(number, bits) for number, bits in distances if bits <= self._max_distance]


def _block_mask(bits: int, start: int, width: int) -> int:
    """Return a mask of the block that begins `start` bits below the highest bit."""
    return ((1 << width) - 1) << (bits - start - width)


@dataclass(eq=False)
class SimhashEngine(ChapterEngine):
    """Finds chapters whose simhash differs from the page's in at most `max_distance` bits.

    blocks: the widths of the blocks in bits, the highest first. See `BlockTables`.
    """

    blocks: Sequence[int] = equal_blocks(WORD_BITS, 6)
    max_distance: int = 3
    feature_tokens: int = FEATURE_TOKENS

    def __post_init__(self) -> None:
        self._tables = BlockTables(self.blocks, self.max_distance)

    def _add_chapter(self, work_id: str, text: str) -> None:
        fingerprint = self._text_simhash(text)
        if fingerprint is not None:
            self._owners.add_chapter(work_id)
            self._tables.add_fingerprint(fingerprint)

    def _find_chapter(self, text: str) -> Iterable[EngineMatch]:
        fingerprint = self._text_simhash(text)
        if fingerprint is None:
            return ()
        neighbours = self._tables.find_similar(fingerprint)
        return self._owners.works((chapter, 1 - distance / sum(self.blocks)) for chapter, distance in neighbours)

    def _text_simhash(self, text: str) -> int | None:
        """Return the simhash of a text, or None if it has no features."""
        features = shingle_hashes(tokenize(text).ids, self.feature_tokens)
        return simhash(features, sum(self.blocks)) if features.size else None


def simhash(features: NDArray[np.uint64], bits: int = WORD_BITS) -> int:
    """Return the simhash of hashed features, from their lowest `bits` bits.

    Each occurrence of a feature counts. A bit whose sum is 0 is 0.
    """
    ones = (np.count_nonzero(features >> np.uint64(bit) & np.uint64(1)) for bit in range(bits))
    return sum(1 << bit for bit, count in enumerate(ones) if 2 * count > features.size)


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
_variant = partial(chapter_entry, source="Charikar, STOC 2002", departures=DEPARTURES, parameters=PARAMETERS)
ENTRIES = (
    _variant(
        "simhash-64",
        SimhashEngine,
        Message("engine.64-bit-simhash-at-most-3-bits-differ"),
        source="Manku, Jain, Das Sarma, WWW 2007",
        departures=(Message("engine.of-the-layouts-that-the-source-discusses"), *DEPARTURES),
    ),
    _variant(
        "simhash-64-blocks",
        partial(SimhashEngine, blocks=FIVE_BLOCKS, max_distance=4),
        Message("engine.64-bit-simhash-in-5-blocks-at-most-4-bits"),
    ),
    _variant(
        "simhash-32",
        partial(SimhashEngine, blocks=equal_blocks(32, 4)),
        Message("engine.32-bit-simhash-in-4-blocks-of-8-at-most-3"),
    ),
)
