"""Compares batches of pages in forked processes, which share the parent's memory, and yields results in order.

No process outlives the parent, however the parent ends.
"""

import ctypes
import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from core.errors import RetryLater
from core.garbage import freeze_loaded_objects

P = TypeVar("P")
R = TypeVar("R")
BATCHES_AHEAD = 4  # for each process: the batches that may be compared ahead while one process is slow
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_ENDING = frozenset({signal.SIGINT, signal.SIGTERM})

_compare: Callable[[Any], Any]  # in a forked process, for its lifetime


def default_processes() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compare_in_order(compare: Callable[[P], R], batches: Iterable[P], processes: int) -> Generator[R]:
    """Compare batches in several processes, and yield the result of `compare` for each in order.

    Only a few batches are read ahead for each process. The first batch is compared in this process, so that forks share
    the data that it loads and sorts. All batches are compared here if one process is enough or the system cannot fork.
    Close the generator, for example with contextlib.closing, to end the processes.

    Raises the exceptions of `compare`, and RetryLater if a process cannot start or dies while it compares a batch.
    """
    rest = iter(batches)
    yield from map(compare, islice(rest, 1))
    can_fork = processes > 1 and hasattr(os, "fork")
    next_two = tuple(islice(rest, 2)) if can_fork else ()
    rest = chain(next_two, rest)
    yield from _compare_in_processes(compare, rest, processes) if len(next_two) == 2 else map(compare, rest)


def _compare_in_processes(compare: Callable[[P], R], batches: Iterator[P], processes: int) -> Iterator[R]:
    from concurrent.futures import Future, ProcessPoolExecutor  # their imports take time; few pages need no processes
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    freeze_loaded_objects()
    # A child interrupted before it ignores the signals would unwind this process's stack again.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    pool = ProcessPoolExecutor(processes, get_context("fork"), _begin_process, (compare, held))
    given: deque[Future[R]] = deque()
    try:
        for batch in batches:
            given.append(pool.submit(_compare_batch, batch))
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            if len(given) == BATCHES_AHEAD * processes:
                yield given.popleft().result()
        while given:
            yield given.popleft().result()
    except BrokenProcessPool as error:
        raise RetryLater("batch.process-ended") from error
    except BlockingIOError as error:
        raise RetryLater("batch.no-process", reason=error.strerror or error) from error
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()  # another engine may replace this one


def _begin_process(compare: Callable[[Any], Any], mask: Iterable[int]) -> None:
    """Initialize a forked process. mask: its signal mask. It ignores SIGINT and SIGTERM, and dies with its parent."""
    global _compare  # noqa: PLW0603 - a function cannot be sent to a process
    _compare = compare
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)  # the whole group receives the signal; the parent decides
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if sys.platform == "linux":  # elsewhere the process ends after its batch
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _compare_batch(batch: Any) -> Any:
    return _compare(batch)
