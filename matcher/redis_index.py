"""The index in Redis 6.2 or newer: one string of postings for each bucket of hashes.

Keys begin with zw:{algorithm_id}: and, within a generation, its number:

generation, building, counter   the generation in use, the one being filled, the last number given
revision       counts every text added or removed
<g>:meta       hash: bucket_bits, ordinal (last given), postings
<g>:texts      hash: text id -> ordinal, of the texts that are there
<g>:names      hash: ordinal -> text id, of the same
<g>:counts     hash: ordinal -> how many postings
<g>:pending    hash: text id -> ordinal, of texts being added
<g>:removing   set of ordinals whose postings are still to go
<g>:t:<ordinal>  the buckets of a text, compressed
<g>:b:<bucket, 4 bytes>  postings
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
import redis
from numpy.typing import NDArray

from core.errors import IndexStale, ServiceUnavailable
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.record import Fingerprint
from matcher.ports import Hits, IndexState
from matcher.postings import RECORD, bucket_numbers, found_in, require_same_algorithm, without_common
from matcher.redis_generation import Generation, Keys
from matcher.redis_scripts import SWITCH

# 2^18 buckets hold 20 postings each at 25 M characters of work: 240 bytes for each of a page's 500 questions. A corpus
# beyond 200 M characters wants 22 bits, set when it is rebuilt.
DEFAULT_BUCKET_BITS = 18
MAX_LOOKUP_ATTEMPTS = 5
REMEMBERED_NAMES = 100_000


class RedisIndex:
    """A `matcher.ports.MatchIndex` on a Redis that other processes use at the same time."""

    def __init__(
        self, client: redis.Redis, algorithm_id: int = DEFAULT.id, bucket_bits: int = DEFAULT_BUCKET_BITS
    ) -> None:
        """`client` must return bytes (no decode_responses). `bucket_bits` counts for generations made from here."""
        self.algorithm_id = algorithm_id
        self._client = client
        self._bucket_bits = bucket_bits
        self._keys = Keys(algorithm_id)
        self._current: Generation | None = None
        self._names = _NamesSeen()

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        require_same_algorithm(fingerprint, self.algorithm_id)
        with self._answering():
            added = [generation.add(text_id, fingerprint, is_counted) for is_counted, generation in self._written_to()]
        return added[0]  # the generation in use comes first

    def remove(self, text_id: WorkTextId) -> None:
        with self._answering():
            for is_counted, generation in self._written_to():
                generation.remove(text_id, is_counted)

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        with self._answering():
            for _ in range(MAX_LOOKUP_ATTEMPTS):
                generation = self._known_generation()
                answer = generation.fetch(bucket_numbers(hashes, generation.bucket_bits))
                if answer.generation == generation.number:
                    self._names.keep_for(answer.generation, answer.revision)
                    return self._hits(hashes, generation, answer.buckets, max_postings, answer.postings)
                self._current = None
        raise IndexStale("being rebuilt too often to answer")

    def state(self) -> IndexState:
        with self._answering():
            generation = self._generation_in_use()
            revision = int(self._client.get(self._keys.revision) or 0)
            if generation is None:
                return IndexState(0, revision, 0, 0)
            return IndexState(generation.number, revision, *generation.sizes())

    def text_ids(self) -> frozenset[WorkTextId]:
        with self._answering():
            generation = self._generation_in_use()
            return generation.text_ids() if generation else frozenset()

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        with self._answering():
            new = self._begun_generation()
        for text_id, fingerprint in entries:
            require_same_algorithm(fingerprint, self.algorithm_id)
            with self._answering():
                new.add(text_id, fingerprint, is_counted=False)
        with self._answering():
            self._switch_to(new, min_revision)
        return self.state()

    def _begun_generation(self) -> Generation:
        abandoned = self._client.getset(self._keys.building, 0)
        if abandoned and int(abandoned):
            Generation(self._client, self._keys, int(abandoned)).delete()
        number = int(self._client.incr(self._keys.counter))
        generation = Generation.create(self._client, self._keys, number, self._bucket_bits)
        self._client.set(self._keys.building, number)
        return generation

    def _switch_to(self, new: Generation, min_revision: int) -> None:
        old = self._generation_in_use()
        is_same = old is not None and old.text_ids() == new.text_ids()
        keys = [self._keys.generation, self._keys.building, self._keys.revision]
        switched = self._client.eval(SWITCH, len(keys), *keys, new.number, int(not is_same), min_revision)
        self._current = None
        if not switched:
            new.delete()
            raise IndexStale("being rebuilt by someone else")
        if old is not None:
            old.delete()

    def _written_to(self) -> Iterator[tuple[bool, Generation]]:
        """The generation in use, and the one that is being filled; only the first counts in the revision."""
        building = int(self._client.get(self._keys.building) or 0)
        current = self._generation_in_use()
        if current is None:
            raise IndexStale("empty")
        yield True, current
        filling = Generation(self._client, self._keys, building)
        if building and filling.exists():
            yield False, filling

    def _generation_in_use(self) -> Generation | None:
        number = int(self._client.get(self._keys.generation) or 0)
        generation = Generation(self._client, self._keys, number)
        return generation if number and generation.exists() else None

    def _known_generation(self) -> Generation:
        if self._current is None:
            self._current = self._generation_in_use()
        if self._current is None:
            raise IndexStale("empty")
        return self._current

    def _hits(
        self,
        hashes: NDArray[np.uint64],
        generation: Generation,
        buckets: list[bytes | None],
        max_postings: int,
        postings: int,
    ) -> Hits:
        numbers = np.unique(bucket_numbers(hashes, generation.bucket_bits))
        sizes = np.array([len(bucket or b"") // RECORD.itemsize for bucket in buckets], np.int64)
        records = np.frombuffer(b"".join(bucket for bucket in buckets if bucket), RECORD)
        record_groups = np.repeat(numbers.astype(np.int64), sizes)
        groups = bucket_numbers(hashes, generation.bucket_bits).astype(np.int64)
        checks = (hashes & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        questions, rows = found_in(checks, groups, records, record_groups)
        questions, rows, capped = without_common(questions, rows, hashes.size, max_postings)
        found = records[rows]
        texts = self._names.of(np.unique(found["ordinal"]).tolist(), generation)
        is_named = np.isin(found["ordinal"], np.fromiter(texts, np.int64, len(texts)))
        found, questions = found[is_named], questions[is_named]
        return Hits(
            questions.astype(np.int32),
            found["ordinal"].astype(np.int32),
            found["position"].astype(np.int32),
            texts,
            capped,
            postings,
        )

    @cached_property
    def _where(self) -> str:
        options = self._client.connection_pool.connection_kwargs
        return str(options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}")

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Turn the driver's errors into ours."""
        try:
            yield
        except redis.RedisError as error:
            raise ServiceUnavailable("the index (Redis)", self._where) from error


class _NamesSeen:
    """Text ids by ordinal, as long as generation and revision stay the same."""

    def __init__(self) -> None:
        self._valid_for: tuple[int, int] = (0, 0)
        self._names: dict[int, WorkTextId] = {}

    def keep_for(self, generation: int, revision: int) -> None:
        if self._valid_for != (generation, revision) or len(self._names) > REMEMBERED_NAMES:
            self._valid_for = (generation, revision)
            self._names.clear()

    def of(self, ordinals: list[int], generation: Generation) -> dict[int, WorkTextId]:
        missing = [ordinal for ordinal in ordinals if ordinal not in self._names]
        self._names.update(generation.names(missing))
        return {ordinal: self._names[ordinal] for ordinal in ordinals if ordinal in self._names}
