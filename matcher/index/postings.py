"""The postings of a text, and a table of the postings of many texts, for the memory index and snapshots.

Postings are the positions of a text's seeds, under keys that are evenly distributed. The table is sorted by key and has
the start of each bucket of keys. An entry consists of the 32 bits of a key after its bucket bits, and an address: check
<< 32 | address.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import AlgorithmMismatch, BadInput
from core.ids import WorkTextId
from fingerprint.compilation import kernel
from matcher.corpus import TokenStreams
from matcher.index.ports import IndexHits

# A passage repeated in one text (a refrain, an advertisement) is found at its first places; more cost only time.
MAX_POSTINGS_OF_HASH_IN_TEXT = 16

# Winnowing keeps small hashes: of 554,220 anchors of the corpora 46 % lie in the lowest eighth and hardly any in the
# highest (2026-11). Multiplication by an odd number near 2^64 / golden ratio is a bijection, and each eighth of its
# leading bits holds 12.4 to 12.7 %.
SPREAD = np.uint64(0x9E3779B97F4A7C15)
MAX_SCANNED = 16  # entries scanned one by one: two cache lines; in a longer bucket bisection is faster
Int = int | np.int64
KEYS_AT_ONCE = 256  # 64 bytes of entries each
BLOCK_BITS = 12  # addresses in one block of a directory: 4,096, the length of a chapter
MAX_ADDRESSES = 1 << 32  # addresses of an entry have 32 bits: five times a reference corpus of 10^9 characters
MIN_BITS, MAX_BITS = 8, 32
# The most postings in a bucket; a bucket has at least half as many. 500 keys in 5.2 M postings (2026-11): 32 us with 8,
# 42 with 4 and 60 with 16: smaller buckets take memory, larger ones are read in vain.
POSTINGS_OF_BUCKET = 8


class IndexableText(Protocol):
    """The attributes of a text that an index needs; every Fingerprint has them."""

    @property
    def algorithm_id(self) -> int: ...

    @property
    def tokens(self) -> NDArray[np.uint16]: ...

    @property
    def hashes(self) -> NDArray[np.uint64]: ...

    @property
    def anchors(self) -> NDArray[np.int32]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """The postings of a text.

    keys uint64[p]; positions int64[p] in the token stream; tokens: the length of the stream.
    """

    keys: NDArray[np.uint64]
    positions: NDArray[np.int64]
    tokens: int


def sorted_postings(text: IndexableText) -> Postings:
    """Return a text's postings by ascending key.

    Of a repeated hash, only the first MAX_POSTINGS_OF_HASH_IN_TEXT are included.
    """
    kept = postings_in_text_order(text)
    order = np.argsort(kept.keys)
    return Postings(kept.keys[order], kept.positions[order], kept.tokens)


def postings_in_text_order(text: IndexableText) -> Postings:
    """Return the same postings as `sorted_postings`, in the order of the text."""
    keys, anchors, max_count = spread_hashes(text.hashes), text.anchors, MAX_POSTINGS_OF_HASH_IN_TEXT
    in_order = np.sort(keys)  # takes an eighth of the time of sorting places by key
    if (in_order[max_count:] == in_order[: max(0, keys.size - max_count)]).any():
        # Rows with one key are consecutive, in text order: a row is surplus if the row MAX_POSTINGS_OF_HASH_IN_TEXT
        # earlier has the same key.
        order = np.argsort(keys, kind="stable")
        is_kept = np.ones(keys.size, np.bool_)
        is_kept[order[max_count:]] = keys[order[max_count:]] != keys[order[: keys.size - max_count]]
        keys, anchors = keys[is_kept], anchors[is_kept]
    return Postings(keys, anchors.astype(np.int64), int(text.tokens.size))


def spread_hashes(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the key of each hash, uint64[n]. Different hashes have different keys."""
    return hashes * SPREAD


def require_same_algorithm(text: IndexableText, algorithm_id: int) -> None:
    """Raise AlgorithmMismatch if a text was fingerprinted by another algorithm."""
    if text.algorithm_id != algorithm_id:
        raise AlgorithmMismatch(text.algorithm_id, algorithm_id)


