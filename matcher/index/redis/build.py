"""Fills and deletes generations. Each bucket is written at once, from postings that were sorted outside Redis."""

import time
from itertools import islice
from secrets import token_hex

import numpy as np
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from matcher.index.posting_runs import PARTS, PostingRuns
from matcher.index.redis.buckets import make_buckets
from matcher.index.redis.generation import Generation
from matcher.index.redis.journal import JournalEntry
from matcher.index.redis.keys import MAX_BUCKET_BITS, MIN_BUCKET_BITS, Keys
from matcher.index.redis.link import Command, RedisLink, number, script
from matcher.index.redis.scripts import APPEND, BEGIN, NOT_JOURNALLED, SWITCH
from matcher.index.redis.text_table import Range, pack_id

# The fewest postings in a bucket; a bucket has at most twice as many. Each key costs Redis some 110 bytes, 130 in a
# cluster. Tried at 25 M characters (2026-11): with 20, 39, 79 and 158 postings the index takes 2.81, 2.25, 1.96 and
# 1.82 bytes a character, and pages of 500 anchors read 94, 172, 326 and 633 kB.
MIN_POSTINGS_OF_BUCKET = 32
BUCKETS_PER_COMMAND = 1_000
BUCKETS_PER_PIPELINE = 10_000  # some 3 MB
TEXTS_PER_CALL = 1_000
NAMES_PER_DELETE = 1_000
# A rebuild without a heartbeat for this time has expired. One text takes less than a second; the longest step, sorting
# and writing a part of a corpus of 10^9 characters, takes some ten.
REBUILD_TTL_S = 900
HEARTBEAT_S = 5.0


