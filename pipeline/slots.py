"""How many crawls, and imports, run at once on one machine: a slot is a file of the home folder, locked while taken.

The system drops the lock when the last process that has the file open ends, however it ends.
"""

import fcntl
import os
from pathlib import Path
from typing import BinaryIO


class Slot:
    """A slot that is taken. Processes that are given its file descriptor hold it as well, until each of them ends."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def fileno(self) -> int:
        return self._file.fileno()

    def free(self) -> None:
        """Close this process's hold; whoever else was given the slot keeps it."""
        self._file.close()


def take(folder: Path, number: int) -> Slot | None:
    """One of `number` slots, or None where all are taken. The folder is made where it is missing."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for place in range(1, number + 1):
        file = (folder / f"slot-{place}.lock").open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            continue
        return Slot(file)
    return None


def inherited(descriptor: int) -> Slot:
    """The slot that the parent process took and gave to this one."""
    os.set_inheritable(descriptor, False)
    return Slot(os.fdopen(descriptor, "ab"))
