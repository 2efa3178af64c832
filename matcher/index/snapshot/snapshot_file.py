"""The file format of a snapshot, and its folder. The file: header, then arrays, each aligned to a page.

Header, HEADER_BYTES: MAGIC, length of the JSON and its xxh3 (little endian), JSON: the index version, and for each
array its type, offset, bytes and xxh3. A file that does not conform is not a snapshot. The arrays:

tokens     uint16[tokens]      the concatenated streams of all texts; an index into it is an address
offsets    uint32[2^bits + 1]  the start of each bucket (matcher.index.postings)
entries    uint64[postings]
starts, ends  int64[texts]     the bounds of each text's stream; increasing
directory  uint32              matcher.index.postings.owner
id_bounds  int64[texts + 1]    the start of each text id
ids        uint8               text ids in UTF-8
id_order   uint32[texts]       texts in order of their ids' bytes
"""

import fcntl
import json
import struct
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from os import stat_result
from pathlib import Path
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from core.errors import BadConfiguration, BadInput, UnreadableFile
from core.ids import WorkTextId
from matcher.corpus import TokenStreams
from matcher.index.ports import IndexVersion
from matcher.index.postings import PostingTable

SUFFIX = ".snapshot"
MAGIC = b"ZWSNAP\x00\x01"
HEADER_BYTES = 4096  # a page: arrays are aligned for every type
_PREFIX = struct.Struct("<8sIQ")
_DIGEST_STEP = 1 << 24
TYPES = {
    "tokens": "<u2",
    "offsets": "<u4",
    "entries": "<u8",
    "starts": "<i8",
    "ends": "<i8",
    "directory": "<u4",
    "id_bounds": "<i8",
    "ids": "|u1",
    "id_order": "<u4",
}


@dataclass(frozen=True, slots=True)
class Section:
    """The position of an array in the file. xxh3: the hash of its bytes."""

    offset: int
    items: int
    xxh3: int


@dataclass(frozen=True, slots=True)
class Header:
    """The version of a snapshot, and the positions of its arrays. size: the number of bytes in the whole file."""

    algorithm_id: int
    version: IndexVersion
    bits: int
    size: int
    sections: dict[str, Section]

    def to_bytes(self) -> bytes:
        text = json.dumps(asdict(self)).encode()
        packed = _PREFIX.pack(MAGIC, len(text), xxhash.xxh3_64_intdigest(text)) + text
        return packed.ljust(HEADER_BYTES, b"\0")

    @classmethod
    def from_bytes(cls, raw: bytes) -> "Header":
        """Return the header with this stored form. Raises BadInput or ValueError if it is invalid."""
        if len(raw) < HEADER_BYTES:
            raise BadInput("index.short")
        magic, size, digest = _PREFIX.unpack_from(raw)
        text = raw[_PREFIX.size : _PREFIX.size + size]
        if magic != MAGIC or len(text) != size or xxhash.xxh3_64_intdigest(text) != digest:
            raise BadInput("index.header")
        values: dict[str, Any] = json.loads(text)
        sections = {name: Section(**section) for name, section in values.pop("sections").items()}
        return cls(version=IndexVersion(**values.pop("version")), sections=sections, **values)


class Snapshot:
    """A snapshot mapped into memory and shared by all processes that map it.

    It remains valid after its file is deleted.
    """

    def __init__(self, path: Path) -> None:
        """Map the file and check all of it. Raises UnreadableFile if it is missing, incomplete or damaged."""
        try:
            with path.open("rb") as file:
                self.header = Header.from_bytes(file.read(HEADER_BYTES))
            # Private, not read-only: nothing writes to the array, but numba compiles every kernel again for read-only
            # arrays, on each machine at its first page (a minute of the processor, 2026-11).
            raw = np.memmap(path, np.uint8, "c")
            arrays = {name: _file_array(raw, self.header, name) for name in TYPES}
        except (OSError, ValueError, KeyError, TypeError, BadInput) as error:
            raise UnreadableFile(path, "index.no-snapshot", error=error) from error
        self.tokens: NDArray[np.uint16] = arrays["tokens"]
        of_table = (arrays[name] for name in ("offsets", "entries", "starts", "directory"))
        self.table = PostingTable(self.header.bits, *of_table)
        self.ids = StoredIds(arrays["id_bounds"], arrays["ids"], arrays["id_order"])
        self.streams = TokenStreams(self.tokens, arrays["starts"], arrays["ends"])

    def stream_range(self, text_id: WorkTextId) -> tuple[int, int] | None:
        """Return the range of a text's stream in `tokens`, or None if the text is not in the snapshot."""
        row = self.ids.row(text_id)
        return None if row is None else (int(self.streams.starts[row]), int(self.streams.ends[row]))


