"""Portions of pages -> their results in the same order, by processes forked from this one, which share what it holds.

A process gets a portion when its last result has been taken, so that neither end waits for the other to read. It ends
when the other end of its pipe is closed, which nobody but this process holds: none outlives it, however it dies.
"""

import ctypes
import gc
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice
from typing import Any, Generic, TypeVar

from core.errors import RetryLater
from core.garbage import keep_what_is_loaded

P = TypeVar("P")
R = TypeVar("R")
PORTIONS_AHEAD = 4  # a process: how far the others go on while one takes long over its portion
PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
_ENDING = frozenset({signal.SIGINT, signal.SIGTERM})


def default_processes() -> int:
    """As many as there are processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(compare: Callable[[P], R], portions: Iterable[P], processes: int) -> Generator[R]:
    """The result of each portion, in their order; at most so many are read ahead as `processes` can be busy with.

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
    from multiprocessing.connection import wait  # with what it imports .02 s, which few pages do without

    idle: list[_Process[P, R]] = []
    busy: dict[object, tuple[int, _Process[P, R]]] = {}
    results: dict[int, R] = {}  # those that wait for an earlier one
    given = taken = 0
    with _forked(compare) as fork:
        portion = next(portions, None)
        while portion is not None or busy or results:
            while portion is not None and given < taken + PORTIONS_AHEAD * processes:
                if not idle and len(busy) == processes:
                    break
                process = idle.pop() if idle else fork()
                process.give(portion)
                busy[process.pipe] = given, process
                given += 1
                portion = next(portions, None)  # read before it is asked for, while they compare
            while taken in results:
                yield results.pop(taken)
                taken += 1
            for pipe in wait([process.pipe for _, process in busy.values()]) if busy else ():
                number, process = busy.pop(pipe)
                results[number] = process.result()
                idle.append(process)


@contextmanager
def _forked(compare: Callable[[P], R]) -> Iterator[Callable[[], "_Process[P, R]"]]:
    """What forks one more process; all are ended afterwards."""
    processes: list[_Process[P, R]] = []

    def fork() -> _Process[P, R]:
        processes.append(_Process(compare, processes))
        return processes[-1]

    keep_what_is_loaded()
    try:
        yield fork
    finally:
        for process in processes:
            process.end()
        gc.unfreeze()  # the next engine of several takes the place of this one


class _Process(Generic[P, R]):
    """One forked process, seen from here. elders: those before it, whose pipes it must not hold open."""

    def __init__(self, compare: Callable[[P], R], elders: Sequence["_Process[P, R]"]) -> None:
        from multiprocessing.connection import Pipe

        # An interrupt that came to the child before it ignores them would unwind this process's stack a second time.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            self.pipe, theirs = Pipe()
            self._pid = os.fork()
            if self._pid == 0:
                for pipe in (self.pipe, *(elder.pipe for elder in elders)):
                    pipe.close()
                _serve(theirs, compare, held)
            theirs.close()
        except OSError as error:
            raise RetryLater("batch.no-process", reason=error.strerror or error) from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)

    def give(self, portion: P) -> None:
        """Let it compare a portion; it must have none."""
        try:
            self.pipe.send(portion)
        except OSError as error:
            raise self._ended_early() from error

    def result(self) -> R:
        """Of the portion that it was given; waits for it."""
        try:
            result, fault = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise self._ended_early() from error
        if fault is not None:
            raise fault
        return result  # type: ignore[no-any-return]

    def end(self) -> None:
        """Whatever it does."""
        self.pipe.close()
        with suppress(ProcessLookupError, ChildProcessError):  # it was found to have ended
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)

    def _ended_early(self) -> RetryLater:
        _, status = os.waitpid(self._pid, 0)
        return RetryLater("batch.process-ended", code=os.waitstatus_to_exitcode(status))


def _serve(pipe: Any, compare: Callable[[Any], object], mask: Iterable[int]) -> None:
    """The forked process to its end: it never returns into what it was forked from."""
    try:
        for number in _ENDING:
            signal.signal(number, signal.SIG_IGN)  # they come to the whole group; the first process decides
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if sys.platform == "linux":  # without this it ends after its portion
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        with suppress(EOFError, OSError):  # the other end is gone
            while True:
                pipe.send(_answer(compare, pipe.recv()))
    finally:
        os._exit(1)


def _answer(compare: Callable[[P], R], portion: P) -> tuple[R | None, Exception | None]:
    """The result, or what was raised, with where in this process it was."""
    try:
        return compare(portion), None
    except Exception as error:  # it is raised again at the other end
        told = "".join(traceback.format_exception(error))
        try:
            error.add_note(told)
            pickle.loads(pickle.dumps(error))  # noqa: S301 - made one line before
        except Exception:  # not every error of a library can be pickled
            return None, RuntimeError(told)
        return None, error
