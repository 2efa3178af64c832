"""Buckets in Redis: strings of 8-byte records, each with some bits of a key and an address.

A record consists of the 28 bits of the key after its bucket bits, and 36 bits of address, little endian. At any size of
the index a bucket has about 32 postings, so one in 8 million keys has the same bits as another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel

RECORD_BYTES = 8
CHECK_BITS, ADDRESS_BITS = 28, 36
MAX_ADDRESSES = 1 << ADDRESS_BITS  # 80 times a corpus of 10^9 characters: addresses are never reused


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """Several buckets. numbers int64[b], increasing; values: the records of each bucket."""

    numbers: NDArray[np.int64]
    values: list[bytes]


def make_buckets(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> Buckets:
    """Return the buckets of postings sorted by key."""
    numbers = bucket_numbers(keys, bits)
    firsts = np.flatnonzero(np.concatenate([[True], numbers[1:] != numbers[:-1]])) if numbers.size else numbers
    raw = _pack_records(keys, addresses, bits)
    bounds = (np.append(firsts, keys.size) * RECORD_BYTES).tolist()
    return Buckets(numbers[firsts], [raw[start:end] for start, end in pairwise(bounds)])


def bucket_numbers(keys: NDArray[np.uint64], bits: int) -> NDArray[np.int64]:
    """Return the bucket number of each key, which is its leading bits, int64[n]."""
    return (keys >> np.uint64(64 - bits)).astype(np.int64)


def key_checks(keys: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    """Return the CHECK_BITS bits of each key after its bucket bits, uint64[n]."""
    return (keys << np.uint64(bits)) >> np.uint64(ADDRESS_BITS)


def _pack_records(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> bytes:
    records = key_checks(keys, bits) << np.uint64(ADDRESS_BITS) | addresses.astype(np.uint64)
    return records.astype("<u8").tobytes()


def join_buckets(values: Sequence[bytes | None]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the concatenated records of several buckets, and the start of each, int64[b + 1]."""
    filled = [value or b"" for value in values]
    bounds = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, filled), np.int64, len(filled)), out=bounds[1:])
    records = np.frombuffer(b"".join(filled), "<u8").astype(np.uint64, copy=False)
    return records, bounds // RECORD_BYTES


@kernel()
def occurrences(
    checks: NDArray[np.uint64],
    buckets: NDArray[np.int64],
    records: NDArray[np.uint64],
    bounds: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the records of each key: queries int32[h] and addresses int64[h].

    checks: the check of each key; buckets: the index of its bucket in `bounds`.
    """
    size = 0
    for i in range(checks.size):
        for row in range(bounds[buckets[i]], bounds[buckets[i] + 1]):
            size += (records[row] >> np.uint64(ADDRESS_BITS)) == checks[i]
    queries, addresses = np.empty(size, np.int32), np.empty(size, np.int64)
    row_count = 0
    for i in range(checks.size):
        for row in range(bounds[buckets[i]], bounds[buckets[i] + 1]):
            if (records[row] >> np.uint64(ADDRESS_BITS)) == checks[i]:
                queries[row_count], addresses[row_count] = i, np.int64(records[row] & np.uint64(MAX_ADDRESSES - 1))
                row_count += 1
    return queries, addresses


@kernel()
def drop_ranges(
    records: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return buckets without the records in some ranges of addresses, in the form of `join_buckets`.

    starts, ends: the bounds of the ranges, ascending and disjoint.
    """
    kept, new_bounds = np.empty(records.size, np.uint64), np.zeros(bounds.size, np.int64)
    size = 0
    for bucket in range(bounds.size - 1):
        for row in range(bounds[bucket], bounds[bucket + 1]):
            address = np.int64(records[row] & np.uint64(MAX_ADDRESSES - 1))
            range_index = np.searchsorted(starts, address, side="right") - 1
            if range_index < 0 or address >= ends[range_index]:
                kept[size] = records[row]
                size += 1
        new_bounds[bucket + 1] = size
    return kept[:size], new_bounds
