"""Files that this user alone may read."""

import os
from pathlib import Path


def write_privately(path: Path, text: str) -> None:
    """Write a file that only this user can read; after a power loss there is the old one or the new one, whole."""
    path = path.resolve()  # of a link, what it leads to
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)  # half of it, on a full disk
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def touched_privately(path: Path) -> Path:
    """Return a path at which there is a file afterwards; one that is made is for this user alone. Raises OSError."""
    path.touch(mode=0o600)
    return path
