"""The index in one process's memory: the twin of matcher.redis_index, for tests, `zhuiwen check` and archives."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.record import Fingerprint
from matcher.ports import Hits, IndexState
from matcher.postings import RECORD, bucket_numbers, bucketed, found_in, require_same_algorithm, without_common

BUCKET_BITS = 18

Postings = tuple[NDArray[np.int64], NDArray[np.void]]  # bucket and record of each


class MemoryIndex:
    """A `matcher.ports.MatchIndex`; one thread at a time."""

    def __init__(self, algorithm_id: int = DEFAULT.id, is_open: bool = True) -> None:
        """`is_open`: begin with an empty generation, as after `clear`; else with generation 0."""
        self.algorithm_id = algorithm_id
        self._generation = int(is_open)
        self._revision = 0
        self._ordinals: dict[WorkTextId, int] = {}
        self._names: dict[int, WorkTextId] = {}
        self._parts: dict[int, Postings] = {}
        self._sorted: Postings | None = None
        self._next_ordinal = 1

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        require_same_algorithm(fingerprint, self.algorithm_id)
        self._require_generation()
        if text_id in self._ordinals:
            return False
        ordinal = self._next_ordinal
        self._next_ordinal += 1
        buckets = bucketed(fingerprint, ordinal, BUCKET_BITS)
        numbers = np.repeat(buckets.numbers.astype(np.int64), np.diff(buckets.bounds))
        self._parts[ordinal] = (numbers, buckets.records)
        self._ordinals[text_id] = ordinal
        self._names[ordinal] = text_id
        self._revision += 1
        self._sorted = None
        return True

    def remove(self, text_id: WorkTextId) -> None:
        self._require_generation()
        ordinal = self._ordinals.pop(text_id, None)
        if ordinal is not None:
            del self._names[ordinal], self._parts[ordinal]
            self._revision += 1
            self._sorted = None

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        self._require_generation()
        numbers, records = self._all_postings()
        groups = bucket_numbers(hashes, BUCKET_BITS).astype(np.int64)
        firsts, lasts = np.searchsorted(numbers, groups), np.searchsorted(numbers, groups, side="right")
        lengths = lasts - firsts
        candidates = np.repeat(firsts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
        candidates = np.unique(candidates)
        checks = (hashes & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        questions, rows = found_in(checks, groups, records[candidates], numbers[candidates])
        questions, rows, capped = without_common(questions, rows, hashes.size, max_postings)
        found = records[candidates[rows]]
        names = {ordinal: self._names[ordinal] for ordinal in np.unique(found["ordinal"]).tolist()}
        return Hits(
            questions.astype(np.int32),
            found["ordinal"].astype(np.int32),
            found["position"].astype(np.int32),
            names,
            capped,
            records.size,
        )

    def state(self) -> IndexState:
        postings = sum(records.size for _, records in self._parts.values())
        return IndexState(self._generation, self._revision, len(self._ordinals), postings)

    def text_ids(self) -> frozenset[WorkTextId]:
        return frozenset(self._ordinals)

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        filled = MemoryIndex(self.algorithm_id)
        for text_id, fingerprint in entries:
            filled.add(text_id, fingerprint)
        is_same = self._generation > 0 and filled.text_ids() == self.text_ids()
        self._ordinals, self._names, self._parts = filled._ordinals, filled._names, filled._parts
        self._next_ordinal, self._sorted = filled._next_ordinal, None
        self._revision = max(self._revision, min_revision) + (0 if is_same else 1)
        self._generation += 1
        return self.state()

    def _all_postings(self) -> Postings:
        if self._sorted is None:
            numbers = np.concatenate([np.zeros(0, np.int64), *(part[0] for part in self._parts.values())])
            records = np.concatenate([np.zeros(0, RECORD), *(part[1] for part in self._parts.values())])
            order = np.argsort(numbers, kind="stable")
            self._sorted = numbers[order], records[order]
        return self._sorted

    def _require_generation(self) -> None:
        if not self._generation:
            raise IndexStale("empty")
