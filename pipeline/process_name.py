"""The name of a forked process in the system's lists, where it would have its parent's."""

from contextlib import suppress
from pathlib import Path


def call_this_process(name: str) -> None:
    """Set the name that `top` shows, 15 bytes at most; do nothing where the system has no such names."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(name, "ascii")
