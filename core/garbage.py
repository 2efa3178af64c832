"""Garbage collection for processes that keep the objects loaded at start-up."""

import gc


def freeze_loaded_objects() -> None:
    """Freeze all current objects, because scanning them takes time and unshares the memory of forked processes."""
    gc.collect()
    gc.freeze()
