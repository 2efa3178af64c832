"""Slots that bound the crawls and imports of one machine: a slot is a file of the home folder, locked while taken.

The system drops the lock when the last process that has the file open ends, however it ends. What its holder is at
stands in the file; where that is still there and nobody holds the slot, the holder was killed.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

MAX_NOTE_BYTES = 200


class Slot:
    """A slot that is taken. Processes that are given its file descriptor hold it as well, until each of them ends."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file.fileno()

    def note(self, task: str) -> None:
        """Write down what the holder is at; "" when that is done. On a full disk nothing is written."""
        with suppress(OSError):
            os.ftruncate(self._file.fileno(), 0)
            os.write(self._file.fileno(), task.encode("ascii"))

    def take_note(self) -> str:
        """Return what the slot's last holder was at when it was killed, and forget it."""
        task = os.pread(self._file.fileno(), MAX_NOTE_BYTES, 0).decode("ascii", "replace")
        self.note("")
        return task

    def free(self) -> None:
        """Close this process's hold; whoever else was given the slot keeps it."""
        self._file.close()


def take(folder: Path, number: int) -> Slot | None:
    """Return one of `number` slots, or None where all are taken. The folder is made where it is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place in range(1, number + 1):
        slot = _lock_slot(folder / f"slot-{place}.lock")
        if slot is not None:
            return slot
    return None


def abandoned_slots(folder: Path) -> Iterator[Slot]:
    """Take, one after the other, the slots whose holders were killed in the midst of something."""
    for path in sorted(folder.glob("slot-*.lock")):
        slot = _lock_slot(path) if path.stat().st_size else None
        if slot is not None:
            yield slot


def inherit_slot(descriptor: int) -> Slot:
    """Open the slot that the parent process took and gave to this one."""
    os.set_inheritable(descriptor, False)
    return Slot(os.fdopen(descriptor, "a+b"))


def _lock_slot(path: Path) -> Slot | None:
    """Lock a slot; None where it is taken."""
    file = path.open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return Slot(file)
