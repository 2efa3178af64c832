"""Refreshes the snapshot of the index on the machine that uses it."""

import time

from core.errors import NotFound
from core.ids import WorkTextId
from fingerprint.fingerprinting import Fingerprint
from matcher.index.snapshot.snapshot_index import SnapshotIndex
from pipeline.steps import Ports, work_fingerprint


def refresh_snapshot(ports: Ports, *, is_urgent: bool = False) -> bool:
    """Write a snapshot if the settings ask for one and the index has changed; return whether one was written.

    is_urgent: write even if the last one is recent.
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
