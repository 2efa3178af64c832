"""A file system of its own, in memory, that can be filled. Only root may mount one: elsewhere the test is skipped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from laboratory.chaos.faults import small_disk, unmount


@contextmanager
def mounted(folder: Path, megabytes: int) -> Iterator[Path]:
    """A new folder with so much room."""
    folder.mkdir()
    if not small_disk(folder, megabytes << 20):
        pytest.skip("only root can mount a file system")
    try:
        yield folder
    finally:
        unmount(folder)


def filled(folder: Path) -> Path:
    """The file that takes all the room that is left."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        for size in (1 << 20, 512):
            with suppress(OSError):
                while file.write(b"\0" * size) == size:
                    pass
    return filler
