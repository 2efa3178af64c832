"""The index in Redis 6.2 or newer, on one server or in a cluster: one string of postings for each bucket of keys.

Names: matcher.redis_keys. Form of buckets: matcher.redis_buckets. See docs/decisions/index.md.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant, IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.record import Fingerprint
from matcher.ports import Hits, IndexState, IndexVersion
from matcher.posting_runs import PostingRuns
from matcher.postings import Anchored, keys_of, postings_of, require_same_algorithm
from matcher.redis_buckets import MAX_ADDRESSES, checks_of, joined, occurrences
from matcher.redis_build import MIN_POSTINGS_OF_BUCKET, bits_for, delete, fill
from matcher.redis_compaction import compact, is_due
from matcher.redis_generation import Generation, GenerationGone, numbers_of
from matcher.redis_journal import Change
from matcher.redis_keys import MAX_BUCKET_BITS, MIN_BUCKET_BITS, Keys
from matcher.redis_link import Client, Link, number, packed_command, script
from matcher.redis_scripts import ABANDON, BEGIN, NOT_JOURNALLED, SWITCH
from matcher.redis_texts import Range

T = TypeVar("T")

EMPTY_BUCKET_BITS = 14  # of an index that begins empty: right for 2.5 to 5 M characters, bearable for 20
OUTGROWN = 8  # times the postings a bucket is made for; then a page reads 0.4 MB of others' postings
MAX_ATTEMPTS = 5
# A rebuild whose maker has not been heard of for so long is given up for dead. One text takes less than a second, the
# longest step, to sort and write a part of a corpus of 10^9 characters, some ten.
REBUILD_TTL_S = 900
HEARTBEAT_S = 5.0


class RedisIndex:
    """A `matcher.ports.MatchIndex` on a Redis that other processes use at the same time; one thread at a time."""

    def __init__(
        self,
        client: Client | Callable[[], Client],
        algorithm_id: int = DEFAULT.id,
        bucket_bits: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """`client` must return bytes (no decode_responses); or what makes one at first use.

        bucket_bits: of generations made from here; by their size if None. folder: for the temporary files of a rebuild,
        16 bytes a posting beyond 4 million postings; the system's temporary folder if None.
        """
        if bucket_bits is not None and not MIN_BUCKET_BITS <= bucket_bits <= MAX_BUCKET_BITS:
            raise BrokenInvariant(f"bucket_bits is {bucket_bits}, not {MIN_BUCKET_BITS} to {MAX_BUCKET_BITS}")
        self.algorithm_id = algorithm_id
        self._link = Link(client)
        self._bucket_bits = bucket_bits
        self._folder = folder
        self._keys = Keys(algorithm_id)
        self._current: Generation | None = None

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        require_same_algorithm(fingerprint, self.algorithm_id)
        postings = postings_of(fingerprint)
        return self._within_generation(lambda generation: generation.add(text_id, postings, is_counted=True))

    def remove(self, text_id: WorkTextId) -> None:
        self._within_generation(lambda generation: generation.remove(text_id, is_counted=True))

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        keys = keys_of(hashes)
        return self._within_generation(lambda generation: _found(generation, keys, max_postings))

    def version(self) -> IndexVersion:
        """What the index is now, in one small call; it may still turn out to be lost in part."""
        with self._answering():
            keys = self._keys
            asked = ("MGET", keys.generation, keys.revision, keys.origin)
            if self._link.is_cluster:
                generation, revision, origin = self._link.one(*asked)
            else:
                ((generation, revision, origin),) = self._link.read(
                    packed_command(*(word.encode() for word in asked)), 1
                )
        return IndexVersion(number(generation), number(revision), (origin or b"").decode())

    def contents(self) -> tuple[IndexVersion, frozenset[WorkTextId]]:
        """What the index is now, and the texts of this very version. Raises RetryLater when it changes all the time."""
        for _ in range(MAX_ATTEMPTS):
            version, texts = self.version(), self.text_ids()
            if self.version() == version:
                return version, texts
        raise IndexStale("changing too fast to be read")

    def state(self) -> IndexState:
        with self._answering():
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

    def text_ids(self) -> frozenset[WorkTextId]:
        with self._answering():
            generation = self._generation_in_use()
            return generation.text_ids() if generation else frozenset()

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Anchored]], min_revision: int = 0) -> IndexState:
        with self._answering():
            building = self._begun()
        texts: dict[WorkTextId, Range] = {}
        with PostingRuns(self._folder) as runs:
            still_here, end = self._heartbeat(building), 0
            for text_id, fingerprint in entries:
                require_same_algorithm(fingerprint, self.algorithm_id)
                if text_id not in texts:
                    postings = postings_of(fingerprint)
                    texts[text_id] = Range(end, max(1, postings.tokens), postings.keys.size)
                    runs.add(postings.keys, postings.positions + end)
                    end += texts[text_id].size
                still_here()
            with self._answering():
                bits = self._bucket_bits or (bits_for(runs.size) if texts else EMPTY_BUCKET_BITS)
                new = Generation.create(self._link, self._keys, building, bits)
                fill(self._link, new, texts, runs, still_here)
                self._switch_to(new, min_revision)
        self.tidy()
        return self.state()

    def tidy(self) -> None:
        with self._answering():
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

    def _begun(self) -> int:
        """The number of a new generation that is being made from now on."""
        keys = self._keys
        touched = [keys.building, keys.counter, keys.filling, keys.journal, keys.retired]
        return int(self._link.one(*script(BEGIN, touched, [REBUILD_TTL_S])))

    def _heartbeat(self, building: int) -> Callable[[], None]:
        """What to call again and again while a generation is made; raises IndexStale when another rebuild began."""
        last = time.monotonic()

        def still_here() -> None:
            nonlocal last
            if time.monotonic() - last < HEARTBEAT_S:
                return
            last = time.monotonic()
            with self._answering():
                filling, _ = self._link.ask(
                    [("GET", self._keys.filling), ("EXPIRE", self._keys.filling, REBUILD_TTL_S)]
                )
            if number(filling) != building:
                raise IndexStale("being rebuilt by someone else")

        return still_here

    def _switch_to(self, new: Generation, min_revision: int) -> None:
        """Bring the new generation up to date and make it the one in use. Raises IndexStale if another was begun."""
        old, done, switched = self._generation_in_use(), 0, NOT_JOURNALLED
        while switched == NOT_JOURNALLED:
            done += self._apply_journal(new, done)
            switched = self._switched(old, new, min_revision, done)
        self._current = None
        if not switched:
            delete(self._link, self._keys, f"{new.number}:{new.bucket_bits}")
            raise IndexStale("being rebuilt by someone else")

    def _switched(self, old: Generation | None, new: Generation, min_revision: int, done: int) -> int:
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
        """Do to the new generation what was done to the old one meanwhile; how much that was."""
        entries = self._link.one("LRANGE", self._keys.journal, done, -1)
        for change in map(Change.unpacked, entries):
            if change.postings is None:
                new.remove(change.text_id, is_counted=False)
            else:
                new.add(change.text_id, change.postings, is_counted=False)
        return len(entries)

    def _within_generation(self, call: Callable[[Generation], T]) -> T:
        """The answer of the generation in use; when it was replaced meanwhile, the next one's. Raises IndexStale."""
        with self._answering():
            for _ in range(MAX_ATTEMPTS):
                generation = self._current = self._current or self._generation_in_use()
                if generation is None:
                    raise IndexStale("empty")
                try:
                    return call(generation)
                except GenerationGone:
                    self._current = None
        raise IndexStale("being rebuilt too often to answer")

    def _generation_in_use(self) -> Generation | None:
        return Generation.existing(self._link, self._keys, number(self._link.one("GET", self._keys.generation)))

    def _answering(self) -> AbstractContextManager[None]:
        return self._link.answering()


def _found(generation: Generation, keys: NDArray[np.uint64], max_postings: int) -> Hits:
    bits = generation.bucket_bits
    buckets, own = numbers_of(keys, bits)
    answer = generation.fetch(buckets)
    queries, addresses = occurrences(checks_of(keys, bits), own, *joined(answer.values))
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
