"""Slots that limit the crawls and imports of one machine: a slot is a file in the home folder, locked while taken.

The system releases the lock when the last process that has the file open ends, however it ends. The file names the task
of the holder; if a task is there and nobody holds the slot, the holder was killed.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

MAX_NOTE_BYTES = 200


class Slot:
    """A taken slot. Processes that inherit its file descriptor hold it too, until each of them ends."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file.fileno()

    def note(self, task: str) -> None:
        """Record the task of the holder, or "" when it is done. On a full disk nothing is written."""
        with suppress(OSError):
            os.ftruncate(self._file.fileno(), 0)
            os.write(self._file.fileno(), task.encode("ascii"))

    def take_note(self) -> str:
        """Return the task of the slot's killed holder, and clear it."""
        task = os.pread(self._file.fileno(), MAX_NOTE_BYTES, 0).decode("ascii", "replace")
        self.note("")
        return task

    def free(self) -> None:
        """Release this process's hold; other processes that inherited the slot keep it."""
        self._file.close()


def take(folder: Path, number: int) -> Slot | None:
    """Take one of `number` slots, or return None if all are taken. Creates the folder if it is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place in range(1, number + 1):
        slot = _lock_slot(folder / f"slot-{place}.lock")
        if slot is not None:
            return slot
    return None


def take_abandoned_slots(folder: Path) -> Iterator[Slot]:
    """Take and yield, one by one, the slots whose holders were killed during a task."""
    for path in sorted(folder.glob("slot-*.lock")):
        slot = _lock_slot(path) if path.stat().st_size else None
        if slot is not None:
            yield slot


def inherit_slot(descriptor: int) -> Slot:
    """Return the slot that the parent process took and passed to this one."""
    os.set_inheritable(descriptor, False)
    return Slot(os.fdopen(descriptor, "a+b"))


def _lock_slot(path: Path) -> Slot | None:
    """Lock and return a slot, or return None if it is taken."""
    file = path.open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return Slot(file)
