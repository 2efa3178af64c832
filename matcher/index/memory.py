"""The index in the memory of one process, for small corpora, `zhuiwen check`, `zhuiwen batch` and tests."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from core.errors import IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.fingerprinting import Fingerprint
from matcher.index.ports import IndexHits, IndexState
from matcher.index.postings import Postings, PostingTable, postings_in_text_order, require_same_algorithm, spread_hashes


class MemoryIndex:
    """A `matcher.index.ports.MatchIndex` in memory, for one thread at a time.

    The first look-up after a change sorts all postings, so add all texts first.
    """

    def __init__(self, algorithm_id: int = DEFAULT.id, is_open: bool = True) -> None:
        """Create an index.

        is_open: whether it starts with an empty generation, as after `clear`, or without one (generation 0).
        """
        self.algorithm_id = algorithm_id
        self._generation = int(is_open)
        self._revision = 0
        self._texts: dict[WorkTextId, Postings] = {}
        self._table: PostingTable | None = None  # None after a change

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        postings = self._list_postings(fingerprint)
        self._require_generation()
        if text_id in self._texts:
            return False
        self._texts[text_id] = postings
        self._note_change()
        return True

    def remove(self, text_id: WorkTextId) -> None:
        self._require_generation()
        if self._texts.pop(text_id, None) is not None:
            self._note_change()

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        self._require_generation()
        if self._table is None:
            self._table = PostingTable.from_postings(self._texts.values())
        return self._table.look_up(spread_hashes(hashes), max_postings, list(self._texts).__getitem__)

    def state(self) -> IndexState:
        postings = sum(text.keys.size for text in self._texts.values())
        return IndexState(self._generation, self._revision, len(self._texts), postings)

    def may_have_lost(self) -> bool:
        return False

    def text_ids(self) -> frozenset[WorkTextId]:
        return frozenset(self._texts)

    def clear(self) -> None:
        self.rebuild(())

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        texts: dict[WorkTextId, Postings] = {}
        for text_id, fingerprint in entries:
            texts.setdefault(text_id, self._list_postings(fingerprint))
        is_same = self._generation > 0 and texts.keys() == self._texts.keys()
        self._texts, self._table = texts, None
        self._revision = max(self._revision, min_revision) + (0 if is_same else 1)
        self._generation += 1
        return self.state()

    def tidy(self) -> None:
        """Do nothing: removed texts occupy no memory."""

    def _list_postings(self, fingerprint: Fingerprint) -> Postings:
        require_same_algorithm(fingerprint, self.algorithm_id)
        return postings_in_text_order(fingerprint)

    def _note_change(self) -> None:
        self._revision += 1
        self._table = None

    def _require_generation(self) -> None:
        if not self._generation:
            raise IndexStale("index.empty")
