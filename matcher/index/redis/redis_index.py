"""The index in Redis 6.2 or later, on one server or in a cluster, with one string of postings for each bucket of keys.

The names of the keys are in `keys`, the format of buckets in `buckets`. For the reasons see
docs/decisions/fingerprint-and-index.md.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant, IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.fingerprinting import Fingerprint
from matcher.index.ports import IndexHits, IndexState, IndexVersion
from matcher.index.posting_runs import PostingRuns
from matcher.index.postings import IndexableText, require_same_algorithm, sorted_postings, spread_hashes
from matcher.index.redis.buckets import MAX_ADDRESSES, join_buckets, key_checks, occurrences
from matcher.index.redis.build import MIN_POSTINGS_OF_BUCKET, Rebuild, choose_bucket_bits, delete_generation
from matcher.index.redis.compaction import compact, is_due
from matcher.index.redis.generation import MAX_ATTEMPTS, Generation, GenerationReplaced, distinct_buckets
from matcher.index.redis.keys import MAX_BUCKET_BITS, MIN_BUCKET_BITS, Keys
from matcher.index.redis.link import Client, RedisLink, number, script
from matcher.index.redis.scripts import ABANDON
from matcher.index.redis.text_table import Range
from matcher.index.redis.verification import Fingerprints, IndexErrors, verify

T = TypeVar("T")

EMPTY_BUCKET_BITS = 14  # for an index that begins empty: optimal for 2.5 to 5 M characters, acceptable up to 20
OUTGROWN = 8  # times the intended postings of a bucket; a page then reads 0.4 MB of unrelated postings


class RedisIndex:
    """A `matcher.index.ports.MatchIndex` in Redis, shared with other processes. For one thread at a time."""

    def __init__(
        self,
        client: Client | Callable[[], Client],
        algorithm_id: int = DEFAULT.id,
        bucket_bits: int | None = None,
        folder: Path | None = None,
    ) -> None:
        """Create the index without connecting.

        client: a client that returns bytes (no decode_responses), or a factory called at the first use. bucket_bits:
        for generations that this object builds; by default chosen by their size. folder: for the temporary files of a
        rebuild, 16 bytes for each posting beyond 4 million; by default the system's temporary folder. Raises
        BrokenInvariant if bucket_bits is out of range.
        """
        if bucket_bits is not None and not MIN_BUCKET_BITS <= bucket_bits <= MAX_BUCKET_BITS:
            raise BrokenInvariant("index.bucket-bits", bits=bucket_bits, least=MIN_BUCKET_BITS, most=MAX_BUCKET_BITS)
        self.algorithm_id = algorithm_id
        self._link = RedisLink(client)
        self._bucket_bits = bucket_bits
        self._folder = folder
        self._keys = Keys(algorithm_id)
        self._current: Generation | None = None

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        require_same_algorithm(fingerprint, self.algorithm_id)
        postings = sorted_postings(fingerprint)
        return self._call_generation(lambda generation: generation.add_text(text_id, postings, is_counted=True))

    def remove(self, text_id: WorkTextId) -> None:
        self._call_generation(lambda generation: generation.remove(text_id, is_counted=True))

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        keys = spread_hashes(hashes)
        return self._call_generation(lambda generation: _look_up(generation, keys, max_postings))

    def version(self) -> IndexVersion:
        """Return the version in use, with one small request. Does not check whether the index is complete."""
        with self._link.translate_redis_errors():
            keys = self._keys
            ((generation, revision, origin),) = self._link.ask_unchecked(
                [("MGET", keys.generation, keys.revision, keys.origin)]
            )
        return IndexVersion(number(generation), number(revision), (origin or b"").decode())

    def contents(self) -> tuple[IndexVersion, frozenset[WorkTextId]]:
        """Return the version in use and its texts. Raises IndexStale if the index keeps changing."""
        for _ in range(MAX_ATTEMPTS):
            version, texts = self.version(), self.text_ids()
            if self.version() == version:
                return version, texts
        raise IndexStale("index.changing")

    def state(self) -> IndexState:
        with self._link.translate_redis_errors():
            generation = Generation.in_use(self._link, self._keys)
            revision = number(self._link.one("GET", self._keys.revision))
            if generation is None:
                return IndexState(0, revision, 0, 0)
            names = generation.names
            texts, (postings, dead, end) = self._link.ask(
                [("HLEN", names.texts), ("HMGET", names.meta, "postings", "dead_postings", "end")]
            )
        max_postings = OUTGROWN * (MIN_POSTINGS_OF_BUCKET << generation.bucket_bits)
        is_outgrown = number(postings) + number(dead) > max_postings or number(end) > MAX_ADDRESSES // 2
        return IndexState(generation.number, revision, number(texts), number(postings), is_outgrown)

    def may_have_lost(self) -> bool:
        with self._link.translate_redis_errors():
            if not self._link.is_cluster:
                return False
            generation = Generation.in_use(self._link, self._keys)
            return generation is not None and generation.servers() != self._link.servers()

    def text_ids(self) -> frozenset[WorkTextId]:
        with self._link.translate_redis_errors():
            generation = Generation.in_use(self._link, self._keys)
            return generation.text_ids() if generation else frozenset()

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, IndexableText]], min_revision: int = 0) -> IndexState:
        texts: dict[WorkTextId, Range] = {}
        with self._link.translate_redis_errors(), PostingRuns(self._folder) as runs:
            rebuild, end = Rebuild(self._link, self._keys), 0
            for text_id, fingerprint in entries:
                require_same_algorithm(fingerprint, self.algorithm_id)
                if text_id not in texts:
                    postings = sorted_postings(fingerprint)
                    texts[text_id] = Range(end, max(1, postings.tokens), postings.keys.size)
                    runs.add_postings(postings.keys, postings.positions + end)
                    end += texts[text_id].size
                rebuild.send_heartbeat()
            bits = self._bucket_bits or (choose_bucket_bits(runs.size) if texts else EMPTY_BUCKET_BITS)
            rebuild.finish(texts, runs, bits, min_revision)
        self._current = None
        self.tidy()
        return self.state()

    def tidy(self) -> None:
        with self._link.translate_redis_errors():
            keys = self._keys
            self._link.one(*script(ABANDON, [keys.building, keys.filling, keys.journal, keys.retired], []))
            for retired in self._link.one("SMEMBERS", keys.retired):
                delete_generation(self._link, keys, retired.decode())
            generation = Generation.in_use(self._link, self._keys)
            if generation is None:
                return
            postings, dead = self._link.one("HMGET", generation.names.meta, "postings", "dead_postings")
            if is_due(generation, number(postings), number(dead)):
                compact(self._link, generation)

    def verify(self, find_fingerprint: Fingerprints, on_progress: Callable[[int, int], None]) -> IndexErrors | None:
        """Compare the index with the fingerprints of its texts. See `verification.verify`."""
        with self._link.translate_redis_errors():
            return verify(self._link, self._keys, find_fingerprint, on_progress)

    def delete_keys(self) -> None:
        """Delete every key of the index, which must then be rebuilt."""
        with self._link.translate_redis_errors():
            for name in list(self._link.names(f"{self._keys.algorithm}*")):
                self._link.one("UNLINK", name)
            self._current = None

    def _call_generation(self, call: Callable[[Generation], T]) -> T:
        """Return the result of `call` for the generation in use.

        Raises IndexStale if there is none, or it is replaced repeatedly.
        """
        with self._link.translate_redis_errors():
            for _ in range(MAX_ATTEMPTS):
                generation = self._current = self._current or Generation.in_use(self._link, self._keys)
                if generation is None:
                    raise IndexStale("index.empty")
                try:
                    return call(generation)
                except GenerationReplaced:
                    self._current = None
        raise IndexStale("index.rebuilt-too-often")


def _look_up(generation: Generation, keys: NDArray[np.uint64], max_postings: int) -> IndexHits:
    bits = generation.bucket_bits
    buckets, bucket_indexes = distinct_buckets(keys, bits)
    postings, values = generation.fetch(buckets)
    queries, addresses = occurrences(key_checks(keys, bits), bucket_indexes, *join_buckets(values))
    ordinals, positions = generation.texts.owners(addresses)
    is_owned = ordinals >= 0
    counts = np.bincount(queries[is_owned], minlength=keys.size)
    is_common = counts > max_postings
    is_kept = is_owned & ~is_common[queries]
    return IndexHits(
        queries[is_kept],
        ordinals[is_kept],
        positions[is_kept],
        generation.texts.text_id,
        int(np.count_nonzero(is_common)),
        postings,
        counts.astype(np.int32),
    )
