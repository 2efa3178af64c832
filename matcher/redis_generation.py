"""One generation of the index in Redis: its keys, and adding, removing and fetching within it."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import cast

import numpy as np
import redis
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from fingerprint.record import Fingerprint
from matcher.postings import Buckets, bucketed
from matcher.redis_scripts import DROP_POSTINGS, PUBLISH, PUT_POSTINGS, RESERVE, WITHDRAW

# Buckets in one script call: some 2 ms of Redis' single thread, so that look-ups of others do not wait long.
BUCKETS_PER_CALL = 500
KEYS_PER_DELETE = 1_000


class Keys:
    """The names of the keys outside a generation."""

    def __init__(self, algorithm_id: int) -> None:
        self.prefix = f"zw:{algorithm_id}:"
        self.generation = self.prefix + "generation"
        self.building = self.prefix + "building"
        self.revision = self.prefix + "revision"
        self.counter = self.prefix + "counter"


@dataclass(frozen=True, slots=True)
class Answer:
    """The postings of the buckets asked for, and what the index was at that moment."""

    generation: int
    revision: int
    postings: int
    buckets: list[bytes | None]


class Generation:
    """One generation; redis' exceptions pass through."""

    def __init__(self, client: redis.Redis, keys: Keys, number: int) -> None:
        self.number = number
        self._client = client
        self._keys = keys
        self._prefix = f"{keys.prefix}{number}:"
        self._meta, self._texts, self._names = self._key("meta"), self._key("texts"), self._key("names")
        self._pending, self._removing = self._key("pending"), self._key("removing")
        self._counts = self._key("counts")
        self._known_bucket_bits = 0

    @classmethod
    def create(cls, client: redis.Redis, keys: Keys, number: int, bucket_bits: int) -> "Generation":
        """Open a new generation without texts."""
        generation = cls(client, keys, number)
        client.hset(generation._meta, mapping={"bucket_bits": bucket_bits, "ordinal": 0, "postings": 0})
        return generation

    @property
    def bucket_bits(self) -> int:
        """How many leading bits of a hash name its bucket. Raises IndexStale when the generation is gone."""
        if not self._known_bucket_bits:
            self._known_bucket_bits = int(self._client.hget(self._meta, "bucket_bits") or 0)
            if not self._known_bucket_bits:
                raise IndexStale("empty")
        return self._known_bucket_bits

    def exists(self) -> bool:
        return bool(self._client.exists(self._meta))

    def sizes(self) -> tuple[int, int]:
        """How many texts and postings."""
        return int(self._client.hlen(self._texts)), int(self._client.hget(self._meta, "postings") or 0)

    def text_ids(self) -> frozenset[WorkTextId]:
        return frozenset(_as_id(text_id) for text_id in self._client.hkeys(self._texts))

    def names(self, ordinals: Sequence[int]) -> dict[int, WorkTextId]:
        """The text ids of those of `ordinals` that are there."""
        if not ordinals:
            return {}
        found = self._client.hmget(self._names, list(ordinals))
        return {ordinal: _as_id(name) for ordinal, name in zip(ordinals, found, strict=True) if name}

    def fetch(self, buckets: NDArray[np.uint32]) -> Answer:
        """Fetch the distinct ones of `buckets`, in increasing order, in one round trip."""
        keys = self._bucket_keys(np.unique(buckets))
        pipeline = self._client.pipeline(transaction=False)
        pipeline.mget(self._keys.generation, self._keys.revision)
        pipeline.hget(self._meta, "postings")
        if keys:
            pipeline.mget(keys)
        (generation, revision), postings, *found = pipeline.execute()
        is_there = generation and postings is not None
        return Answer(
            int(generation) if is_there else 0, int(revision or 0), int(postings or 0), found[0] if found else []
        )

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint, is_counted: bool) -> bool:
        """Add a text under a reserved ordinal, and say whether it was not there; it is when all its postings are."""
        self._finish_removals()
        ordinal = int(self._client.eval(RESERVE, 3, self._texts, self._pending, self._meta, text_id))
        if not ordinal:
            return False
        buckets = bucketed(fingerprint, ordinal, self.bucket_bits)
        self._client.set(self._text_key(ordinal), _packed_numbers(buckets.numbers))
        self._put(buckets, ordinal)
        keys = [self._texts, self._pending, self._meta, self._names, self._counts, self._keys.revision]
        self._client.eval(PUBLISH, len(keys), *keys, text_id, ordinal, buckets.records.size, int(is_counted))
        return True

    def remove(self, text_id: WorkTextId, is_counted: bool) -> None:
        """Take a text out; it is gone at once, its postings follow."""
        keys = [self._texts, self._removing, self._meta, self._names, self._counts, self._keys.revision]
        self._client.eval(WITHDRAW, len(keys), *keys, text_id, int(is_counted))
        self._finish_removals()

    def delete(self) -> None:
        """Free every key of this generation, in batches."""
        self._client.delete(self._meta)
        keys = self._client.scan_iter(match=self._prefix + "*", count=KEYS_PER_DELETE)
        while batch := list(islice(keys, KEYS_PER_DELETE)):
            self._client.unlink(*batch)

    def _put(self, buckets: Buckets, ordinal: int) -> None:
        raw, size = buckets.records.tobytes(), buckets.records.itemsize
        bounds = (buckets.bounds * size).tolist()
        blobs = [raw[start:end] for start, end in pairwise(bounds)]
        keys = self._bucket_keys(buckets.numbers)
        put = self._client.register_script(PUT_POSTINGS)
        for batch in _spans(len(keys), BUCKETS_PER_CALL):
            put(keys=keys[batch], args=[_ordinal_bytes(ordinal), *blobs[batch]])

    def _finish_removals(self) -> None:
        for ordinal in map(int, self._client.smembers(self._removing)):
            packed = self._client.get(self._text_key(ordinal))
            numbers = _unpacked_numbers(packed) if packed else np.zeros(0, np.uint32)
            keys = self._bucket_keys(numbers)
            drop = self._client.register_script(DROP_POSTINGS)
            for batch in _spans(len(keys), BUCKETS_PER_CALL):
                drop(keys=keys[batch], args=[_ordinal_bytes(ordinal)])
            self._client.srem(self._removing, ordinal)
            self._client.delete(self._text_key(ordinal))

    def _bucket_keys(self, numbers: NDArray[np.uint32]) -> list[bytes]:
        prefix = self._key("b:").encode()
        raw = numbers.astype(">u4").tobytes()
        return [prefix + raw[at : at + 4] for at in range(0, len(raw), 4)]

    def _text_key(self, ordinal: int) -> str:
        return self._key(f"t:{ordinal}")

    def _key(self, name: str) -> str:
        return self._prefix + name


def _ordinal_bytes(ordinal: int) -> bytes:
    return ordinal.to_bytes(4, "little")


def _packed_numbers(numbers: NDArray[np.uint32]) -> bytes:
    return zlib.compress(np.diff(numbers, prepend=np.uint32(0)).astype("<u4").view(np.uint8).reshape(-1, 4).T.tobytes())


def _as_id(stored: bytes | str) -> WorkTextId:
    return WorkTextId(stored.decode() if isinstance(stored, bytes) else stored)


def _unpacked_numbers(packed: bytes | str) -> NDArray[np.uint32]:
    planes = np.frombuffer(zlib.decompress(cast("bytes", packed)), np.uint8).reshape(4, -1)
    return np.cumsum(np.ascontiguousarray(planes.T).view("<u4").reshape(-1), dtype=np.uint32)


def _spans(size: int, step: int) -> Iterator[slice]:
    return (slice(start, start + step) for start in range(0, size, step))
