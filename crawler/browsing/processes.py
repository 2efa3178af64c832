"""The browsers that run below a process, as the system knows them (/proc): what they hold, and their end."""

import os
import signal
from contextlib import suppress
from pathlib import Path

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def memory_bytes(process: int) -> int:
    """What the browsers below a process hold; 0 where the system does not say (no /proc)."""
    return sum(_browsers_below(process).values())


def kill_browsers(process: int) -> None:
    """End every browser below a process, whatever it is at; one that is stopped, too."""
    for browser in _browsers_below(process):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(browser, signal.SIGKILL)


def _browsers_below(process: int) -> dict[int, int]:
    """The ids of the browser processes below a process, with the bytes of memory that each has."""
    parents, sizes = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            name, _, rest = (folder / "stat").read_text(errors="replace").rpartition(")")
            fields = rest.split()
            parents[int(folder.name)] = int(fields[1])
            if "chrom" in name or "headless" in name:
                sizes[int(folder.name)] = int(fields[21]) * _PAGE_BYTES
    below, grown = {process}, True
    while grown:
        more = {child for child, parent in parents.items() if parent in below} - below
        below, grown = below | more, bool(more)
    return {browser: size for browser, size in sizes.items() if browser in below}
