"""Keeping the snapshot of the index new, on the machine where it is asked for."""

import time

from core.errors import NotFound
from core.ids import WorkTextId
from fingerprint.record import Fingerprint
from matcher.index.snapshot.snapshot_index import SnapshotIndex
from pipeline.steps import Ports, work_fingerprint


def refresh_snapshot(ports: Ports, *, is_urgent: bool = False) -> bool:
    """Write a snapshot of the index where the settings ask for one and the index has changed; whether it was.

    is_urgent: even when the last one is so new that writing would take much of the time.
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
