"""Checks of user input in a reading process: one that never ends blocks nothing else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Any

from core.errors import RetryLater
from crawler.readers.messages import Call
from crawler.readers.reading_process import ReadingProcess

MAX_CHECK_CPU_S = 2.0  # chosen: what is as it should be takes milliseconds, a Word template tenths of a second
MAX_CHECK_S = 30.0  # for one check, however busy the machine is
AT_ONCE = 2  # of the 8 threads of a process of the desk: the others go on
MAX_WAIT_S = 2.0  # for one of these; who waits keeps a thread, too
_PLACES = BoundedSemaphore(AT_ONCE)


@contextmanager
def checking_process() -> Iterator[ReadingProcess]:
    """Return a reading process with the limits of a check. Raises RetryLater while too many checks are running."""
    if not _PLACES.acquire(timeout=MAX_WAIT_S):
        raise RetryLater("core.checks-busy")
    try:
        with ReadingProcess(max_seconds=MAX_CHECK_S, max_cpu_s=MAX_CHECK_CPU_S) as process:
            yield process
    finally:
        _PLACES.release()


def run_check(name: str, function: Callable[..., object], *given: object) -> Any:
    """Call the function in a reading process; returns its result or raises its error.

    name: of the checked thing in messages.

    Raises GivenUp if it takes too long or too much memory; RetryLater.
    """
    with checking_process() as process:
        return process.run_task(Call(name, function, given))
