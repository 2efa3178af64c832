"""Compares a whole index with the fingerprints of its texts: every range and every posting."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

import numpy as np
import redis
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from matcher.index.posting_runs import PARTS, PostingRuns
from matcher.index.postings import IndexableText, sorted_postings
from matcher.index.redis.buckets import ADDRESS_BITS, MAX_ADDRESSES, RECORD_BYTES, make_buckets
from matcher.index.redis.generation import MAX_ATTEMPTS, Generation
from matcher.index.redis.keys import Keys
from matcher.index.redis.link import RedisLink
from matcher.index.redis.text_table import DIGEST, OTHER, RANGE_BYTES, Range, unpack_id

BUCKETS_AT_ONCE = 4_000  # 1 MB at 32 postings a bucket


class IndexPart(StrEnum):
    """A part of an index that may differ from its source."""

    GENERATION = "generation"  # the keys that identify the generation in use and whether it is complete
    TEXTS = "texts"
    COUNTS = "counts"
    LOG = "log"
    POSTINGS = "postings"


@dataclass(slots=True)
class IndexErrors:
    """The number of errors in an index, by part.

    texts: how many texts the index has; unknown: how many of them have no fingerprint to compare, which is not an
    error.
    """

    found: dict[IndexPart, int] = field(default_factory=dict)
    texts: int = 0
    unknown: int = 0

    def note(self, part: IndexPart, count: int = 1) -> None:
        if count:
            self.found[part] = self.found.get(part, 0) + count


Fingerprints = Callable[[WorkTextId], IndexableText | None]


def verify(
    link: RedisLink, keys: Keys, find_fingerprint: Fingerprints, on_progress: Callable[[int, int], None]
) -> IndexErrors | None:
    """Compare the whole generation in use with the fingerprints of its texts.

    on_progress: called with the steps done and all steps. Texts without a fingerprint are not compared. Returns None if
    the index keeps changing, since concurrent changes would look like errors.
    """
    for _ in range(MAX_ATTEMPTS):
        before = _change_marks(link, keys)
        errors = IndexErrors()
        try:
            generation = Generation.in_use(link, keys)
            if generation is None:
                errors.note(IndexPart.GENERATION)
                return errors
            texts = _text_ranges(link, generation, errors)
            _check_counts(link, generation, texts, errors)
            _check_postings(link, generation, texts, find_fingerprint, errors, on_progress)
        except (IndexStale, redis.ResponseError, redis.DataError):  # its type has changed
            errors.note(IndexPart.GENERATION)
        if _change_marks(link, keys) == before:
            return errors
    return None


def _change_marks(link: RedisLink, keys: Keys) -> tuple[object, ...]:
    """Return values that change with every addition, removal and rebuild, as raw bytes."""
    return tuple(link.one("MGET", keys.generation, keys.revision, keys.origin, keys.filling))


def _text_ranges(link: RedisLink, generation: Generation, errors: IndexErrors) -> dict[WorkTextId, Range]:
    texts: dict[WorkTextId, Range] = {}
    for name, stored in link.one("HGETALL", generation.names.texts).items():
        if name[:1] not in (DIGEST, OTHER) or len(stored) != RANGE_BYTES or not _is_text(name[1:], name[:1]):
            errors.note(IndexPart.TEXTS)
        else:
            texts[unpack_id(name)] = Range.from_bytes(stored)
    errors.texts = len(texts)
    return texts


def _is_text(rest: bytes, kind: bytes) -> bool:
    try:
        return len(rest) == 20 if kind == DIGEST else bool(rest.decode())
    except UnicodeDecodeError:
        return False


def _check_counts(
    link: RedisLink, generation: Generation, texts: Mapping[WorkTextId, Range], errors: IndexErrors
) -> None:
    names = generation.names
    counts, log, dead = link.ask(
        [
            ("HMGET", names.meta, "end", "postings", "logged", "dead"),
            ("LRANGE", names.log, 0, -1),
            ("LRANGE", names.dead, 0, -1),
        ]
    )
    try:
        end, postings, logged, dead_count = (int(count or 0) for count in counts)
    except ValueError:
        errors.note(IndexPart.COUNTS)
        return
    last = max((addresses.start + addresses.size for addresses in texts.values()), default=0)
    is_right = postings == sum(addresses.postings for addresses in texts.values()) and last <= end <= MAX_ADDRESSES
    errors.note(IndexPart.COUNTS, int(not (is_right and logged == len(log) and dead_count == len(dead))))
    ranges = {addresses.to_bytes() for addresses in texts.values()} | set(dead)
    logged_ranges = {entry[:RANGE_BYTES] for entry in log}
    errors.note(IndexPart.LOG, sum(entry[:RANGE_BYTES] not in ranges for entry in log))
    errors.note(IndexPart.LOG, sum(addresses.to_bytes() not in logged_ranges for addresses in texts.values()))
    logged_texts = {(entry[:RANGE_BYTES], entry[RANGE_BYTES:]) for entry in log}
    stored = {(value, name) for name, value in link.one("HGETALL", names.texts).items()}
    errors.note(IndexPart.LOG, len(stored - logged_texts))
    starts = sorted((addresses.start, addresses.start + addresses.size) for addresses in texts.values())
    overlaps = sum(first[1] > second[0] for first, second in pairwise(starts))
    errors.note(IndexPart.TEXTS, overlaps + sum(len(entry) != RANGE_BYTES for entry in dead))


def _check_postings(  # noqa: PLR0917 - both sides of the comparison
    link: RedisLink,
    generation: Generation,
    texts: Mapping[WorkTextId, Range],
    find_fingerprint: Fingerprints,
    errors: IndexErrors,
    on_progress: Callable[[int, int], None],
) -> None:
    with PostingRuns() as runs:
        known: list[Range] = []
        for number, (text_id, text_range) in enumerate(texts.items(), start=1):
            fingerprint = find_fingerprint(text_id)
            on_progress(number, 2 * len(texts))
            if fingerprint is None:
                errors.unknown += 1
                continue
            postings = sorted_postings(fingerprint)
            if (text_range.size, text_range.postings) != (max(1, postings.tokens), postings.keys.size):
                errors.note(IndexPart.TEXTS)
                continue
            known.append(text_range)
            runs.add_postings(postings.keys, postings.positions + text_range.start)
        owned = _OwnedAddresses(known)
        for part, (keys, addresses) in enumerate(runs.parts()):
            expected = _expected_rows(keys, addresses, generation.bucket_bits)
            stored, damaged = _stored_rows(link, generation, part, owned)
            errors.note(IndexPart.POSTINGS, damaged + _count_differences(expected, stored))
            on_progress(len(texts) + (part + 1) * len(texts) // PARTS, 2 * len(texts))


class _OwnedAddresses:
    """The addresses that belong to the compared texts."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        bounds = sorted((addresses.start, addresses.start + addresses.size) for addresses in ranges)
        self._starts = np.array([start for start, _ in bounds], np.int64)
        self._ends = np.array([end for _, end in bounds], np.int64)

    def contain(self, addresses: NDArray[np.int64]) -> NDArray[np.bool_]:
        if not self._starts.size:
            return np.zeros(addresses.size, np.bool_)
        rows = np.searchsorted(self._starts, addresses, side="right") - 1
        return (rows >= 0) & (addresses < self._ends[rows])