def choose_bucket_bits(postings: int) -> int:
    """Return how many leading bits of a key number its bucket in an index with this many postings."""
    return min(MAX_BUCKET_BITS, max(MIN_BUCKET_BITS, (postings // MIN_POSTINGS_OF_BUCKET).bit_length() - 1))


class Rebuild:
    """A rebuild, which fills a new generation and switches to it. Exceptions of the driver propagate."""

    def __init__(self, link: RedisLink, keys: Keys) -> None:
        """Begin a rebuild, and invalidate any rebuild that another process has in progress."""
        self._link = link
        self._keys = keys
        self._servers = link.servers()  # read before anything is written, so that later losses are noticed
        key_names = [keys.building, keys.counter, keys.filling, keys.journal, keys.retired]
        self._number = int(link.one(*script(BEGIN, key_names, [REBUILD_TTL_S])))
        self._last_heartbeat = time.monotonic()

    def send_heartbeat(self) -> None:
        """Keep the rebuild from expiring; to be called every few seconds.

        Raises IndexStale if another rebuild has begun.
        """
        if time.monotonic() - self._last_heartbeat < HEARTBEAT_S:
            return
        self._last_heartbeat = time.monotonic()
        filling, _ = self._link.ask([("GET", self._keys.filling), ("EXPIRE", self._keys.filling, REBUILD_TTL_S)])
        if number(filling) != self._number:
            raise IndexStale("index.rebuilt-elsewhere")

    def finish(self, texts: dict[WorkTextId, Range], runs: PostingRuns, bucket_bits: int, min_revision: int) -> None:
        """Write the texts and their postings, and switch to them. Raises IndexStale if another rebuild has begun."""
        new = Generation.create(self._link, self._keys, self._number, bucket_bits, self._servers)
        _write_texts(self._link, new, texts)
        for keys, addresses in runs.parts():
            _write_buckets(self._link, new, keys, addresses)
            self.send_heartbeat()
        old, applied_count, outcome = Generation.in_use(self._link, self._keys), 0, NOT_JOURNALLED
        while outcome == NOT_JOURNALLED:
            applied_count += self._apply_journal(new, applied_count)
            outcome = self._try_switch(old, new, min_revision, applied_count)
        if not outcome:
            delete_generation(self._link, self._keys, f"{new.number}:{new.bucket_bits}")
            raise IndexStale("index.rebuilt-elsewhere")

    def _apply_journal(self, new: Generation, applied_count: int) -> int:
        """Apply the changes after the first `applied_count` journal entries to the new generation.

        Return their number.
        """
        entries = self._link.one("LRANGE", self._keys.journal, applied_count, -1)
        for change in map(JournalEntry.from_bytes, entries):
            if change.postings is None:
                new.remove(change.text_id, is_counted=False)
            else:
                new.add_text(change.text_id, change.postings, is_counted=False)
        return len(entries)

    def _try_switch(self, old: Generation | None, new: Generation, min_revision: int, applied_count: int) -> int:
        keys = self._keys
        is_same = old is not None and old.text_ids() == new.text_ids()
        key_names = [keys.generation, keys.filling, keys.revision, keys.journal, keys.retired, keys.building]
        key_names += [(old or new).names.meta, keys.origin]
        retired = f"{old.number}:{old.bucket_bits}" if old else ""
        arguments = [new.number, int(not is_same), min_revision, applied_count, retired, token_hex(8)]
        return int(self._link.one(*script(SWITCH, key_names, arguments)))


def _write_texts(link: RedisLink, generation: Generation, texts: dict[WorkTextId, Range]) -> None:
    names, entries, written_count = generation.names, iter(texts.items()), 0
    while batch := [(pack_id(text_id), addresses.to_bytes()) for text_id, addresses in islice(entries, TEXTS_PER_CALL)]:
        link.one(
            *script(APPEND, [names.texts, names.log], [written_count, *(field for entry in batch for field in entry)])
        )
        written_count += len(batch)
    end = max((addresses.start + addresses.size for addresses in texts.values()), default=0)
    postings = sum(addresses.postings for addresses in texts.values())
    link.one("HSET", names.meta, "end", end, "postings", postings, "logged", len(texts))


def _write_buckets(
    link: RedisLink, generation: Generation, keys: NDArray[np.uint64], addresses: NDArray[np.int64]
) -> None:
    buckets = make_buckets(keys, addresses, generation.bucket_bits)
    for start in range(0, buckets.numbers.size, BUCKETS_PER_PIPELINE):
        numbers = buckets.numbers[start : start + BUCKETS_PER_PIPELINE]
        values = buckets.values[start : start + BUCKETS_PER_PIPELINE]
        names = generation.names.buckets(numbers, generation.bucket_bits)
        commands: list[Command] = []
        for group in generation.groups(numbers, BUCKETS_PER_COMMAND):
            pairs = zip(names[group.first : group.last], values[group.first : group.last], strict=True)
            commands.append(("MSET", *(field for pair in pairs for field in pair)))
        link.ask(commands)


def delete_generation(link: RedisLink, keys: Keys, retired: str) -> None:
    """Delete every key of a generation.

    retired: its number and bucket_bits, separated by a colon. bucket_bits is 0 if it must be read from the generation.
    """
    generation, bits = map(int, retired.split(":"))
    old_generation = Generation(link, keys, generation, bits)
    names = old_generation.names
    old_generation.bucket_bits = bits or number(link.one("HGET", names.meta, "bucket_bits"))
    # The markers first: without them the shards are neither written nor read.
    link.ask([("UNLINK", marker) for marker in names.markers])
    if old_generation.bucket_bits:
        _delete_buckets(link, old_generation)
    link.one("UNLINK", names.meta, names.texts, names.pending, names.log, names.dead)
    link.one("SREM", keys.retired, retired)


def _delete_buckets(link: RedisLink, old_generation: Generation) -> None:
    step = max(1, (1 << old_generation.bucket_bits) // PARTS)
    for first in range(0, 1 << old_generation.bucket_bits, step):
        numbers = np.arange(first, first + step)
        names = old_generation.names.buckets(numbers, old_generation.bucket_bits)
        link.ask(
            [("UNLINK", *names[group.first : group.last]) for group in old_generation.groups(numbers, NAMES_PER_DELETE)]
        )
