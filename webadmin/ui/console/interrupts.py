"""Ctrl-C while something is waited for: noted, and acted on between two steps rather than in the midst of one.

An interrupt that is raised inside a call of a database driver or a client comes out as whatever these make of it.
"""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Notes an interrupt of the user until a step that must not break off has ended."""

    def __init__(self) -> None:
        self._is_noted = False

    def check(self) -> None:
        """Raises KeyboardInterrupt where one was noted."""
        if self._is_noted:
            raise KeyboardInterrupt

    def note(self, number: int, frame: FrameType | None) -> None:
        """Take one down; the second is raised at once, for the step itself may hang."""
        if self._is_noted:
            signal.default_int_handler(number, frame)
        self._is_noted = True


@contextmanager
def noted_interrupts() -> Iterator[Interrupts]:
    """Inside, Ctrl-C is noted. It ends in KeyboardInterrupt, whatever else the step it arrived in failed with.

    For the main thread alone, which is the one that signals reach.
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
def termination_raised() -> Iterator[None]:
    """Inside, SIGTERM is SystemExit, so that what is half done is removed. For the main thread alone."""
    before = signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
