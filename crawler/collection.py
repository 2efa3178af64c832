"""The cyclic garbage collector, paused for as long as a page is read."""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses = 0
_was_enabled = True


@contextmanager
def paused_collection() -> Iterator[None]:
    """No cycles are looked for inside; in whatever thread, until the last pause of the process ends.

    A page makes some 100,000 objects that live until it is read, and each run of the collector walks through them: a
    sixth of the time (2026-11). What is left of a page in cycles is young then and goes with the first run behind it.
    """
    global _pauses, _was_enabled  # noqa: PLW0603  one collector for a process
    with _lock:
        if _pauses == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _pauses += 1
    try:
        yield
    finally:
        with _lock:
            _pauses -= 1
            if _pauses == 0 and _was_enabled:
                gc.enable()