def _expected_rows(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> NDArray[np.uint64]:
    """Return the bucket and the record of each posting, sorted, uint64[n, 2]."""
    buckets = make_buckets(keys, addresses, bits)
    return _bucket_rows(buckets.numbers, buckets.values)


def _bucket_rows(numbers: NDArray[np.int64], values: Iterable[bytes]) -> NDArray[np.uint64]:
    parts = list(values)
    records = np.frombuffer(b"".join(parts), "<u8").astype(np.uint64)
    bucket_of_record = np.repeat(numbers, [len(part) // RECORD_BYTES for part in parts]).astype(np.uint64)
    rows = np.stack([bucket_of_record, records], axis=1)
    return rows[np.lexsort((records, bucket_of_record))]


def _stored_rows(
    link: RedisLink, generation: Generation, part: int, owned: _OwnedAddresses
) -> tuple[NDArray[np.uint64], int]:
    """Return the stored rows in a part of the index, sorted, and the number of damaged buckets.

    See `_expected_rows`.
    """
    step = (1 << generation.bucket_bits) // PARTS
    found: list[NDArray[np.uint64]] = []
    damaged = 0
    for first in range(part * step, (part + 1) * step, BUCKETS_AT_ONCE):
        numbers = np.arange(first, min(first + BUCKETS_AT_ONCE, (part + 1) * step))
        names = generation.names.buckets(numbers, generation.bucket_bits)
        groups = list(generation.groups(numbers, numbers.size))
        commands = [(verb, *names[group.first : group.last]) for verb in ("MGET", "EXISTS") for group in groups]
        responses = link.ask(commands)
        bucket_values, key_counts = responses[: len(groups)], responses[len(groups) :]
        values = [value or b"" for values in bucket_values for value in values]
        # MGET returns nothing for a key of another type, which would make a write fail.
        damaged += max(0, sum(key_counts) - sum(value is not None for values in bucket_values for value in values))
        intact_values = [value if len(value) % RECORD_BYTES == 0 else b"" for value in values]
        damaged += sum(len(value) % RECORD_BYTES != 0 for value in values)
        rows = _bucket_rows(numbers, intact_values)
        addresses = (rows[:, 1] & np.uint64((1 << ADDRESS_BITS) - 1)).astype(np.int64)
        found.append(rows[owned.contain(addresses)])
    return np.concatenate(found), damaged


def _count_differences(expected: NDArray[np.uint64], stored: NDArray[np.uint64]) -> int:
    """Return the number of postings that are in only one of two sorted arrays; at least 1 if the arrays differ."""
    if expected.shape == stored.shape and np.array_equal(expected, stored):
        return 0
    expected_rows, stored_rows = set(map(tuple, expected.tolist())), set(map(tuple, stored.tolist()))
    return max(1, len(expected_rows ^ stored_rows))
