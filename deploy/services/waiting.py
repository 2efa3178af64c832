"""Waits for a condition with a deadline."""

import time
from collections.abc import Callable

POLL_S = 0.1


def wait_until(is_true: Callable[[], bool], deadline_s: float) -> bool:
    """Return whether `is_true()` became true before the deadline."""
    end = time.monotonic() + deadline_s
    while not is_true():
        if time.monotonic() > end:
            return False
        time.sleep(POLL_S)
    return True
