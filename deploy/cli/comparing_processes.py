"""Portions of pages -> their results in the same order, by processes forked from this one, which share what it holds.

None of them outlives it, however it dies.
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
PORTIONS_AHEAD = 4  # a process: how far the others go on while one takes long over its portion
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_ENDING = frozenset({signal.SIGINT, signal.SIGTERM})

_compare: Callable[[Any], Any]  # of a forked process, which has one for its life


def default_processes() -> int:
    """As many as there are processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(compare: Callable[[P], R], portions: Iterable[P], processes: int) -> Generator[R]:
    """Yield the result of each portion, in their order; at most so many are read ahead as `processes` can be busy with.

    The first is compared here, for what that loads and sorts is shared; so are all where one process is enough, or
    the system cannot fork. Close it, as contextlib.closing does: that ends the processes. Raises what `compare`
    raises, and RetryLater where a process cannot be started or ends before its portion is compared.
    """
    rest = iter(portions)
    yield from map(compare, islice(rest, 1))
    can_fork = processes > 1 and hasattr(os, "fork")
    next_two = tuple(islice(rest, 2)) if can_fork else ()
    rest = chain(next_two, rest)
    yield from _shared_out(compare, rest, processes) if len(next_two) == 2 else map(compare, rest)


def _shared_out(compare: Callable[[P], R], portions: Iterator[P], processes: int) -> Iterator[R]:
    from concurrent.futures import Future, ProcessPoolExecutor  # what they import few pages do without
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    freeze_loaded_objects()
    # An interrupt that comes to a child before it ignores them would unwind this process's stack a second time.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    pool = ProcessPoolExecutor(processes, get_context("fork"), _begin, (compare, held))
    given: deque[Future[R]] = deque()
    try:
        for portion in portions:
            given.append(pool.submit(_answer, portion))
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            if len(given) == PORTIONS_AHEAD * processes:
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
        gc.unfreeze()  # the next engine of several takes the place of this one


def _begin(compare: Callable[[Any], Any], mask: Iterable[int]) -> None:
    """Begin a forked process."""
    global _compare  # noqa: PLW0603 - a function cannot be sent to it
    _compare = compare
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)  # they come to the whole group; the first process decides
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if sys.platform == "linux":  # elsewhere it ends after its portion
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _answer(portion: Any) -> Any:
    return _compare(portion)