class StoredIds:
    """The text ids of a snapshot by row, decoded on access."""

    def __init__(self, bounds: NDArray[np.int64], raw: NDArray[np.uint8], order: NDArray[np.uint32]) -> None:
        self._bounds, self._raw, self._order = bounds, raw, order
        self._rows_by_id: dict[
            WorkTextId, int
        ] = {}  # the caller asks for the places of a page's hits by the ids it received

    def __getitem__(self, row: int) -> WorkTextId:
        text_id = WorkTextId(self._id_bytes(row).decode())
        self._rows_by_id[text_id] = row
        return text_id

    def __len__(self) -> int:
        return int(self._order.size)

    def row(self, text_id: WorkTextId) -> int | None:
        """Return the row of a text id, or None if it is not in the snapshot."""
        cached_row = self._rows_by_id.get(text_id)
        if cached_row is not None:
            return cached_row
        id_bytes = text_id.encode()
        order_index = bisect_left(self._order, id_bytes, key=self._id_bytes)
        if order_index == len(self) or self._id_bytes(self._order[order_index]) != id_bytes:
            return None
        self._rows_by_id[text_id] = int(self._order[order_index])
        return self._rows_by_id[text_id]

    def _id_bytes(self, row: int) -> bytes:
        return self._raw[self._bounds[row] : self._bounds[row + 1]].tobytes()


class SnapshotFolder:
    """The snapshots of one index, in a folder that may also contain those of other indexes."""

    def __init__(self, folder: Path, algorithm_id: int) -> None:
        self._folder = folder
        self._algorithm_id = algorithm_id

    def path(self, version: IndexVersion) -> Path:
        """Return the path of a version's snapshot."""
        name = f"{self._algorithm_id}-{version.generation}-{version.revision}-{version.origin}{SUFFIX}"
        return self._folder / name

    def newest(self) -> tuple[Snapshot, stat_result] | None:
        """Return the newest intact snapshot, fully checked, and the status of its file; None if there is none."""
        for path, written in sorted(self.files(), key=lambda file: file[1].st_mtime, reverse=True):
            with suppress(UnreadableFile):
                return Snapshot(path), written
        return None

    def files(self) -> Iterator[tuple[Path, stat_result]]:
        """Yield all files that are named like snapshots of this index, with their status, unordered."""
        for path in self._folder.glob(f"{self._algorithm_id}-*{SUFFIX}"):
            with suppress(FileNotFoundError):  # another process may delete the file meanwhile
                yield path, path.stat()

    def delete_all_but(self, kept: Path) -> None:
        """Delete all other snapshots of this index, and the partial files of killed processes."""
        for path in self._folder.glob(f"{self._algorithm_id}-*{SUFFIX}*"):
            if path != kept:
                path.unlink(missing_ok=True)

    @contextmanager
    def write_lock(self) -> Iterator[bool]:
        """Try to lock the folder for writing, and yield whether it was free.

        The lock is released at the end of the block.

        Raises BadConfiguration if the folder cannot be written to.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with (self._folder / f"{self._algorithm_id}.lock").open("w") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    yield False
                else:
                    yield True
        except OSError as error:
            raise BadConfiguration("index.no-room", folder=self._folder, error=error.strerror) from error


def digest(array: NDArray[Any]) -> int:
    """Return the xxh3 of an array's bytes, computed in steps."""
    raw, state = array.view(np.uint8), xxhash.xxh3_64()
    for start in range(0, raw.size, _DIGEST_STEP):
        state.update(raw[start : start + _DIGEST_STEP].data)
    return state.intdigest()


def _file_array(raw: NDArray[np.uint8], header: Header, name: str) -> NDArray[Any]:
    """Return one array of the file. Raises BadInput if it does not match the header."""
    if raw.size != header.size:
        raise BadInput("index.length")
    section, dtype = header.sections[name], np.dtype(TYPES[name])
    part = raw[section.offset : section.offset + section.items * dtype.itemsize]
    if part.size != section.items * dtype.itemsize or digest(part) != section.xxh3:
        raise BadInput("index.part", name=name)
    return part.view(dtype).view(np.ndarray)
