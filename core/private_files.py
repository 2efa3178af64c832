"""Writes files that only this user can read."""

import os
from pathlib import Path


def write_privately(path: Path, text: str) -> None:
    """Write a file that only this user can read. After a power loss either the old or the new file is complete."""
    path = path.resolve()  # to replace the target of a link
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)  # incomplete on a full disk
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def touch_private(path: Path) -> Path:
    """Create a file that only this user can read, unless the file exists, and return its path.

    Raises OSError if the file cannot be created.
    """
    path.touch(mode=0o600)
    return path
