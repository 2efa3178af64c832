"""Rebuilds the index from the store for `zhuiwen index rebuild` and the sweeper, and refreshes its snapshot."""

import time
from collections.abc import Callable, Collection, Iterator

from core.errors import NotFound
from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint
from matcher.index.snapshot.snapshot_index import SnapshotIndex
from pipeline.steps import Ports, work_fingerprint


def rebuild_index(
    ports: Ports, texts: Collection[WorkTextId], on_progress: Callable[[int, int], None] | None = None
) -> list[WorkTextId]:
    """Fill a new generation of the index and switch to it; look-ups use the old generation until then.

    texts: all texts of the rights holders. on_progress: called with the numbers of processed texts and of all texts.
    Returns the texts that are missing in the store; pages cannot match them until their works are added again.
    """
    missing: list[WorkTextId] = []
    counted: dict[WorkTextId, int] = {}
    before = ports.index.text_ids() if ports.index.state().generation else frozenset[WorkTextId]()
    ports.index.rebuild(_work_entries(ports, texts, missing, counted, on_progress))
    ports.cases.note_unindexed(counted.keys() - before)
    ports.cases.note_indexed(counted, ports.clock.now())
    return missing


def _work_entries(
    ports: Ports,
    texts: Collection[WorkTextId],
    missing: list[WorkTextId],
    counted: dict[WorkTextId, int],
    on_progress: Callable[[int, int], None] | None,
) -> Iterator[tuple[WorkTextId, Fingerprint]]:
    for number, text_id in enumerate(sorted(texts), start=1):
        try:
            fingerprint = work_fingerprint(text_id, ports)
            counted[text_id] = fingerprint.tokens.size
            yield text_id, fingerprint
        except NotFound:
            missing.append(text_id)
        if on_progress is not None:
            on_progress(number, len(texts))


def refresh_snapshot(ports: Ports, *, is_urgent: bool = False) -> bool:
    """Write a snapshot if the settings request one and the index has changed, and return whether it was written.

    is_urgent: whether to write it even if the last one is recent.
    """
    index = ports.index
    if not isinstance(index, SnapshotIndex) or not (is_urgent or index.is_due(time.time())):
        return False

    def entry(text_id: WorkTextId) -> Fingerprint | None:
        try:
            return work_fingerprint(text_id, ports)
        except NotFound:
            return None

    return index.refresh(entry)
