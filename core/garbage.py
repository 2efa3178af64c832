"""Controls the garbage collector in processes with many objects, and returns memory that only their start needed."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_DONTNEED = 4  # MADV_DONTNEED of <sys/mman.h>


def freeze_loaded_objects() -> None:
    """Freeze all current objects, because scanning them takes time and unshares the memory of forked processes."""
    gc.collect()
    gc.freeze()


def return_unneeded_memory(library: str) -> None:
    """Return free blocks to the system, and the code of a library that is hardly needed any more.

    Linux reads the code again from the file when it runs.
    """
    if sys.platform != "linux":
        return
    system = ctypes.CDLL(None)
    if hasattr(system, "malloc_trim"):  # not in musl
        system.malloc_trim(0)
    for line in Path("/proc/self/maps").read_text("utf-8", "replace").splitlines():
        place, rights, *_ = line.split()
        if rights == "r-xp" and library in line:
            begin, end = (int(address, 16) for address in place.split("-"))
            system.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _DONTNEED)


@contextmanager
def pause_collection() -> Iterator[None]:
    """Pause the search for reference cycles in this process, inside the block.

    Reading or comparing a page creates up to 100,000 objects, of which hardly any are in a cycle, and each search
    traverses all of them.
    """
    # The searches take a sixth of the time of reading, and as much as everything else when a page has thousands of
    # changes (2026-11).
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
