"""The index with a snapshot in shared memory in front of it: answers without fetching, as long as nothing changed."""

import fcntl
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.errors import BadConfiguration, IndexStale, UnreadableFile
from core.ids import WorkTextId
from fingerprint.algorithms import ALGORITHMS
from fingerprint.record import Fingerprint
from fingerprint.rules import Seeds
from fingerprint.seeds import find_seeds
from fingerprint.stages import fingerprint_windows
from matcher.index.ports import Hits, IndexState, IndexVersion, MatchIndex, TextNames
from matcher.index.postings import IndexableText, keys_of
from matcher.index.snapshot.snapshot_file import Snapshot
from matcher.index.snapshot.snapshot_writer import write_snapshot

log = logging.getLogger("zhuiwen.matcher")

SUFFIX = ".snapshot"
# A snapshot is due again when it is as many seconds old as it has bytes over this. It is written at 70 MB a second, 20
# on an overloaded machine: a tenth of the time at most, whatever the size (2026-11; 88 MB at 25 M characters: 44 s).
BYTES_PER_PAUSE_S = 2_000_000


class VersionedIndex(MatchIndex, Protocol):
    """An index whose version is cheap to ask for, as that of `matcher.index.redis.redis_index.RedisIndex`."""

    def version(self) -> IndexVersion: ...

    def contents(self) -> tuple[IndexVersion, frozenset[WorkTextId]]: ...


@dataclass(frozen=True, slots=True)
class SnapshotFile:
    """A snapshot in its folder. is_current: it is of the version in use and answers look-ups. written_s: since 1970."""

    version: IndexVersion
    is_current: bool
    size_bytes: int
    written_s: float


