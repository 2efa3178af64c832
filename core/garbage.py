"""Controls the garbage collector in processes with many objects."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def freeze_loaded_objects() -> None:
    """Freeze all current objects, because scanning them takes time and unshares the memory of forked processes."""
    gc.collect()
    gc.freeze()


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
