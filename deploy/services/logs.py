"""Reads the last line of a process's log."""

import os
from pathlib import Path

TAIL_BYTES = 8192
MAX_LINE_CHARS = 200


def last_line(path: Path) -> str:
    """Return the last non-blank line, at most 200 characters of it, or ""."""
    try:
        with path.open("rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            tail = file.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    printable = "".join(char if char.isprintable() else " " for char in lines[-1]) if lines else ""
    return printable[-MAX_LINE_CHARS:]
