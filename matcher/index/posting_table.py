"""Postings sorted by key, with the start of each bucket: what the memory index and snapshots look up in."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from matcher.index.posting_kernels import BLOCK_BITS, count_living, find_rows, list_occurrences

MAX_ADDRESSES = 1 << 32  # addresses of an entry have 32 bits: five times a reference corpus of 10^9 characters
MIN_BITS, MAX_BITS = 8, 32
# Postings of a bucket at most, and at least half as many. 500 keys in 5.2 M postings (2026-11): 32 us with 8, 42 with 4
# and 60 with 16: fewer take memory, more are read for nothing.
POSTINGS_OF_BUCKET = 8


@dataclass(frozen=True, slots=True, eq=False)
class PostingTable:
    """entries uint64[p]: check << 32 | address, ordered by key; offsets uint32[2^bits + 1]: where buckets begin."""

    bits: int
    offsets: NDArray[np.uint32]
    entries: NDArray[np.uint64]

    @classmethod
    def of(cls, keys: NDArray[np.uint64], addresses: NDArray[np.int64]) -> "PostingTable":
        """The table of postings that are sorted by key."""
        bits = bits_for(keys.size)
        sizes = np.bincount((keys >> np.uint64(64 - bits)).astype(np.int64), minlength=1 << bits)
        offsets = np.zeros((1 << bits) + 1, np.uint32)
        np.cumsum(sizes, out=offsets[1:])
        return cls(bits, offsets, entries_of(keys, addresses, bits))

    def find(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """int64[n] firsts and counts: the rows of `entries` that carry each key."""
        return find_rows(keys, self.bits, self.offsets, self.entries)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Which text owns an address. starts int64[t], increasing; is_dead bool[t]: removed texts, empty without any."""

    starts: NDArray[np.int64]
    directory: NDArray[np.uint32]
    is_dead: NDArray[np.bool_]

    @classmethod
    def of(cls, starts: NDArray[np.int64], addresses: int, is_dead: NDArray[np.bool_] | None = None) -> "Places":
        """addresses: how many there are."""
        return cls(starts, directory_of(starts, addresses), np.zeros(0, np.bool_) if is_dead is None else is_dead)

    def count_living(
        self, table: PostingTable, firsts: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """int64[n]: how many of the rows found belong to texts that were not removed."""
        if not self.is_dead.size:
            return counts
        return count_living(firsts, counts, table.entries, self.starts, self.directory, self.is_dead)

    def list_occurrences(
        self,
        table: PostingTable,
        firsts: NDArray[np.int64],
        counts: NDArray[np.int64],
        is_kept: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """queries, texts, positions, each int32[h]: where the keys occur that are kept, removed texts left out."""
        return list_occurrences(firsts, counts, is_kept, table.entries, self.starts, self.directory, self.is_dead)


def bits_for(postings: int) -> int:
    """How many leading bits of a key name its bucket."""
    return min(MAX_BITS, max(MIN_BITS, (postings // POSTINGS_OF_BUCKET).bit_length()))


def entries_of(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> NDArray[np.uint64]:
    """uint64[p]: the entries of postings, whose addresses must be below MAX_ADDRESSES."""
    return (keys << np.uint64(bits)) & np.uint64(0xFFFFFFFF00000000) | addresses.astype(np.uint64)


def directory_of(starts: NDArray[np.int64], addresses: int) -> NDArray[np.uint32]:
    """uint32[blocks + 1]: the text that owns the first address of each block, and the last text."""
    if not starts.size:
        return np.zeros(0, np.uint32)
    blocks = np.arange((addresses >> BLOCK_BITS) + 1, dtype=np.int64) << BLOCK_BITS
    rows = np.searchsorted(starts, blocks, side="right") - 1
    return np.append(rows, starts.size - 1).astype(np.uint32)


def require_room(addresses: int) -> None:
    """Raise BadInput for more tokens than a table can address."""
    if addresses > MAX_ADDRESSES:
        raise BadInput("index.too-many-tokens", most=MAX_ADDRESSES)
