"""Postings sorted by key, with the start of each bucket, for the memory index and snapshots."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.ids import WorkTextId
from matcher.index.ports import IndexHits
from matcher.index.posting_kernels import BLOCK_BITS, find_rows, list_occurrences
from matcher.index.postings import Postings
from matcher.token_streams import TokenStreams

MAX_ADDRESSES = 1 << 32  # addresses of an entry have 32 bits: five times a reference corpus of 10^9 characters
MIN_BITS, MAX_BITS = 8, 32
# Postings of a bucket at most, and at least half as many. 500 keys in 5.2 M postings (2026-11): 32 us with 8, 42 with 4
# and 60 with 16: fewer take memory, more are read for nothing.
POSTINGS_OF_BUCKET = 8


@dataclass(frozen=True, slots=True, eq=False)
class PostingTable:
    """Postings of texts, sorted by key.

    entries uint64[p]: check << 32 | address; offsets uint32[2^bits + 1]: where buckets begin; starts int64[t],
    increasing: where the addresses of each text begin; directory: `build_directory` of these.
    """

    bits: int
    offsets: NDArray[np.uint32]
    entries: NDArray[np.uint64]
    starts: NDArray[np.int64]
    directory: NDArray[np.uint32]

    @classmethod
    def from_postings(cls, texts: Collection[Postings]) -> "PostingTable":
        """Return the table of texts, numbered by their order.

        Raises BadInput for more tokens than it can address.
        """
        bounds = np.cumsum([0, *(text.tokens for text in texts)], dtype=np.int64)
        starts, end = bounds[:-1], int(bounds[-1])
        require_room(end)
        keys = np.concatenate([np.zeros(0, np.uint64), *(text.keys for text in texts)])
        placed = (text.positions + start for text, start in zip(texts, starts, strict=True))
        addresses = np.concatenate([np.zeros(0, np.int64), *placed])
        order = np.argsort(keys)
        keys, addresses = keys[order], addresses[order]
        bits = choose_bucket_bits(keys.size)
        sizes = np.bincount((keys >> np.uint64(64 - bits)).astype(np.int64), minlength=1 << bits)
        offsets = np.zeros((1 << bits) + 1, np.uint32)
        np.cumsum(sizes, out=offsets[1:])
        return cls(bits, offsets, pack_entries(keys, addresses, bits), starts, build_directory(starts, end))

    def look_up(
        self,
        keys: NDArray[np.uint64],
        max_postings: int,
        text_id: Callable[[int], WorkTextId],
        streams: TokenStreams | None = None,
    ) -> IndexHits:
        """Return the hits of `MatchIndex.lookup`. text_id: returns the id of a text by number."""
        firsts, counts = find_rows(keys, self.bits, self.offsets, self.entries)
        is_kept = counts <= max_postings
        return IndexHits(
            *list_occurrences(firsts, counts, is_kept, self.entries, self.starts, self.directory),
            text_id,
            keys.size - int(np.count_nonzero(is_kept)),
            int(self.entries.size),
            counts.astype(np.int32),
            streams,
        )


def choose_bucket_bits(postings: int) -> int:
    """Return the number of leading bits of a key that name its bucket."""
    return min(MAX_BITS, max(MIN_BITS, (postings // POSTINGS_OF_BUCKET).bit_length()))


def pack_entries(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> NDArray[np.uint64]:
    """Return the entries of postings, whose addresses must be below MAX_ADDRESSES, uint64[p]."""
    return (keys << np.uint64(bits)) & np.uint64(0xFFFFFFFF00000000) | addresses.astype(np.uint64)


def build_directory(starts: NDArray[np.int64], addresses: int) -> NDArray[np.uint32]:
    """Return the text that owns the first address of each block, and the last text, uint32[blocks + 1]."""
    if not starts.size:
        return np.zeros(0, np.uint32)
    blocks = np.arange((addresses >> BLOCK_BITS) + 1, dtype=np.int64) << BLOCK_BITS
    rows = np.searchsorted(starts, blocks, side="right") - 1
    return np.append(rows, starts.size - 1).astype(np.uint32)


def require_room(addresses: int) -> None:
    """Raise BadInput for more tokens than a table can address."""
    if addresses > MAX_ADDRESSES:
        raise BadInput("index.too-many-tokens", most=MAX_ADDRESSES)
