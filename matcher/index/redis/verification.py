"""Compares a whole index with the fingerprints of its texts: every range, every posting."""

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


class IndexPlace(StrEnum):
    """The part of an index that differs from its source."""

    GENERATION = "generation"  # the keys that identify the generation in use and whether it is complete
    TEXTS = "texts"
    COUNTS = "counts"
    LOG = "log"
    POSTINGS = "postings"


@dataclass(slots=True)
class IndexFaults:
    """The faults of an index by place.

    unknown: texts in the index without a fingerprint to compare; not a fault.
    """

    found: dict[IndexPlace, int] = field(default_factory=dict)
    texts: int = 0
    unknown: int = 0

    def note(self, place: IndexPlace, count: int = 1) -> None:
        if count:
            self.found[place] = self.found.get(place, 0) + count


Fingerprints = Callable[[WorkTextId], IndexableText | None]


def verify(
    link: RedisLink, keys: Keys, fingerprint_of: Fingerprints, tell: Callable[[int, int], None]
) -> IndexFaults | None:
    """Verify the whole generation in use, except texts that have no fingerprint.

    Returns None if it keeps changing: concurrent changes would look like faults.
    """
    for _ in range(MAX_ATTEMPTS):
        before = _change_marks(link, keys)
        faults = IndexFaults()
        try:
            generation = Generation.in_use(link, keys)
            if generation is None:
                faults.note(IndexPlace.GENERATION)
                return faults
            texts = _text_ranges(link, generation, faults)
            _check_counts(link, generation, texts, faults)
            _check_postings(link, generation, texts, fingerprint_of, faults, tell)
        except (IndexStale, redis.ResponseError, redis.DataError):  # its type has changed
            faults.note(IndexPlace.GENERATION)
        if _change_marks(link, keys) == before:
            return faults
    return None


def _change_marks(link: RedisLink, keys: Keys) -> tuple[object, ...]:
    """Return values that change with every addition, removal and rebuild; raw bytes if a value is not a number."""
    return tuple(link.one("MGET", keys.generation, keys.revision, keys.origin, keys.filling))


def _text_ranges(link: RedisLink, generation: Generation, faults: IndexFaults) -> dict[WorkTextId, Range]:
    texts: dict[WorkTextId, Range] = {}
    for name, stored in link.one("HGETALL", generation.names.texts).items():
        if name[:1] not in (DIGEST, OTHER) or len(stored) != RANGE_BYTES or not _is_text(name[1:], name[:1]):
            faults.note(IndexPlace.TEXTS)
        else:
            texts[unpack_id(name)] = Range.from_bytes(stored)
    faults.texts = len(texts)
    return texts


def _is_text(rest: bytes, kind: bytes) -> bool:
    try:
        return len(rest) == 20 if kind == DIGEST else bool(rest.decode())
    except UnicodeDecodeError:
        return False


