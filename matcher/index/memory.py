"""The index in the memory of one process, for tests, `zhuiwen check` and archives."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.record import Fingerprint
from matcher.index.ports import Hits, IndexState, TextNames
from matcher.index.posting_table import Places, PostingTable, require_room
from matcher.index.postings import keys_of, postings_in_order_of_text, require_same_algorithm

Addressed = tuple[NDArray[np.uint64], NDArray[np.int64]]  # keys and the address of each


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    postings: Addressed  # by increasing keys
    table: PostingTable

    @property
    def size(self) -> int:
        return int(self.postings[0].size)


class MemoryIndex:
    """A `matcher.index.ports.MatchIndex`; one thread at a time.

    Postings lie in sorted runs, each at least twice as long as the next: n postings are sorted at most log n times, in
    any order of additions and look-ups. Those of removed texts are dropped when they outnumber the others.
    """

    def __init__(self, algorithm_id: int = DEFAULT.id, is_open: bool = True) -> None:
        """is_open: begin with an empty generation, as after `clear`; otherwise with generation 0."""
        self.algorithm_id = algorithm_id
        self._generation = int(is_open)
        self._revision = 0
        self._texts = _Texts()
        self._runs: list[_Run] = []
        self._pending: list[Addressed] = []

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        require_same_algorithm(fingerprint, self.algorithm_id)
        self._require_generation()
        if text_id in self._texts.rows:
            return False
        postings = postings_in_order_of_text(fingerprint)
        start = self._texts.add(text_id, postings.tokens, postings.keys.size)
        self._pending.append((postings.keys, postings.positions + start))
        self._revision += 1
        return True

    def remove(self, text_id: WorkTextId) -> None:
        self._require_generation()
        if text_id in self._texts.rows:
            self._texts.remove(text_id)
            self._revision += 1

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        self._require_generation()
        self._merge_runs()
        keys, places = keys_of(hashes), self._texts.places()
        found = [run.table.find(keys) for run in self._runs]
        counts = np.zeros(keys.size, np.int64)
        for run, (firsts, rows) in zip(self._runs, found, strict=True):
            counts += places.count_living(run.table, firsts, rows)
        is_kept = counts <= max_postings
        parts = [
            places.list_occurrences(run.table, *rows, is_kept) for run, rows in zip(self._runs, found, strict=True)
        ]
        queries, texts, positions = (np.concatenate([np.zeros(0, np.int32), *part]) for part in _columns(parts))
        return Hits(
            queries,
            texts,
            positions,
            self._texts.names(),
            keys.size - int(np.count_nonzero(is_kept)),
            self._texts.postings,
            counts.astype(np.int32),
        )

    def state(self) -> IndexState:
        return IndexState(self._generation, self._revision, len(self._texts.rows), self._texts.postings)

    def may_have_lost(self) -> bool:
        return False

    def text_ids(self) -> frozenset[WorkTextId]:
        return frozenset(self._texts.rows)

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        filled = MemoryIndex(self.algorithm_id)
        for text_id, fingerprint in entries:
            filled.add(text_id, fingerprint)
        is_same = self._generation > 0 and filled.text_ids() == self.text_ids()
        self._texts, self._runs, self._pending = filled._texts, filled._runs, filled._pending
        self._revision = max(self._revision, min_revision) + (0 if is_same else 1)
        self._generation += 1
        return self.state()

    def tidy(self) -> None:
        self._merge_runs()
        if self._texts.dead_postings:
            self._drop_removed()

    def _merge_runs(self) -> None:
        """Sort what was added since the last look-up, and keep each run at least twice as long as the next."""
        if self._pending:
            self._add_run(self._pending)
            self._pending = []
        while len(self._runs) > 1 and self._runs[-2].size < 2 * self._runs[-1].size:
            self._add_run([self._runs.pop().postings, self._runs.pop().postings])
        if self._texts.dead_postings > self._texts.postings:
            self._drop_removed()

    def _drop_removed(self) -> None:
        places = self._texts.places()
        keys = np.concatenate([run.postings[0] for run in self._runs])
        addresses = np.concatenate([run.postings[1] for run in self._runs])
        is_alive = ~places.is_dead[np.searchsorted(places.starts, addresses, side="right") - 1]
        self._runs = []
        self._add_run([(keys[is_alive], addresses[is_alive])])
        self._texts.dead_postings = 0

    def _add_run(self, parts: list[Addressed]) -> None:
        keys = np.concatenate([part[0] for part in parts])
        addresses = np.concatenate([part[1] for part in parts])
        order = np.argsort(keys)
        postings = keys[order], addresses[order]
        self._runs.append(_Run(postings, PostingTable.of(*postings)))

    def _require_generation(self) -> None:
        if not self._generation:
            raise IndexStale("index.empty")


class _Texts:
    """Which addresses belong to which text. Those of a removed text are never reused."""

    def __init__(self) -> None:
        self.rows: dict[WorkTextId, int] = {}  # of the texts in the index
        self.postings = 0
        self.dead_postings = 0  # of removed texts, still in the runs
        self._ids: list[WorkTextId] = []
        self._starts: list[int] = []
        self._sizes: list[int] = []
        self._dead: set[int] = set()
        self._end = 0
        self._places: Places | None = None

    def add(self, text_id: WorkTextId, tokens: int, postings: int) -> int:
        """Where the text's addresses begin."""
        start = self._end
        require_room(start + tokens)
        self._end += tokens
        self.rows[text_id] = len(self._ids)
        self._ids.append(text_id)
        self._starts.append(start)
        self._sizes.append(postings)
        self.postings += postings
        self._places = None
        return start

    def remove(self, text_id: WorkTextId) -> None:
        row = self.rows.pop(text_id)
        self._dead.add(row)
        self.postings -= self._sizes[row]
        self.dead_postings += self._sizes[row]
        self._places = None

    def places(self) -> Places:
        if self._places is None:
            is_dead = None
            if self._dead:
                is_dead = np.zeros(len(self._ids), np.bool_)
                is_dead[list(self._dead)] = True
            self._places = Places.of(np.array(self._starts, np.int64), self._end, is_dead)
        return self._places

    def names(self) -> TextNames:
        return TextNames(self._ids)


def _columns(
    parts: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]],
) -> list[list[NDArray[np.int32]]]:
    return [[part[column] for part in parts] for column in range(3)]