@kernel()
def find_rows(
    keys: NDArray[np.uint64], bits: int, offsets: NDArray[np.uint32], entries: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of `entries` with each key, int64[n], and the number of such rows, int64[n]."""
    firsts, ends = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    nearest = np.empty(KEYS_AT_ONCE, np.uint64)
    # Each pass reads one item for several keys, so that the processor waits for many places in memory at the same time:
    # 32 us for 500 keys, against 92 if each key is followed to its end (5.2 M postings, 2026-11).
    for start in range(0, keys.size, KEYS_AT_ONCE):
        end = min(start + KEYS_AT_ONCE, keys.size)
        for i in range(start, end):
            bucket = np.int64(keys[i] >> np.uint64(64 - bits))
            firsts[i], ends[i] = offsets[bucket], offsets[bucket + 1]
        for i in range(start, end):
            nearest[i - start] = entries[min(firsts[i], entries.size - 1)] if entries.size else 0
        for i in range(start, end):
            firsts[i], ends[i] = _find_key_rows(keys[i], bits, firsts[i], ends[i], entries)
    return firsts, ends - firsts


@kernel(allocates=False)
def _find_key_rows(key: np.uint64, bits: int, first: Int, end: Int, entries: NDArray[np.uint64]) -> tuple[Int, Int]:
    """Return the rows [first, end) of a key within the rows of its bucket."""
    low_half = np.uint64(0xFFFFFFFF)
    check = (key << np.uint64(bits)) & ~low_half
    if end - first > MAX_SCANNED:
        if check:
            first = _first_above(entries, first, end, check - np.uint64(1))
        return first, _first_above(entries, first, end, check | low_half)
    below, above = 0, 0
    for row in range(np.uint64(first), np.uint64(end)):
        below += entries[row] < check
        above += entries[row] <= check | low_half
    return first + below, first + above


@kernel(allocates=False)
def _first_above(entries: NDArray[np.uint64], low: Int, high: Int, bound: np.uint64) -> Int:
    while high - low > MAX_SCANNED:
        middle = (low + high) // 2
        if entries[middle] <= bound:
            low = middle + 1
        else:
            high = middle
    while low < high and entries[low] <= bound:
        low += 1
    return low


@kernel(allocates=False)
def find_owner(address: Int, starts: NDArray[np.int64], directory: NDArray[np.uint32]) -> Int:
    """Return the row to which an address belongs: the last row whose start is at or below it, or -1 if there is none.

    starts: ascending. directory: the owner of the first address of each block of 2^BLOCK_BITS addresses, then the last
    row. If it is empty, all rows are searched.
    """
    low: Int = np.int64(-1)
    high: Int = np.int64(starts.size - 1)
    if directory.size:
        block = address >> BLOCK_BITS
        if block + 1 < directory.size:
            low, high = np.int64(directory[block]), np.int64(directory[block + 1])
    while low < high:
        middle = (low + high + 1) // 2
        if starts[middle] <= address:
            low = middle
        else:
            high = middle - 1
    return low


@kernel()
def list_occurrences(  # noqa: PLR0917 - numba has no keyword-only arguments
    firsts: NDArray[np.int64],
    counts: NDArray[np.int64],
    is_kept: NDArray[np.bool_],
    entries: NDArray[np.uint64],
    starts: NDArray[np.int64],
    directory: NDArray[np.uint32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the occurrences of the selected keys: queries, texts (rows of `starts`) and positions, int32[h] each.

    is_kept: whether each key is selected.
    """
    size = 0
    for i in range(counts.size):
        if is_kept[i]:
            size += counts[i]
    queries, texts, positions = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.int32)
    at = 0
    for i in range(counts.size):
        if not is_kept[i]:
            continue
        for row in range(firsts[i], firsts[i] + counts[i]):
            address = np.int64(entries[row] & np.uint64(0xFFFFFFFF))
            text = find_owner(address, starts, directory)
            queries[at], texts[at], positions[at] = i, text, address - starts[text]
            at += 1
    return queries, texts, positions


@dataclass(frozen=True, slots=True, eq=False)
class PostingTable:
    """The postings of several texts, sorted by key.

    entries uint64[p]: check << 32 | address; offsets uint32[2^bits + 1]: the start of each bucket; starts int64[t]: the
    first address of each text, increasing; directory: the result of `build_directory`.
    """

    bits: int
    offsets: NDArray[np.uint32]
    entries: NDArray[np.uint64]
    starts: NDArray[np.int64]
    directory: NDArray[np.uint32]

    @classmethod
    def from_postings(cls, texts: Collection[Postings]) -> "PostingTable":
        """Return the table of several texts, numbered in this order.

        Raises BadInput if the texts have more tokens than MAX_ADDRESSES.
        """
        bounds = np.cumsum([0, *(text.tokens for text in texts)], dtype=np.int64)
        starts, end = bounds[:-1], int(bounds[-1])
        require_room(end)
        keys = np.concatenate([np.zeros(0, np.uint64), *(text.keys for text in texts)])
        address_arrays = (text.positions + start for text, start in zip(texts, starts, strict=True))
        addresses = np.concatenate([np.zeros(0, np.int64), *address_arrays])
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
        """Return the result of `MatchIndex.lookup` for these keys.

        text_id: a function from the number of a text to its id.
        """
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
    """Return how many leading bits of a key number its bucket in a table with this many postings."""
    return min(MAX_BITS, max(MIN_BITS, (postings // POSTINGS_OF_BUCKET).bit_length()))


def pack_entries(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> NDArray[np.uint64]:
    """Return the entries of postings, uint64[p]. All addresses must be below MAX_ADDRESSES."""
    return (keys << np.uint64(bits)) & np.uint64(0xFFFFFFFF00000000) | addresses.astype(np.uint64)


def build_directory(starts: NDArray[np.int64], addresses: int) -> NDArray[np.uint32]:
    """Return the text to which the first address of each block belongs, and then the last text, uint32[blocks + 1]."""
    if not starts.size:
        return np.zeros(0, np.uint32)
    blocks = np.arange((addresses >> BLOCK_BITS) + 1, dtype=np.int64) << BLOCK_BITS
    rows = np.searchsorted(starts, blocks, side="right") - 1
    return np.append(rows, starts.size - 1).astype(np.uint32)


def require_room(addresses: int) -> None:
    """Raise BadInput if a table cannot contain this many addresses."""
    if addresses > MAX_ADDRESSES:
        raise BadInput("index.too-many-tokens", most=MAX_ADDRESSES)
