"""Handles Ctrl-C while a command waits. An interrupt is recorded during a step and raised after it.

A database driver or client may turn an interrupt raised inside its call into another error.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Records a user's interrupt until a step that must not be aborted has ended."""

    def __init__(self) -> None:
        self._is_noted = False

    def check(self) -> None:
        """Raise KeyboardInterrupt if an interrupt was recorded."""
        if self._is_noted:
            raise KeyboardInterrupt

    def note(self, number: int, frame: FrameType | None) -> None:
        """Record an interrupt, as a signal handler.

        A second interrupt is raised immediately, because the step may hang.
        """
        if self._is_noted:
            signal.default_int_handler(number, frame)
        self._is_noted = True


@contextmanager
def record_interrupts() -> Iterator[Interrupts]:
    """Record Ctrl-C within the block, and raise KeyboardInterrupt afterwards, even if the block raised another error.

    Only the main thread, which receives signals, may use it.
    """
    noted = Interrupts()
    before = signal.signal(signal.SIGINT, noted.note)
    try:
        yield noted
    except Exception:
        noted.check()
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    noted.check()


@contextmanager
def raise_on_termination() -> Iterator[None]:
    """Raise SystemExit on SIGTERM within the block, so that unfinished work is removed.

    Only the main thread may use it.
    """
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
