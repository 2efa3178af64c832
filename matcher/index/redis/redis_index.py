"""The index in Redis 6.2 or newer, on one server or in a cluster: one string of postings for each bucket of keys.

Names of keys: `keys`. Form of buckets: `buckets`. Why: docs/decisions/fingerprint-and-index.md.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import numpy as np
import redis
from numpy.typing import NDArray

from core.errors import BrokenInvariant, IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.record import Fingerprint
from matcher.index.ports import Hits, IndexState, IndexVersion
from matcher.index.posting_runs import PostingRuns
from matcher.index.postings import IndexableText, keys_of, postings_of, require_same_algorithm
from matcher.index.redis.buckets import MAX_ADDRESSES, checks_of, join_buckets, occurrences
from matcher.index.redis.build import MIN_POSTINGS_OF_BUCKET, bits_for, delete, fill
from matcher.index.redis.compaction import compact, is_due
from matcher.index.redis.generation import Generation, GenerationGone, distinct_buckets
from matcher.index.redis.journal import JournalEntry
from matcher.index.redis.keys import MAX_BUCKET_BITS, MIN_BUCKET_BITS, Keys
from matcher.index.redis.link import Client, Link, number, pack_command, script
from matcher.index.redis.scripts import ABANDON, BEGIN, NOT_JOURNALLED, SWITCH
from matcher.index.redis.text_table import Range
from matcher.index.redis.verification import Fingerprints, IndexFaults, IndexPlace, verify

T = TypeVar("T")

EMPTY_BUCKET_BITS = 14  # of an index that begins empty: right for 2.5 to 5 M characters, bearable for 20
OUTGROWN = 8  # times the postings a bucket is made for; then a page reads 0.4 MB of others' postings
MAX_ATTEMPTS = 5
# A rebuild without a heartbeat for so long has expired. One text takes less than a second; the longest step, to sort
# and write a part of a corpus of 10^9 characters, some ten.
REBUILD_TTL_S = 900
HEARTBEAT_S = 5.0


class RedisIndex:
    """A `matcher.index.ports.MatchIndex` on a Redis that other processes use too; one thread at a time."""

    def __init__(
        self,
        client: Client | Callable[[], Client],
        algorithm_id: int = DEFAULT.id,
        bucket_bits: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """client: returns bytes (no decode_responses); or a factory that is called at first use.

        bucket_bits: of generations built from here; by their size if None. folder: for the temporary files of a
        rebuild, 16 bytes a posting beyond 4 million postings; the system's temporary folder if None.
        """
        if bucket_bits is not None and not MIN_BUCKET_BITS <= bucket_bits <= MAX_BUCKET_BITS:
            raise BrokenInvariant("index.bucket-bits", bits=bucket_bits, least=MIN_BUCKET_BITS, most=MAX_BUCKET_BITS)
        self.algorithm_id = algorithm_id
        self._link = Link(client)
        self._bucket_bits = bucket_bits
        self._folder = folder
        self._keys = Keys(algorithm_id)
        self._current: Generation | None = None

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        require_same_algorithm(fingerprint, self.algorithm_id)
        postings = postings_of(fingerprint)
        return self._call_generation(lambda generation: generation.add(text_id, postings, is_counted=True))

    def remove(self, text_id: WorkTextId) -> None:
        self._call_generation(lambda generation: generation.remove(text_id, is_counted=True))

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        keys = keys_of(hashes)
        return self._call_generation(lambda generation: _look_up(generation, keys, max_postings))

    def version(self) -> IndexVersion:
        """The version in use, by one small call; parts of the index may still be lost."""
        with self._translating_errors():
            keys = self._keys
            asked = ("MGET", keys.generation, keys.revision, keys.origin)
            if self._link.is_cluster:
                generation, revision, origin = self._link.one(*asked)
            else:
                ((generation, revision, origin),) = self._link.read(pack_command(*(word.encode() for word in asked)), 1)
        return IndexVersion(number(generation), number(revision), (origin or b"").decode())

    def contents(self) -> tuple[IndexVersion, frozenset[WorkTextId]]:
        """The version in use, and the texts of this very version. Raises IndexStale when it keeps changing."""
        for _ in range(MAX_ATTEMPTS):
            version, texts = self.version(), self.text_ids()
            if self.version() == version:
                return version, texts
        raise IndexStale("index.changing")

    def state(self) -> IndexState:
        with self._translating_errors():
            generation = self._generation_in_use()
            revision = number(self._link.one("GET", self._keys.revision))
            if generation is None:
                return IndexState(0, revision, 0, 0)
            names = generation.names
            texts, (postings, dead, end) = self._link.ask(
                [("HLEN", names.texts), ("HMGET", names.meta, "postings", "dead_postings", "end")]
            )
        most = OUTGROWN * (MIN_POSTINGS_OF_BUCKET << generation.bucket_bits)
        is_outgrown = number(postings) + number(dead) > most or number(end) > MAX_ADDRESSES // 2
        return IndexState(generation.number, revision, number(texts), number(postings), is_outgrown)

    def may_have_lost(self) -> bool:
        with self._translating_errors():
            if not self._link.is_cluster:
                return False
            generation = self._generation_in_use()
            return generation is not None and generation.servers() != self._link.servers()

    def text_ids(self) -> frozenset[WorkTextId]:
        with self._translating_errors():
            generation = self._generation_in_use()
            return generation.text_ids() if generation else frozenset()

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, IndexableText]], min_revision: int = 0) -> IndexState:
        with self._translating_errors():
            servers = self._link.servers()  # before anything is written: what is lost from now on is noticed
            building = self._begin()
        texts: dict[WorkTextId, Range] = {}
        with PostingRuns(self._folder) as runs:
            heartbeat, end = self._heartbeat(building), 0
            for text_id, fingerprint in entries:
                require_same_algorithm(fingerprint, self.algorithm_id)
                if text_id not in texts:
                    postings = postings_of(fingerprint)
                    texts[text_id] = Range(end, max(1, postings.tokens), postings.keys.size)
                    runs.add(postings.keys, postings.positions + end)
                    end += texts[text_id].size
                heartbeat()
            with self._translating_errors():
                bits = self._bucket_bits or (bits_for(runs.size) if texts else EMPTY_BUCKET_BITS)
                new = Generation.create(self._link, self._keys, building, bits, servers)
                fill(self._link, new, texts, runs, heartbeat)
                self._switch_to(new, min_revision)
        self.tidy()
        return self.state()

    def tidy(self) -> None:
        with self._translating_errors():
            keys = self._keys
            self._link.one(*script(ABANDON, [keys.building, keys.filling, keys.journal, keys.retired], []))
            for retired in self._link.one("SMEMBERS", keys.retired):
                delete(self._link, keys, retired.decode())
            generation = self._generation_in_use()
            if generation is None:
                return
            postings, dead = self._link.one("HMGET", generation.names.meta, "postings", "dead_postings")
            if is_due(generation, number(postings), number(dead)):
                compact(self._link, generation)

    def verify(self, fingerprint_of: Fingerprints, tell: Callable[[int, int], None]) -> IndexFaults | None:
        """Hold the index against the fingerprints of its texts; None where it keeps changing meanwhile."""
        with self._translating_errors():
            for _ in range(MAX_ATTEMPTS):
                before = self._marks()
                faults = IndexFaults()
                try:
                    generation = self._generation_in_use()
                except (IndexStale, redis.ResponseError):
                    generation = None
                if generation is None:
                    faults.note(IndexPlace.GENERATION)
                    return faults
                faults = verify(self._link, generation, fingerprint_of, tell)
                if self._marks() == before:
                    return faults
        return None

    def forget(self) -> None:
        """Take every key of the index away, whatever it holds: there is none until it is rebuilt."""
        with self._translating_errors():
            for name in list(self._link.names(f"{self._keys.algorithm}*")):
                self._link.one("UNLINK", name)
            self._current = None

    def _marks(self) -> tuple[object, ...]:
        """What changes with whatever is added, removed or built; of a value that is no number, its bytes."""
        keys = self._keys
        return tuple(self._link.one("MGET", keys.generation, keys.revision, keys.origin, keys.filling))

    def _begin(self) -> int:
        """Start building a new generation, and return its number."""
        keys = self._keys
        touched = [keys.building, keys.counter, keys.filling, keys.journal, keys.retired]
        return int(self._link.one(*script(BEGIN, touched, [REBUILD_TTL_S])))

    def _heartbeat(self, building: int) -> Callable[[], None]:
        """What to call regularly while a generation is built; it raises IndexStale when another rebuild began."""
        last = time.monotonic()

        def heartbeat() -> None:
            nonlocal last
            if time.monotonic() - last < HEARTBEAT_S:
                return
            last = time.monotonic()
            with self._translating_errors():
                filling, _ = self._link.ask(
                    [("GET", self._keys.filling), ("EXPIRE", self._keys.filling, REBUILD_TTL_S)]
                )
            if number(filling) != building:
                raise IndexStale("index.rebuilt-elsewhere")

        return heartbeat

    def _switch_to(self, new: Generation, min_revision: int) -> None:
        """Bring the new generation up to date and make it the one in use. Raises IndexStale if another was begun."""
        old, done, switched = self._generation_in_use(), 0, NOT_JOURNALLED
        while switched == NOT_JOURNALLED:
            done += self._apply_journal(new, done)
            switched = self._try_switch(old, new, min_revision, done)
        self._current = None
        if not switched:
            delete(self._link, self._keys, f"{new.number}:{new.bucket_bits}")
            raise IndexStale("index.rebuilt-elsewhere")

    def _try_switch(self, old: Generation | None, new: Generation, min_revision: int, done: int) -> int:
        keys = self._keys
        is_same = old is not None and _have_the_same_texts(self._link, old, new)
        touched = [keys.generation, keys.filling, keys.revision, keys.journal, keys.retired, keys.building]
        touched += [(old or new).names.meta, keys.origin]
        retired = f"{old.number}:{old.bucket_bits}" if old else ""
        return int(
            self._link.one(
                *script(SWITCH, touched, [new.number, int(not is_same), min_revision, done, retired, token_hex(8)])
            )
        )

    def _apply_journal(self, new: Generation, done: int) -> int:
        """Repeat on the new generation what was done to the old one meanwhile; the number of entries."""
        entries = self._link.one("LRANGE", self._keys.journal, done, -1)
        for change in map(JournalEntry.from_bytes, entries):
            if change.postings is None:
                new.remove(change.text_id, is_counted=False)
            else:
                new.add(change.text_id, change.postings, is_counted=False)
        return len(entries)

    def _call_generation(self, call: Callable[[Generation], T]) -> T:
        """The answer of the generation in use, or of the one that replaced it meanwhile. Raises IndexStale."""
        with self._translating_errors():
            for _ in range(MAX_ATTEMPTS):
                generation = self._current = self._current or self._generation_in_use()
                if generation is None:
                    raise IndexStale("index.empty")
                try:
                    return call(generation)
                except GenerationGone:
                    self._current = None
        raise IndexStale("index.rebuilt-too-often")

    def _generation_in_use(self) -> Generation | None:
        return Generation.find(self._link, self._keys, number(self._link.one("GET", self._keys.generation)))

    def _translating_errors(self) -> AbstractContextManager[None]:
        return self._link.translating_errors()


def _look_up(generation: Generation, keys: NDArray[np.uint64], max_postings: int) -> Hits:
    bits = generation.bucket_bits
    buckets, own = distinct_buckets(keys, bits)
    answer = generation.fetch(buckets)
    queries, addresses = occurrences(checks_of(keys, bits), own, *join_buckets(answer.values))
    ordinals, positions = generation.texts.owners(addresses)
    is_there = ordinals >= 0
    counts = np.bincount(queries[is_there], minlength=keys.size)
    is_common = counts > max_postings
    is_kept = is_there & ~is_common[queries]
    return Hits(
        queries[is_kept],
        ordinals[is_kept],
        positions[is_kept],
        generation.texts.names(),
        int(np.count_nonzero(is_common)),
        answer.postings,
        counts.astype(np.int32),
    )


def _have_the_same_texts(link: Link, old: Generation, new: Generation) -> bool:
    sizes = link.ask([("HLEN", old.names.texts), ("HLEN", new.names.texts)])
    return bool(sizes[0] == sizes[1]) and old.text_ids() == new.text_ids()
