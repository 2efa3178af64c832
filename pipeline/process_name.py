"""What a forked process is called in the lists of the system, where it would be called as its parent is."""

from contextlib import suppress
from pathlib import Path


def call_this_process(name: str) -> None:
    """Name it as `top` shows it, 15 bytes at most; where the system has no such names, it stays as it is."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name, "ascii")
