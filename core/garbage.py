"""Garbage collection for processes that keep what they load at the start."""

import gc


def freeze_loaded_objects() -> None:
    """Freeze all current objects, because scanning them takes time and unshares the memory of forked processes."""
    gc.collect()
    gc.freeze()
