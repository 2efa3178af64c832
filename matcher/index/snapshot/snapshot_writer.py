"""Writes snapshots atomically: first to a temporary file, which then replaces the target."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.index.ports import IndexVersion
from matcher.index.posting_runs import PART_BITS, PostingRuns
from matcher.index.postings import (
    IndexableText,
    build_directory,
    choose_bucket_bits,
    pack_entries,
    require_room,
    require_same_algorithm,
    sorted_postings,
)
from matcher.index.snapshot.snapshot_file import HEADER_BYTES, TYPES, Header, Section, digest


def write_snapshot(
    path: Path,
    entries: Iterable[tuple[WorkTextId, IndexableText]],
    algorithm_id: int,
    version: IndexVersion,
    folder: Path | None = None,
) -> None:
    """Write a snapshot of texts to `path`, which is replaced in one step at the end.

    Needs 128 MB of memory plus 60 bytes for each text, and temporarily 16 bytes for each posting in `folder` (by
    default the system's temporary folder). Of texts with the same id, the first is used. Raises AlgorithmMismatch, and
    BadInput if there are more than 2^32 tokens.
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with partial.open("w+b") as file:
            _SnapshotWriter(file, algorithm_id, folder).write(entries, version)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


class _SnapshotWriter:
    """Writes the arrays and the header of one snapshot."""

    def __init__(self, file: IO[bytes], algorithm_id: int, folder: Path | None) -> None:
        self._file = file
        self._algorithm_id = algorithm_id
        self._folder = folder
        self._sections: dict[str, Section] = {}

    def write(self, entries: Iterable[tuple[WorkTextId, IndexableText]], version: IndexVersion) -> None:
        with PostingRuns(self._folder) as runs:
            ids, bounds = self._write_tokens(entries, runs)
            bits = max(PART_BITS, choose_bucket_bits(runs.size))
            self._write_postings(runs, bits)
        starts, ends = bounds[:-1], bounds[1:]
        self._write_array("starts", starts)
        self._write_array("ends", ends)
        self._write_array("directory", build_directory(starts, int(bounds[-1])))
        self._write_ids(ids)
        size = self._file.seek(0, os.SEEK_END)
        header = Header(self._algorithm_id, version, bits, size, self._sections)
        self._file.seek(0)
        self._file.write(header.to_bytes())

    def _write_tokens(
        self, entries: Iterable[tuple[WorkTextId, IndexableText]], runs: PostingRuns
    ) -> tuple[list[bytes], NDArray[np.int64]]:
        """Write the streams, and add the postings to `runs`.

        Return the ids of the texts, and the bounds of their streams.
        """
        ids: dict[bytes, None] = {}
        bounds = [0]
        self._file.seek(HEADER_BYTES)
        for text_id, text in entries:
            name = text_id.encode()
            require_same_algorithm(text, self._algorithm_id)
            if name in ids:
                continue
            require_room(bounds[-1] + text.tokens.size)
            self._file.write(np.ascontiguousarray(text.tokens, TYPES["tokens"]).tobytes())
            postings = sorted_postings(text)
            runs.add_postings(postings.keys, postings.positions + bounds[-1])
            ids[name] = None
            bounds.append(bounds[-1] + int(text.tokens.size))
        self._record_section("tokens", HEADER_BYTES, bounds[-1])
        return list(ids), np.array(bounds, np.int64)

    def _write_postings(self, runs: PostingRuns, bits: int) -> None:
        """Write the bucket offsets and the entries, part by part."""
        offsets_start = self._reserve_array("offsets", (1 << bits) + 1)
        offsets = self._map_array("offsets", offsets_start, (1 << bits) + 1)
        entries_start = self._reserve_array("entries", runs.size)
        buckets_of_part, written_count = 1 << (bits - PART_BITS), 0
        for part, (keys, addresses) in enumerate(runs.parts()):
            first = part * buckets_of_part
            numbers = (keys >> np.uint64(64 - bits)).astype(np.int64) - first
            ends = written_count + np.cumsum(np.bincount(numbers, minlength=buckets_of_part))
            offsets[first + 1 : first + 1 + buckets_of_part] = ends
            self._file.seek(entries_start + 8 * written_count)
            self._file.write(pack_entries(keys, addresses, bits).astype(TYPES["entries"]).tobytes())
            written_count += keys.size
        offsets.flush()
        self._record_section("offsets", offsets_start, (1 << bits) + 1)
        self._record_section("entries", entries_start, runs.size)

    def _write_ids(self, ids: list[bytes]) -> None:
        bounds = np.zeros(len(ids) + 1, np.int64)
        np.cumsum([len(name) for name in ids], out=bounds[1:])
        self._write_array("id_bounds", bounds)
        self._write_array("ids", np.frombuffer(b"".join(ids), np.uint8))
        self._write_array("id_order", np.array(sorted(range(len(ids)), key=ids.__getitem__), np.uint32))

    def _write_array(self, name: str, array: NDArray[Any]) -> None:
        start = self._reserve_array(name, array.size)
        self._file.seek(start)
        self._file.write(array.astype(TYPES[name]).tobytes())
        self._record_section(name, start, array.size)

    def _reserve_array(self, name: str, items: int) -> int:
        """Reserve space for an array at the next page of the file, and return its position."""
        end = self._file.seek(0, os.SEEK_END)
        start = max(HEADER_BYTES, -(-end // HEADER_BYTES) * HEADER_BYTES)
        self._file.truncate(start)
        if items:  # reserved, so that a full disk is an error here and not a crash when a mapped page is written
            os.posix_fallocate(self._file.fileno(), start, items * np.dtype(TYPES[name]).itemsize)
        return start

    def _record_section(self, name: str, start: int, items: int) -> None:
        self._file.flush()
        self._sections[name] = Section(start, items, digest(self._map_array(name, start, items)))

    def _map_array(self, name: str, start: int, items: int) -> Any:
        if not items:
            return np.zeros(0, TYPES[name])
        return np.memmap(self._file, TYPES[name], "r+", start, (items,))
