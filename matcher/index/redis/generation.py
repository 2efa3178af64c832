"""One generation of the index in Redis: look-ups, additions and removals."""

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


class GenerationReplaced(Exception):
    """The generation was replaced or lost during an operation."""


@dataclass(frozen=True, slots=True)
class ShardGroup:
    """Buckets that one command may access: rows [first, last) of a request, and the marker of their shard."""

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
        """Return the generation in use, or None if there is none or it is incomplete."""
        generation = number(link.one("GET", keys.generation))
        if not generation:
            return None
        generation_in_use = cls(link, keys, generation, 0)
        generation_in_use.bucket_bits = number(link.one("HGET", generation_in_use.names.meta, "bucket_bits"))
        return generation_in_use if generation_in_use.bucket_bits and generation_in_use.is_whole() else None

    @classmethod
    def create(cls, link: RedisLink, keys: Keys, generation: int, bucket_bits: int, servers: str = "") -> "Generation":
        """Create a generation without texts. servers: the servers of the cluster at this time."""
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
        commands: list[Command] = [("EXISTS", marker) for marker in markers]
        counts: list[int] = self._link.ask(commands if self._link.is_cluster else [("EXISTS", *markers)])
        return sum(counts) == SHARDS

    def text_ids(self) -> frozenset[WorkTextId]:
        """Return the ids of all texts in the generation."""
        return frozenset(unpack_id(text_id) for text_id in self._link.one("HKEYS", self.names.texts))

    def fetch(self, buckets: NDArray[np.int64]) -> tuple[int, list[bytes | None]]:
        """Return the number of postings in the index and the values of some buckets, in one round trip.

        Also updates the table of texts. buckets: ascending and distinct. Raises GenerationReplaced if this generation
        is incomplete or no longer in use.
        """
        names = self.names.buckets(buckets, self.bucket_bits)
        groups = self.groups(buckets, max(1, len(names)))
        commands: list[Command] = [("MGET", group.marker, *names[group.first : group.last]) for group in groups]
        # Last, so that on one server the buckets are read before.
        commands += [("GET", self._keys.generation), ("HMGET", self.names.meta, *STATE_FIELDS)]
        *bucket_values, current, (postings, logged, dead) = self._link.ask_unchecked(commands)
        if number(current) != self.number or postings is None or not all(values[0] for values in bucket_values):
            raise GenerationReplaced
        self.texts.refresh(number(logged), number(dead))
        return number(postings), [value for values in bucket_values for value in values[1:]]

    def add_text(self, text_id: WorkTextId, postings: Postings, is_counted: bool) -> bool:
        """Add a text, and return whether it was missing. Look-ups find it once all its postings are written.

        is_counted: whether the change increases the revision and is recorded for a generation that is being built.
        Raises GenerationReplaced.
        """
        name = pack_id(text_id)
        while True:
            reserved = self._reserve_range(name, postings)
            if reserved is None:
                return False
            self._write_postings(postings.keys, postings.positions + reserved.start)
            outcome = self._publish_text(name, reserved, JournalEntry(text_id, postings), is_counted)
            if outcome != SUPERSEDED:
                return outcome != TEXT_IS_THERE

    def remove(self, text_id: WorkTextId, is_counted: bool) -> None:
        """Remove a text at once; its postings are freed later. is_counted: see `add_text`.

        Raises GenerationReplaced.
        """
        names, keys = self.names, self._keys
        key_names = [names.texts, names.pending, names.meta, names.dead, keys.revision, keys.filling, keys.journal]
        arguments = [pack_id(text_id), int(is_counted), JournalEntry(text_id, None).to_bytes()]
        if self._link.one(*script(WITHDRAW, key_names, arguments)) == GONE:
            raise GenerationReplaced

    def groups(self, buckets: NDArray[np.int64], max_buckets: int = BUCKETS_PER_CALL) -> Iterator[ShardGroup]:
        """Yield groups of ascending buckets that one command may access, each of at most `max_buckets`."""
        if not buckets.size:
            return
        shards = shard_numbers(buckets, self.bucket_bits)
        bounds = [0, buckets.size]
        if self._link.is_cluster:
            bounds = [0, *(np.flatnonzero(np.diff(shards)) + 1).tolist(), buckets.size]
        for begin, end in pairwise(bounds):
            for first in range(begin, end, max_buckets):
                yield ShardGroup(first, min(end, first + max_buckets), self.names.markers[int(shards[first])])

    def _reserve_range(self, name: bytes, postings: Postings) -> Range | None:
        """Reserve addresses for a text, or return None if the text is present.

        Raises GenerationReplaced, and IndexStale if the addresses are used up.
        """
        names, size = self.names, max(1, postings.tokens)
        key_names = [names.texts, names.pending, names.meta, names.dead]
        start = int(self._link.one(*script(RESERVE, key_names, [name, size, postings.keys.size])))
        if start == GONE:
            raise GenerationReplaced
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
            raise GenerationReplaced

    def _publish_text(self, name: bytes, reserved: Range, change: JournalEntry, is_counted: bool) -> int:
        names, keys = self.names, self._keys
        key_names = [names.texts, names.pending, names.meta, names.dead, names.log]
        key_names += [keys.revision, keys.filling, keys.journal]
        arguments = [name, reserved.to_bytes(), int(is_counted)]
        outcome = self._link.one(*script(PUBLISH, key_names, [*arguments, b""]))
        if outcome == NOT_JOURNALLED:
            outcome = self._link.one(*script(PUBLISH, key_names, [*arguments, change.to_bytes()]))
        if outcome == GONE:
            raise GenerationReplaced
        return int(outcome)


def distinct_buckets(keys: NDArray[np.uint64], bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct buckets of keys, ascending, and for each key the index of its bucket among them."""
    numbers, indexes = np.unique(bucket_numbers(keys, bits), return_inverse=True)
    return numbers, indexes
