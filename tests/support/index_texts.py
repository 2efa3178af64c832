"""Texts that index tests share, what an index finds of them, and a snapshot that is always new."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from matcher.index.ports import IndexHits, IndexState, MatchIndex
from matcher.index.snapshot.snapshot_index import SnapshotIndex, VersionedIndex
from tests.support.corpus_texts import story

PRINTS = {WorkTextId(f"text-{seed}"): fingerprint_text(story(seed, sentences=12)) for seed in range(6)}
IDS = list(PRINTS)
MANY = 10_000


def occurrences(hits: IndexHits) -> set[tuple[int, str, int]]:
    rows = zip(hits.queries.tolist(), hits.ordinals.tolist(), hits.positions.tolist(), strict=True)
    listed = [(query, str(hits.text_id(ordinal)), position) for query, ordinal, position in rows]
    assert len(listed) == len(set(listed)), "an occurrence was given twice"
    return set(listed)


def found(index: MatchIndex, text_id: WorkTextId, max_postings: int = MANY) -> set[tuple[int, str, int]]:
    return occurrences(index.lookup(np.unique(PRINTS[text_id].hashes), max_postings))


class RefreshedIndex(SnapshotIndex):
    """Looks up in a snapshot only: it is written anew before each look-up when the index has changed."""

    def __init__(self, source: VersionedIndex, folder: Path) -> None:
        super().__init__(source, folder)
        self.given: dict[WorkTextId, Fingerprint] = {}

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        added = super().add(text_id, fingerprint)
        if added:
            self.given[text_id] = fingerprint
        return added

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        given: dict[WorkTextId, Fingerprint] = {}

        def noted() -> Iterable[tuple[WorkTextId, Fingerprint]]:
            for text_id, fingerprint in entries:
                given[text_id] = fingerprint
                yield text_id, fingerprint

        state = super().rebuild(noted(), min_revision)
        self.given.update(given)
        return state

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        self.refresh(self.given.get)
        hits = super().lookup(hashes, max_postings)
        assert self.uses_snapshot
        return hits
