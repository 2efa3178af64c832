"""Slots that limit the long jobs of one machine.

A slot is a file in the home folder, locked while it is in use.

The system releases the lock when the last process that has the file open ends, for whatever reason. The file contains
the task of the holder. If it contains a task and nobody holds the slot, the holder was killed.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

MAX_NOTE_BYTES = 200


class Slot:
    """A slot that this process holds. Child processes that inherit its file descriptor hold it too."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file.fileno()

    def note(self, task: str) -> None:
        """Record the task of the holder, or "" when it has ended. If the disk is full, nothing is recorded."""
        with suppress(OSError):
            os.ftruncate(self._file.fileno(), 0)
            os.write(self._file.fileno(), task.encode("ascii"))

    def take_note(self) -> str:
        """Return the task of the killed holder, and remove it from the file."""
        task = os.pread(self._file.fileno(), MAX_NOTE_BYTES, 0).decode("ascii", "replace")
        self.note("")
        return task

    def free(self) -> None:
        """Close the file of the slot. Processes that inherited the slot still hold it."""
        self._file.close()


def take(folder: Path, slot_count: int) -> Slot | None:
    """Acquire one of the slots in `folder`, or return None if all are in use. Create the folder if it is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for slot_number in range(1, slot_count + 1):
        slot = _lock_slot(folder / f"slot-{slot_number}.lock")
        if slot is not None:
            return slot
    return None


def take_abandoned_slots(folder: Path) -> Iterator[Slot]:
    """Acquire each slot whose holder was killed during a task, and yield it."""
    for path in sorted(folder.glob("slot-*.lock")):
        slot = _lock_slot(path) if path.stat().st_size else None
        if slot is not None:
            yield slot


def inherit_slot(descriptor: int) -> Slot:
    """Return the slot that the parent process acquired. descriptor: its inherited file descriptor."""
    os.set_inheritable(descriptor, False)
    return Slot(os.fdopen(descriptor, "a+b"))


def _lock_slot(path: Path) -> Slot | None:
    """Lock the file of a slot and return the slot, or None if it is in use."""
    file = path.open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return Slot(file)