def _check_counts(
    link: RedisLink, generation: Generation, texts: Mapping[WorkTextId, Range], faults: IndexFaults
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
        end, postings, logged, buried = (int(count or 0) for count in counts)
    except ValueError:
        faults.note(IndexPlace.COUNTS)
        return
    last = max((its.start + its.size for its in texts.values()), default=0)
    is_right = postings == sum(its.postings for its in texts.values()) and last <= end <= MAX_ADDRESSES
    faults.note(IndexPlace.COUNTS, int(not (is_right and logged == len(log) and buried == len(dead))))
    ranges = {its.to_bytes() for its in texts.values()} | set(dead)
    noted = {entry[:RANGE_BYTES] for entry in log}
    faults.note(IndexPlace.LOG, sum(entry[:RANGE_BYTES] not in ranges for entry in log))
    faults.note(IndexPlace.LOG, sum(its.to_bytes() not in noted for its in texts.values()))
    named = {(entry[:RANGE_BYTES], entry[RANGE_BYTES:]) for entry in log}
    stored = {(value, name) for name, value in link.one("HGETALL", names.texts).items()}
    faults.note(IndexPlace.LOG, len(stored - named))
    starts = sorted((its.start, its.start + its.size) for its in texts.values())
    overlaps = sum(a[1] > b[0] for a, b in pairwise(starts))
    faults.note(IndexPlace.TEXTS, overlaps + sum(len(entry) != RANGE_BYTES for entry in dead))


def _check_postings(  # noqa: PLR0917 - what is compared with what
    link: RedisLink,
    generation: Generation,
    texts: Mapping[WorkTextId, Range],
    fingerprint_of: Fingerprints,
    faults: IndexFaults,
    tell: Callable[[int, int], None],
) -> None:
    with PostingRuns() as runs:
        known: list[Range] = []
        for done, (text_id, its) in enumerate(texts.items(), start=1):
            fingerprint = fingerprint_of(text_id)
            tell(done, 2 * len(texts))
            if fingerprint is None:
                faults.unknown += 1
                continue
            postings = sorted_postings(fingerprint)
            if (its.size, its.postings) != (max(1, postings.tokens), postings.keys.size):
                faults.note(IndexPlace.TEXTS)
                continue
            known.append(its)
            runs.add_postings(postings.keys, postings.positions + its.start)
        owned = _OwnedAddresses(known)
        for part, (keys, addresses) in enumerate(runs.parts()):
            wanted = _expected_rows(keys, addresses, generation.bucket_bits)
            held, broken = _stored_rows(link, generation, part, owned)
            faults.note(IndexPlace.POSTINGS, broken + _count_differences(wanted, held))
            tell(len(texts) + (part + 1) * len(texts) // PARTS, 2 * len(texts))


class _OwnedAddresses:
    """The addresses of the compared texts."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        bounds = sorted((its.start, its.start + its.size) for its in ranges)
        self._starts = np.array([start for start, _ in bounds], np.int64)
        self._ends = np.array([end for _, end in bounds], np.int64)

    def are(self, addresses: NDArray[np.int64]) -> NDArray[np.bool_]:
        if not self._starts.size:
            return np.zeros(addresses.size, np.bool_)
        rows = np.searchsorted(self._starts, addresses, side="right") - 1
        return (rows >= 0) & (addresses < self._ends[rows])


def _expected_rows(keys: NDArray[np.uint64], addresses: NDArray[np.int64], bits: int) -> NDArray[np.uint64]:
    """Return bucket and record of each posting, in order, uint64[n, 2]."""
    buckets = make_buckets(keys, addresses, bits)
    return _bucket_rows(buckets.numbers, buckets.values)


def _bucket_rows(numbers: NDArray[np.int64], values: Iterable[bytes]) -> NDArray[np.uint64]:
    pieces = list(values)
    records = np.frombuffer(b"".join(pieces), "<u8").astype(np.uint64)
    of = np.repeat(numbers, [len(piece) // RECORD_BYTES for piece in pieces]).astype(np.uint64)
    rows = np.stack([of, records], axis=1)
    return rows[np.lexsort((records, of))]


def _stored_rows(
    link: RedisLink, generation: Generation, part: int, owned: _OwnedAddresses
) -> tuple[NDArray[np.uint64], int]:
    """Return the stored rows in a part of the buckets, and the number of damaged buckets."""
    step = (1 << generation.bucket_bits) // PARTS
    found: list[NDArray[np.uint64]] = []
    broken = 0
    for first in range(part * step, (part + 1) * step, BUCKETS_AT_ONCE):
        numbers = np.arange(first, min(first + BUCKETS_AT_ONCE, (part + 1) * step))
        names = generation.names.buckets(numbers, generation.bucket_bits)
        groups = list(generation.groups(numbers, numbers.size))
        asked = [(verb, *names[group.first : group.last]) for verb in ("MGET", "EXISTS") for group in groups]
        answers = link.ask(asked)
        read, present = answers[: len(groups)], answers[len(groups) :]
        values = [value or b"" for values in read for value in values]
        # MGET returns nothing for a key of another type, which would make a write fail.
        broken += max(0, sum(present) - sum(value is not None for values in read for value in values))
        whole = [value if len(value) % RECORD_BYTES == 0 else b"" for value in values]
        broken += sum(len(value) % RECORD_BYTES != 0 for value in values)
        rows = _bucket_rows(numbers, whole)
        addresses = (rows[:, 1] & np.uint64((1 << ADDRESS_BITS) - 1)).astype(np.int64)
        found.append(rows[owned.are(addresses)])
    return np.concatenate(found), broken


def _count_differences(wanted: NDArray[np.uint64], held: NDArray[np.uint64]) -> int:
    """Return the number of postings that are on one side only."""
    if wanted.shape == held.shape and np.array_equal(wanted, held):
        return 0
    a, b = set(map(tuple, wanted.tolist())), set(map(tuple, held.tolist()))
    return max(1, len(a ^ b))
