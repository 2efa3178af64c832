"""Sorts postings by key on disk, in runs that are split by the leading bits of the keys."""

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

PART_BITS = 8  # 256 parts: of 207 M postings (10^9 characters) 0.8 M each, 13 MB
PARTS = 1 << PART_BITS
# Postings in a run: 16 bytes each and as much again while it is split, 128 MB in all.
RUN_POSTINGS = 4_000_000


class PostingRuns:
    """Postings to be read in order of their keys. A context manager that deletes its temporary files at the end.

    At most one run of postings is in memory.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Create an empty collection of postings.

        folder: where temporary files are written, 16 bytes for each posting; by default the system's temporary folder.
        """
        self.size = 0
        self._files = tempfile.TemporaryDirectory(prefix="zhuiwen-postings-", dir=folder)
        self._keys: list[NDArray[np.uint64]] = []
        self._addresses: list[NDArray[np.int64]] = []
        self._pending_count = 0
        self._bounds: list[NDArray[np.int64]] = []  # of each run on disk, int64[PARTS + 1]

    def __enter__(self) -> "PostingRuns":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._files.cleanup()

    def add_postings(self, keys: NDArray[np.uint64], addresses: NDArray[np.int64]) -> None:
        """Add postings in any order."""
        self._keys.append(keys)
        self._addresses.append(addresses)
        self._pending_count += keys.size
        self.size += keys.size
        if self._pending_count >= RUN_POSTINGS:
            self._write_run()

    def parts(self) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        """Yield all postings in order of their keys, in PARTS parts: part i contains the keys with leading bits i.

        No postings may be added afterwards.
        """
        pending = self._split_pending()
        for part in range(PARTS):
            run_parts = [self._read_run_part(run, part) for run in range(len(self._bounds))] + [pending[part]]
            keys = np.concatenate([run_part[0] for run_part in run_parts])
            addresses = np.concatenate([run_part[1] for run_part in run_parts])
            order = np.argsort(keys)
            yield keys[order], addresses[order]

    def _split_pending(self) -> list[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
        keys, addresses, bounds = self._partition_keys()
        return [(keys[start:end], addresses[start:end]) for start, end in pairwise(bounds.tolist())]

    def _partition_keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        keys = np.concatenate([np.zeros(0, np.uint64), *self._keys])
        addresses = np.concatenate([np.zeros(0, np.int64), *self._addresses])
        self._keys, self._addresses, self._pending_count = [], [], 0
        parts = (keys >> np.uint64(64 - PART_BITS)).astype(np.uint8)
        order = np.argsort(parts, kind="stable")  # radix sort: linear
        bounds = np.concatenate([[0], np.cumsum(np.bincount(parts, minlength=PARTS))]).astype(np.int64)
        return keys[order], addresses[order], bounds

    def _write_run(self) -> None:
        keys, addresses, bounds = self._partition_keys()
        with self._run_file(len(self._bounds)).open("wb") as file:
            for first, last in pairwise(bounds.tolist()):
                keys[first:last].tofile(file)
                addresses[first:last].tofile(file)
        self._bounds.append(bounds)

    def _read_run_part(self, run: int, part: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        first, last = self._bounds[run][part], self._bounds[run][part + 1]
        values = np.fromfile(self._run_file(run), np.uint64, 2 * (last - first), offset=16 * int(first))
        return values[: last - first], values[last - first :].view(np.int64)

    def _run_file(self, run: int) -> Path:
        return Path(self._files.name) / f"{run}.run"
