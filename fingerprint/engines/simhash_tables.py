"""Permuted sorted tables: the fingerprints that differ in few bits, without comparing all of them."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray


def equal_blocks(bits: int, count: int) -> tuple[int, ...]:
    """Widths of `count` blocks as even as can be; the first ones take what is left over.

    >>> equal_blocks(64, 6), equal_blocks(32, 4)
    ((11, 11, 11, 11, 10, 10), (8, 8, 8, 8))
    """
    width, rest = divmod(bits, count)
    return tuple(width + (place < rest) for place in range(count))


def offsets(blocks: Sequence[int]) -> tuple[int, ...]:
    """Return the first bit of each block.

    >>> offsets((12, 12, 12, 12, 16))
    (0, 12, 24, 36, 48)
    """
    return tuple(sum(blocks[:place]) for place in range(len(blocks)))


def distance(one: int, other: int) -> int:
    """Count the bits that differ."""
    return (one ^ other).bit_count()


class BlockTables:
    """Fingerprints, numbered from 0, in one table for each choice of leading blocks.

    Of len(blocks) blocks at most `max_distance` hold a differing bit, so that the others agree: every choice of
    len(blocks) - max_distance blocks has a table of the fingerprints with these blocks permuted to the front, sorted,
    in which those that agree in the p leading bits lie together.
    """

    def __init__(self, blocks: Sequence[int], max_distance: int) -> None:
        if not 0 <= max_distance < len(blocks):
            raise ValueError(f"{len(blocks)} blocks cannot find fingerprints that differ in {max_distance} bits")
        self._bits, self._max_distance = sum(blocks), max_distance
        self.choices = tuple(combinations(range(len(blocks)), len(blocks) - max_distance))
        starts = offsets(blocks)
        self._masks = [
            np.uint64(sum(_mask(self._bits, starts[block], blocks[block]) for block in choice))
            for choice in self.choices
        ]
        self._fingerprints: list[int] = []
        self._tables: list[tuple[NDArray[np.uint64], NDArray[np.int64]]] | None = None

    def add_fingerprint(self, fingerprint: int) -> None:
        """Add the next fingerprint."""
        self._fingerprints.append(fingerprint)
        self._tables = None

    def find_similar(self, fingerprint: int) -> list[tuple[int, int]]:
        """Find (number, distance) of each fingerprint within the distance, by number."""
        if self._tables is None:
            self._tables = self._sort_tables()
        key, found = np.uint64(fingerprint), set[int]()
        for mask, (keys, numbers) in zip(self._masks, self._tables, strict=True):
            first, last = np.searchsorted(keys, key & mask), np.searchsorted(keys, key & mask, side="right")
            found.update(numbers[first:last].tolist())
        distances = ((number, distance(fingerprint, self._fingerprints[number])) for number in sorted(found))
        return [(number, bits) for number, bits in distances if bits <= self._max_distance]

    def _sort_tables(self) -> list[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        # A mask keeps the leading bits in their places: equal keys lie together as they would in front of the word.
        all_of_them = np.array(self._fingerprints, np.uint64)
        tables = []
        for mask in self._masks:
            keys = all_of_them & mask
            order = np.argsort(keys, kind="stable")
            tables.append((keys[order], order))
        return tables


def _mask(bits: int, start: int, width: int) -> int:
    """Return the bits of a block that begins `start` bits below the top."""
    return ((1 << width) - 1) << (bits - start - width)
