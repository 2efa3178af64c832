"""An index that uses a snapshot in shared memory. While the index is unchanged, it only requests its version."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import IndexStale, UnreadableFile
from core.ids import WorkTextId
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.seeds import find_seeds, fingerprint_windows
from matcher.index.ports import IndexHits, IndexState, IndexVersion, MatchIndex
from matcher.index.postings import IndexableText, spread_hashes
from matcher.index.snapshot.snapshot_file import Snapshot, SnapshotFolder
from matcher.index.snapshot.snapshot_writer import write_snapshot

log = logging.getLogger("zhuiwen.matcher")

# A snapshot is due if its age in seconds exceeds its bytes divided by this. Writing takes 70 MB a second, 20 on an
# overloaded machine: at most a tenth of the time for any size (2026-11; 88 MB at 25 M characters: 44 s).
BYTES_PER_PAUSE_S = 2_000_000


class VersionedIndex(MatchIndex, Protocol):
    """An index whose version is cheap to request, such as `matcher.index.redis.redis_index.RedisIndex`."""

    def version(self) -> IndexVersion: ...

    def contents(self) -> tuple[IndexVersion, frozenset[WorkTextId]]: ...


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """A snapshot in its folder.

    is_current: whether its version is in use, so that it serves look-ups; written_s: in seconds since 1970.
    """

    version: IndexVersion
    is_current: bool
    size_bytes: int
    written_s: float


class SnapshotIndex:
    """A `matcher.index.ports.MatchIndex` that uses a snapshot of another index, or that index if it has changed.

    Every look-up first requests the version of `source`. The snapshot is used only if it has this version, so removed
    texts are never found and added texts always are. For one thread at a time.
    """

    def __init__(self, source: VersionedIndex, folder: Path) -> None:
        """Create the index.

        folder: contains the snapshots of any number of indexes; in /dev/shm they occupy memory instead of disk space.
        """
        self.algorithm_id = source.algorithm_id
        self.uses_snapshot = False  # whether the last look-up used a snapshot
        self._source = source
        self._folder = SnapshotFolder(folder, source.algorithm_id)
        self._snapshot: Snapshot | None = None
        self._unusable_path: Path | None = None  # to log each path once

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> IndexHits:
        version = self._source.version()
        if not version.generation:
            raise IndexStale("index.empty")
        snapshot = self._open_snapshot(version)
        self.uses_snapshot = snapshot is not None
        if snapshot is None:
            return self._source.lookup(hashes, max_postings)
        return snapshot.table.look_up(spread_hashes(hashes), max_postings, snapshot.ids.__getitem__, snapshot.streams)

    def file(self) -> SnapshotFile | None:
        """Return the newest intact snapshot of this index, fully checked, or None if there is none."""
        newest = self._folder.newest()
        if newest is None:
            return None
        header, written = newest[0].header, newest[1]
        is_current = header.version == self._source.version() and header.algorithm_id == self.algorithm_id
        return SnapshotFile(header.version, is_current, written.st_size, written.st_mtime)

    def is_due(self, now_s: float) -> bool:
        """Return whether the newest snapshot is old enough, for its size, to write another one.

        now_s: in seconds since 1970. A snapshot from the future is ignored: it was written while the clock was ahead.
        """
        ages = ((now_s - written.st_mtime, written.st_size) for _, written in self._folder.files())
        return not any(0 <= age_s < size / BYTES_PER_PAUSE_S for age_s, size in ages)

    def refresh(self, entry: Callable[[WorkTextId], IndexableText | None], folder: Path | None = None) -> bool:
        """Write a snapshot of the index unless it exists, delete the others, and return whether it is current.

        entry: returns the fingerprint of a text, or None if the text was withdrawn meanwhile; called only for texts
        that are in no snapshot yet. folder: for temporary files. The result is False if nothing was written, because
        another process is writing one or the index is empty, and if the index changed in the meantime.
        """
        with self._folder.write_lock() as is_locked:
            if not is_locked or self._folder.path(self._source.version()).exists():
                return False
            version, text_ids = self._source.contents()
            if not version.generation:
                return False
            path, newest = self._folder.path(version), self._folder.newest()
            known = newest[0] if newest else None
            texts = _texts_in_order(text_ids, known, self.algorithm_id, entry)
            write_snapshot(path, texts, self.algorithm_id, version, folder)
            is_current = self._source.version() == version
            self._folder.delete_all_but(path)
        return is_current

    def add(self, text_id: WorkTextId, fingerprint: Fingerprint) -> bool:
        return self._source.add(text_id, fingerprint)

    def remove(self, text_id: WorkTextId) -> None:
        self._source.remove(text_id)

    def state(self) -> IndexState:
        return self._source.state()

    def may_have_lost(self) -> bool:
        return self._source.may_have_lost()

    def text_ids(self) -> frozenset[WorkTextId]:
        return self._source.text_ids()

    def clear(self) -> None:
        self._source.clear()

    def rebuild(self, entries: Iterable[tuple[WorkTextId, Fingerprint]], min_revision: int = 0) -> IndexState:
        return self._source.rebuild(entries, min_revision)

    def tidy(self) -> None:
        self._source.tidy()

    def _open_snapshot(self, version: IndexVersion) -> Snapshot | None:
        if self._snapshot is not None and self._snapshot.header.version == version:
            return self._snapshot
        path = self._folder.path(version)
        if path == self._unusable_path or not path.exists():
            return None
        try:
            opened = Snapshot(path)
        except UnreadableFile as error:
            log.warning("%s; look-ups use Redis until the next snapshot is written", error)
            self._unusable_path = path
            return None
        if opened.header.version != version or opened.header.algorithm_id != self.algorithm_id:
            self._unusable_path = path
            return None
        self._snapshot = opened
        return opened


@dataclass(frozen=True, slots=True, eq=False)
class _SnapshotText:
    """A text to be indexed: a `matcher.index.postings.IndexableText`."""

    algorithm_id: int
    tokens: NDArray[np.uint16]
    hashes: NDArray[np.uint64]
    anchors: NDArray[np.int32]


def _texts_in_order(
    text_ids: Iterable[WorkTextId],
    known: Snapshot | None,
    algorithm_id: int,
    entry: Callable[[WorkTextId], IndexableText | None],
) -> Iterator[tuple[WorkTextId, IndexableText]]:
    for text_id in sorted(text_ids):
        token_range = known.stream_range(text_id) if known else None
        text: IndexableText | None
        if known is None or token_range is None:
            text = entry(text_id)
        else:
            text = _fingerprint_stream(np.array(known.tokens[slice(*token_range)]), algorithm_id)
        if text is not None:
            yield text_id, text


def _fingerprint_stream(tokens: NDArray[np.uint16], algorithm_id: int) -> _SnapshotText:
    algorithm = ALGORITHMS[algorithm_id]
    windows = fingerprint_windows(tokens, algorithm) if Seeds.WINDOWS in algorithm.seeds else ()
    return _SnapshotText(algorithm_id, tokens, *find_seeds(tokens, windows, algorithm))
