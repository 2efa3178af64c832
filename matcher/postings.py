"""Postings: a text's anchors as fixed records in buckets by the leading bits of their hash. Shared by both indexes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import AlgorithmMismatch
from fingerprint.record import Fingerprint

# Low half of the hash, text ordinal, stream position: 12 bytes a posting. With the bucket's bits a hash is told apart
# by bucket_bits + 32 bits; at 18 bits and 10^8 postings one look-up in 10^7 meets a stranger: verification drops it.
RECORD = np.dtype([("check", "<u4"), ("ordinal", "<u4"), ("position", "<u4")])
# One passage repeated in one text (a refrain, an advertisement) is found at its first places; more only cost.
MAX_POSTINGS_OF_HASH_IN_TEXT = 16


@dataclass(frozen=True, slots=True, eq=False)
class Buckets:
    """A text's postings: bucket numbers uint32[b], increasing; records of bucket i are rows bounds[i]:bounds[i+1]."""

    numbers: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    records: NDArray[np.void]


def bucketed(fingerprint: Fingerprint, ordinal: int, bucket_bits: int) -> Buckets:
    """The postings of a text under its ordinal, in order of bucket."""
    order = np.argsort(fingerprint.hashes, kind="stable")
    hashes = fingerprint.hashes[order]
    kept = _rank_among_equals(hashes) < MAX_POSTINGS_OF_HASH_IN_TEXT
    hashes, positions = hashes[kept], fingerprint.anchors[order][kept]
    records = np.empty(hashes.size, RECORD)
    records["check"] = hashes & np.uint64(0xFFFFFFFF)
    records["ordinal"] = ordinal
    records["position"] = positions
    numbers, firsts = np.unique(bucket_numbers(hashes, bucket_bits), return_index=True)
    return Buckets(numbers, np.append(firsts, hashes.size), records)


def bucket_numbers(hashes: NDArray[np.uint64], bucket_bits: int) -> NDArray[np.uint32]:
    """uint32[n]: the leading bits of each hash."""
    return (hashes >> np.uint64(64 - bucket_bits)).astype(np.uint32)


def found_in(
    checks: NDArray[np.uint32], groups: NDArray[np.int64], records: NDArray[np.void], record_groups: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Join asked hashes with records of the same group (bucket) and check.

    Returns rows of the question and rows of `records`, one pair for each occurrence. The questions are distinct.
    """
    asked = (groups.astype(np.uint64) << np.uint64(32)) | checks
    order = np.argsort(asked)
    there = (record_groups.astype(np.uint64) << np.uint64(32)) | records["check"]
    place = np.searchsorted(asked[order], there)
    place[place == asked.size] = 0
    rows = np.flatnonzero(asked[order][place] == there) if asked.size else np.zeros(0, np.int64)
    return order[place[rows]], rows


def without_common(
    questions: NDArray[np.int64], rows: NDArray[np.int64], asked: int, max_postings: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Drop occurrences of questions with more than `max_postings`; the third answer is how many questions that were."""
    counts = np.bincount(questions, minlength=asked)
    is_common = counts > max_postings
    kept = ~is_common[questions]
    return questions[kept], rows[kept], int(np.count_nonzero(is_common))


def require_same_algorithm(fingerprint: Fingerprint, algorithm_id: int) -> None:
    """Raise AlgorithmMismatch for a fingerprint of another algorithm."""
    if fingerprint.algorithm_id != algorithm_id:
        raise AlgorithmMismatch(fingerprint.algorithm_id, algorithm_id)


def _rank_among_equals(ordered: NDArray[np.uint64]) -> NDArray[np.int64]:
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]])) if ordered.size else ordered[:0]
    lengths = np.append(starts[1:], ordered.size).astype(np.int64) - starts.astype(np.int64)
    return np.arange(ordered.size) - np.repeat(starts.astype(np.int64), lengths)
