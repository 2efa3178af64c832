"""One generation of the index in Redis: reads, adds and removes texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from matcher.index.postings import Postings
from matcher.index.redis.buckets import MAX_ADDRESSES, bucket_numbers, make_buckets
from matcher.index.redis.journal import JournalEntry
from matcher.index.redis.keys import SHARDS, GenerationKeys, Keys, shard_numbers
from matcher.index.redis.link import Command, RedisLink, number, script
from matcher.index.redis.scripts import (
    GONE,
    NOT_JOURNALLED,
    PUBLISH,
    PUT_POSTINGS,
    RESERVE,
    SUPERSEDED,
    TEXT_IS_THERE,
    WITHDRAW,
)
from matcher.index.redis.text_table import Range, TextTable, pack_id, unpack_id

# Buckets in one script call: some 1 ms of Redis' single thread, so that look-ups of others do not wait long.
BUCKETS_PER_CALL = 500
MAX_ATTEMPTS = 5  # for data that others may change in the meantime
STATE_FIELDS = ("postings", "logged", "dead")


class GenerationGone(Exception):
    """The generation was replaced or lost during an operation."""


@dataclass(frozen=True, slots=True)
class ShardGroup:
    """Buckets that one command may touch: rows first:last, and the marker of their shard."""

    first: int
    last: int
    marker: str


class Generation:
    """One generation of the index. Exceptions of the driver propagate."""

    def __init__(self, link: RedisLink, keys: Keys, generation: int, bucket_bits: int) -> None:
        """Set up a generation.

        bucket_bits: the number of leading bits of a key that number its bucket.
        """
        self.number = generation
        self.bucket_bits = bucket_bits
        self.names = GenerationKeys(keys, generation)
        self.texts = TextTable(link, self.names)
        self._link = link
        self._keys = keys

    @classmethod
    def in_use(cls, link: RedisLink, keys: Keys) -> "Generation | None":
        """Return the generation in use, or None if it is missing or incomplete."""
        generation = number(link.one("GET", keys.generation))
        if not generation:
            return None
        found = cls(link, keys, generation, 0)
        found.bucket_bits = number(link.one("HGET", found.names.meta, "bucket_bits"))
        return found if found.bucket_bits and found.is_whole() else None

    @classmethod
    def create(cls, link: RedisLink, keys: Keys, generation: int, bucket_bits: int, servers: str = "") -> "Generation":
        """Open a new generation without texts. servers: the servers of the cluster it is written to."""
        created = cls(link, keys, generation, bucket_bits)
        link.ask([("SET", marker, 1) for marker in created.names.markers])
        fields = {"bucket_bits": bucket_bits, "end": 0, "postings": 0, "servers": servers}
        link.one("HSET", created.names.meta, *(word for field in fields.items() for word in field))
        return created

    def servers(self) -> str:
        """Return the servers that the cluster had when the generation was created."""
        return (self._link.one("HGET", self.names.meta, "servers") or b"").decode()

    def is_whole(self) -> bool:
        """Return whether every shard is present: a cluster may have lost the shards of one server."""
        markers = self.names.markers
        asked: list[Command] = [("EXISTS", marker) for marker in markers]
        found: list[int] = self._link.ask(asked if self._link.is_cluster else [("EXISTS", *markers)])
        return sum(found) == SHARDS

    def text_ids(self) -> frozenset[WorkTextId]:
        return frozenset(unpack_id(text_id) for text_id in self._link.one("HKEYS", self.names.texts))

    def fetch(self, buckets: NDArray[np.int64]) -> tuple[int, list[bytes | None]]:
        """Return the size of the index and some buckets, in one round trip, and update the table of texts.

        buckets: ascending and distinct. Raises GenerationGone if this generation is incomplete or no longer in use.
        """
        names = self.names.buckets(buckets, self.bucket_bits)
        groups = self.groups(buckets, max(1, len(names)))
        commands: list[Command] = [("MGET", group.marker, *names[group.first : group.last]) for group in groups]
        # Last, so that on one server the buckets are read before.
        commands += [("GET", self._keys.generation), ("HMGET", self.names.meta, *STATE_FIELDS)]
        *found, in_use, (postings, logged, dead) = self._link.ask_unchecked(commands)
        if number(in_use) != self.number or postings is None or not all(values[0] for values in found):
            raise GenerationGone
        self.texts.refresh(number(logged), number(dead))
        return number(postings), [value for values in found for value in values[1:]]

    def add_text(self, text_id: WorkTextId, postings: Postings, is_counted: bool) -> bool:
        """Add a text, and return whether it was missing. It can be found once all its postings are written.

        is_counted: whether to increase the revision and pass the text to a generation being built. Raises
        GenerationGone.
        """
        name = pack_id(text_id)
        while True:
            reserved = self._reserve_range(name, postings)
            if reserved is None:
                return False
            self._write_postings(postings.keys, postings.positions + reserved.start)
            answer = self._publish_text(name, reserved, JournalEntry(text_id, postings), is_counted)
            if answer != SUPERSEDED:
                return answer != TEXT_IS_THERE

    def remove(self, text_id: WorkTextId, is_counted: bool) -> None:
        """Remove a text at once; its postings are freed later. Raises GenerationGone."""
        names, keys = self.names, self._keys
        touched = [names.texts, names.pending, names.meta, names.dead, keys.revision, keys.filling, keys.journal]
        arguments = [pack_id(text_id), int(is_counted), JournalEntry(text_id, None).to_bytes()]
        if self._link.one(*script(WITHDRAW, touched, arguments)) == GONE:
            raise GenerationGone

    def groups(self, buckets: NDArray[np.int64], most: int = BUCKETS_PER_CALL) -> Iterator[ShardGroup]:
        """Yield ascending buckets in groups of at most `most` that one command may touch."""
        if not buckets.size:
            return
        shards = shard_numbers(buckets, self.bucket_bits)
        bounds = [0, buckets.size]
        if self._link.is_cluster:
            bounds = [0, *(np.flatnonzero(np.diff(shards)) + 1).tolist(), buckets.size]
        for begin, end in pairwise(bounds):
            for first in range(begin, end, most):
                yield ShardGroup(first, min(end, first + most), self.names.markers[int(shards[first])])

    def _reserve_range(self, name: bytes, postings: Postings) -> Range | None:
        """Return the range for a new text, or None if the text is present."""
        names, size = self.names, max(1, postings.tokens)
        touched = [names.texts, names.pending, names.meta, names.dead]
        start = int(self._link.one(*script(RESERVE, touched, [name, size, postings.keys.size])))
        if start == GONE:
            raise GenerationGone
        if start == TEXT_IS_THERE:
            return None
        if start + size > MAX_ADDRESSES:
            raise IndexStale("index.full-of-removed")
        return Range(start, size, postings.keys.size)

    def _write_postings(self, keys: NDArray[np.uint64], addresses: NDArray[np.int64]) -> None:
        buckets = make_buckets(keys, addresses, self.bucket_bits)
        names = self.names.buckets(buckets.numbers, self.bucket_bits)
        commands = [
            script(
                PUT_POSTINGS, [group.marker, *names[group.first : group.last]], buckets.values[group.first : group.last]
            )
            for group in self.groups(buckets.numbers)
        ]
        if commands and GONE in self._link.ask(commands):
            raise GenerationGone

    def _publish_text(self, name: bytes, reserved: Range, change: JournalEntry, is_counted: bool) -> int:
        names, keys = self.names, self._keys
        touched = [names.texts, names.pending, names.meta, names.dead, names.log]
        touched += [keys.revision, keys.filling, keys.journal]
        arguments = [name, reserved.to_bytes(), int(is_counted)]
        answer = self._link.one(*script(PUBLISH, touched, [*arguments, b""]))
        if answer == NOT_JOURNALLED:
            answer = self._link.one(*script(PUBLISH, touched, [*arguments, change.to_bytes()]))
        if answer == GONE:
            raise GenerationGone
        return int(answer)


def distinct_buckets(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct buckets of keys, ascending, and the index of each key's bucket among them."""
    numbers, own = np.unique(bucket_numbers(keys, bits), return_inverse=True)
    return numbers, own