class SnapshotIndex:
    """A `matcher.index.ports.MatchIndex` that looks up in a snapshot of another, or in that other when it has changed.

    Every look-up asks `source` for its version first: one small call. Only a snapshot of this very version answers, so
    a removed text is never found and an added one always is. One thread at a time.
    """

    def __init__(self, source: VersionedIndex, folder: Path) -> None:
        """folder: where snapshots are, of any number of indexes; in /dev/shm they are memory and nothing else."""
        self.algorithm_id = source.algorithm_id
        self.is_answering = False  # whether the last look-up was answered from a snapshot
        self._source = source
        self._folder = folder
        self._snapshot: Snapshot | None = None
        self._unusable: Path | None = None  # logged once

    @property
    def tokens(self) -> NDArray[np.uint16]:
        """uint16[all tokens]: the streams of all texts, as of the last look-up that a snapshot answered; read only."""
        return self._snapshot.tokens if self._snapshot else np.zeros(0, np.uint16)

    def place(self, text_id: WorkTextId) -> tuple[int, int] | None:
        """Where a text's stream lies in `tokens`: start and end. None when no snapshot has it."""
        return self._snapshot.place(text_id) if self._snapshot else None

    def lookup(self, hashes: NDArray[np.uint64], max_postings: int) -> Hits:
        version = self._source.version()
        if not version.generation:
            raise IndexStale("index.empty")
        snapshot = self._snapshot_of(version)
        self.is_answering = snapshot is not None
        if snapshot is None:
            return self._source.lookup(hashes, max_postings)
        return _look_up(snapshot, keys_of(hashes), max_postings)

    def file(self) -> SnapshotFile | None:
        """The newest intact snapshot of this index, or None. All of it is read for that."""
        for path in self._by_age():
            try:
                header, written = Snapshot(path).header, path.stat()
            except (UnreadableFile, OSError):
                continue
            is_current = header.version == self._source.version() and header.algorithm_id == self.algorithm_id
            return SnapshotFile(header.version, is_current, written.st_size, written.st_mtime)
        return None

    def is_due(self, now_s: float) -> bool:
        """Whether the newest snapshot is so old, for its size, that another is worth its time. now_s: since 1970.

        One from the future was written while the clock was ahead: its age says nothing.
        """
        written = [path.stat() for path in self._snapshots()]
        return not any(0 <= now_s - each.st_mtime < each.st_size / BYTES_PER_PAUSE_S for each in written)

    def refresh(self, entry: Callable[[WorkTextId], IndexableText | None], folder: Path | None = None) -> bool:
        """Write a snapshot of the index as it is now unless there is one, and delete older ones.

        entry: the fingerprint of a text that no snapshot has yet; None for one that was withdrawn meanwhile. The others
        are fingerprinted again from their streams: 20 M characters a second, without the store. folder: for temporary
        files. Returns whether a current one was written; it is not when another process is writing one, or when the
        index changed before it was done.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._write_lock() as is_ours:
            if not is_ours or self._path(self._source.version()).exists():
                return False
            version, texts = self._source.contents()
            path = self._path(version)
            if not version.generation:
                return False
            known = _SnapshotTexts(self.algorithm_id, self._newest())
            write_snapshot(path, _texts_in_order(texts, known, entry), self.algorithm_id, version, folder)
            is_current = self._source.version() == version
            for other in self._folder.glob(f"{self.algorithm_id}-*{SUFFIX}*"):
                if other != path:
                    other.unlink(missing_ok=True)
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

    def _snapshot_of(self, version: IndexVersion) -> Snapshot | None:
        if self._snapshot is not None and self._snapshot.header.version == version:
            return self._snapshot
        path = self._path(version)
        if path == self._unusable or not path.exists():
            return None
        try:
            opened = Snapshot(path)
        except UnreadableFile as error:
            log.warning("%s; look-ups ask Redis until the next one", error)
            self._unusable = path
            return None
        if opened.header.version != version or opened.header.algorithm_id != self.algorithm_id:
            self._unusable = path
            return None
        self._snapshot = opened
        return opened

    def _newest(self) -> Snapshot | None:
        """The newest snapshot of this index, of any version."""
        for path in self._by_age():
            try:
                return Snapshot(path)
            except UnreadableFile:
                continue
        return None

    def _by_age(self) -> list[Path]:
        """The newest first; another process may delete one meanwhile."""
        ages = {}
        for path in self._snapshots():
            with suppress(FileNotFoundError):
                ages[path] = path.stat().st_mtime
        return sorted(ages, key=ages.__getitem__, reverse=True)

    def _snapshots(self) -> list[Path]:
        return list(self._folder.glob(f"{self.algorithm_id}-*{SUFFIX}"))

    def _path(self, version: IndexVersion) -> Path:
        return snapshot_path(self._folder, self.algorithm_id, version)

    @contextmanager
    def _write_lock(self) -> Iterator[bool]:
        """Whether this process holds the lock for writing a snapshot of this index; the lock ends with the process."""
        try:
            with (self._folder / f"{self.algorithm_id}.lock").open("w") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield False
                else:
                    yield True
        except OSError as error:
            raise BadConfiguration("index.no-room", folder=self._folder, error=error.strerror) from error


def snapshot_path(folder: Path, algorithm_id: int, version: IndexVersion) -> Path:
    """Where the snapshot of an index lies."""
    return folder / f"{algorithm_id}-{version.generation}-{version.revision}-{version.origin}{SUFFIX}"


@dataclass(frozen=True, slots=True, eq=False)
class _SnapshotText:
    """What an index takes of a text: `matcher.index.postings.IndexableText`."""

    algorithm_id: int
    tokens: NDArray[np.uint16]
    hashes: NDArray[np.uint64]
    anchors: NDArray[np.int32]


class _SnapshotTexts:
    """Fingerprints the texts of a snapshot from their streams."""

    def __init__(self, algorithm_id: int, snapshot: Snapshot | None) -> None:
        self._algorithm = ALGORITHMS[algorithm_id]
        self._snapshot = snapshot

    def get(self, text_id: WorkTextId) -> _SnapshotText | None:
        place = self._snapshot.place(text_id) if self._snapshot else None
        if self._snapshot is None or place is None:
            return None
        tokens, algorithm = np.array(self._snapshot.tokens[slice(*place)]), self._algorithm
        rules = algorithm.windows if Seeds.WINDOWS in algorithm.seeds else ()
        windows = tuple(fingerprint_windows(tokens, rule, algorithm.tables.initials) for rule in rules)
        seeds = find_seeds(tokens, windows, algorithm)
        return _SnapshotText(algorithm.id, tokens, *seeds)


def _texts_in_order(
    texts: Iterable[WorkTextId], known: _SnapshotTexts, entry: Callable[[WorkTextId], IndexableText | None]
) -> Iterator[tuple[WorkTextId, IndexableText]]:
    for text_id in sorted(texts):
        found: IndexableText | None = known.get(text_id) or entry(text_id)
        if found is not None:
            yield text_id, found


def _look_up(snapshot: Snapshot, keys: NDArray[np.uint64], max_postings: int) -> Hits:
    firsts, counts = snapshot.table.find(keys)
    is_kept = counts <= max_postings
    queries, ordinals, positions = snapshot.places.list_occurrences(snapshot.table, firsts, counts, is_kept)
    return Hits(
        queries,
        ordinals,
        positions,
        TextNames(snapshot.ids),
        keys.size - int(np.count_nonzero(is_kept)),
        int(snapshot.table.entries.size),
        counts.astype(np.int32),
        snapshot.streams,
    )
