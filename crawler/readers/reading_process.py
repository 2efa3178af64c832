"""The caller's end of a reading process. It sends tasks, fetches resources of pages, and replaces a crashed process."""

import contextlib
import logging
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.errors import BadInput, BrokenInvariant, ServiceUnavailable, ZhuiwenError
from core.pages import CrawlPlan
from core.wording import Message
from crawler.fetching.resources import NO_RESOURCES, Resources
from crawler.obfuscation.worker_process import child_environment
from crawler.readers.messages import (
    MAX_MEMORY_BYTES,
    OUT_OF_MEMORY,
    HasSimplerReading,
    Init,
    Job,
    Ready,
    ResourceRequest,
    Task,
    TaskResult,
)

# Wall-clock time per task, without the time of waiting for resources, on a machine with any load.
MAX_SECONDS = 120.0
# CPU time per task. The slowest page of the corpora takes .4 s. Few pages that are designed to be slow
# (tests.crawler.hostile_pages) come near the limit at any size (2026-11).
MAX_CPU_S = 5.0
# The same for a file that contains a book, which a site offers (crawler.formats.archive.is_container) or which is added
# as a work. Of 130 public books, the slowest PDF takes 12 s; a Word file of a million characters takes 18 s (2026-11).
MAX_BOOK_CPU_S = 30.0
MAX_SECONDS_TO_START, MAX_FAILED_STARTS = 60.0, 3  # 1.3 s on an idle machine (2026-11)
MAX_SECONDS_TO_END = 5.0  # for writing a file of 300 KB; the running task is not awaited
MAX_ANSWER_BYTES = 256 * 1024 * 1024  # pickled; 16 MB of text take at most 64 MB, and some text is contained twice

logger = logging.getLogger(__name__)


def start_worker(fd: int) -> "subprocess.Popen[bytes]":
    """Start a reading process with one end of a socket pair, without the operator's environment."""
    return subprocess.Popen(
        [sys.executable, "-m", "crawler.readers.worker", str(fd)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(fd,),
        env=child_environment(),
    )


class GivenUp(BadInput):
    """Raised if a task ended the reading process or took too long."""

    def __init__(self, url: str, reason: Message) -> None:
        self.url, self.reason = url, reason
        super().__init__("page.given-up", url=url, reason=reason)


class _ProcessEnded(Exception):
    """Raised if the process ended, or had to be ended, before it responded.

    is_sure: True if the task is certainly the cause
    """

    def __init__(self, reason: Message, *, is_sure: bool) -> None:
        self.reason, self.is_sure = reason, is_sure
        super().__init__(reason)


class _Worker:
    """A reading process and the connection to it."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = start_worker(theirs.fileno())
        self._connection: Connection[object, object] = Connection(ours.detach())

    def is_ready(self, init: Init) -> bool:
        """Send the first message to the process, and wait until it has started. Return False if it does not start."""
        try:
            self._connection.send(init)
            return self._connection.poll(MAX_SECONDS_TO_START) and isinstance(self._receive(), Ready)
        except (EOFError, OSError):
            return False

    def ask(self, job: Job, resources: Resources, max_seconds: float) -> TaskResult:
        """Let the process read a task, and return the result.

        resources: the source of the resources that the process requests. max_seconds: the limit without the time for
        these. Raises TimeoutError, or any exception if the process ends or sends anything else.
        """
        self._connection.send(job)
        seconds_left = max_seconds
        while True:
            begun = time.monotonic()
            if not self._connection.poll(max(0.0, seconds_left)):
                raise TimeoutError
            message = self._receive()
            seconds_left -= time.monotonic() - begun
            if isinstance(message, TaskResult):
                return message
            assert isinstance(message, ResourceRequest)
            self._connection.send(resources.get(message.address, message.kind))

    def hang_up(self, max_seconds: float) -> None:
        """Let the process store its templates and exit. Kill it after `max_seconds`. Safe to call from any thread."""
        with (
            contextlib.suppress(OSError),
            socket.fromfd(self._connection.fileno(), socket.AF_UNIX, socket.SOCK_STREAM) as end,
        ):
            end.shutdown(socket.SHUT_WR)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=max_seconds)
        self.process.kill()
        self.process.wait()

    def end(self) -> int:
        """Kill the process and return its exit code. It is the process's own code if the process has ended before."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=0.1)  # the connection may close a moment before the process ends
        self.process.kill()
        self._connection.close()
        return self.process.wait()

    def _receive(self) -> object:
        """Receive a message. Raises EOFError if the process has ended, or OSError if the message is too large."""
        return pickle.loads(self._connection.recv_bytes(MAX_ANSWER_BYTES))  # noqa: S301 - sent by our own program


class ReadingProcess:
    """Reads tasks one after the other in a separate process with limited time and memory.

    A task that exceeds `max_seconds`, or `max_cpu_s` of CPU time, ends the process and is abandoned. A task during
    which the process crashes or needs too much memory is read again by a new process, and abandoned the second time. An
    abandoned task with a simpler way of reading (HasSimplerReading) is then read in that way. The first task or `start`
    starts the process. Use it as a context manager, or call `close`. plan, templates, cache: as in
    crawler.readers.worker.ReadingSession.
    """

    def __init__(
        self,
        plan: CrawlPlan | None = None,
        templates: Path | None = None,
        *,
        cache: Path | None = None,
        max_seconds: float = MAX_SECONDS,
        max_cpu_s: float = MAX_CPU_S,
        max_memory_bytes: int = MAX_MEMORY_BYTES,
    ) -> None:
        self._init = Init(plan, templates, cache, max_memory_bytes)
        self._max_seconds, self._max_cpu_s = max_seconds, max_cpu_s
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="reading-process")
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._failed_starts = 0
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the current process, or None if none is running."""
        return self._worker.process.pid if self._worker is not None else None

    def start(self) -> None:
        """Start the process before the first task. It is ready after a second."""
        self._executor.submit(self._running_worker)

    def run_task(self, task: Task, resources: Resources = NO_RESOURCES) -> Any:
        """Read a task and return its result.

        Raises the error of the task, GivenUp if it was abandoned, or ServiceUnavailable if no process can be started.
        """
        return self.submit(task, resources).result()

    def submit(
        self, task: Task, resources: Resources = NO_RESOURCES, *, max_cpu_s: float | None = None
    ) -> "Future[Any]":
        """Schedule a task, and return the future of its result. Errors are those of `run_task`.

        resources: the source of the resources that a page may request. max_cpu_s: the limit for this task; None for the
        common one. `close` cancels the task.
        """
        return self._executor.submit(
            self._read_task, task, resources, self._max_cpu_s if max_cpu_s is None else max_cpu_s
        )

    def close(self) -> None:
        """End the process, which stores its templates. The running task is abandoned, and the others are cancelled."""
        with self._lock:
            self._is_closed = True
        self._executor.shutdown(wait=False, cancel_futures=True)
        if (worker := self._worker) is not None:
            worker.hang_up(MAX_SECONDS_TO_END if self._init.templates is not None else 0.0)

    def _read_task(self, task: Task, resources: Resources, max_cpu_s: float) -> Any:
        has_crashed = False
        while True:
            try:
                answer = self._ask_worker(Job(task, max_cpu_s), resources)
            except _ProcessEnded as end:
                reason, has_crashed = end.reason, not (end.is_sure or has_crashed)
                if has_crashed:
                    continue
                fault: ZhuiwenError = GivenUp(task.url, reason)
            else:
                if answer.fault is None:
                    return answer.result
                if isinstance(answer.fault, ZhuiwenError):
                    raise answer.fault
                logger.error("%s: %s", task.url, answer.fault)
                reason = Message("page.reader-fault", fault=answer.fault)
                fault = BrokenInvariant("page.reader-fault", fault=answer.fault)
            simpler = task.simplify(reason) if isinstance(task, HasSimplerReading) else None
            if simpler is None:
                raise fault
            task = simpler

    def _ask_worker(self, job: Job, resources: Resources) -> TaskResult:
        """Let the process read a task. Raises _ProcessEnded, ServiceUnavailable, or CancelledError after `close`."""
        worker = self._running_worker()
        try:
            return worker.ask(job, resources, self._max_seconds)
        except Exception as error:  # whatever the process has sent, it is replaced
            self._worker = None
            code = worker.end()
            if self._is_closed:
                raise CancelledError from error
            if isinstance(error, TimeoutError):
                raise _ProcessEnded(Message("page.over-time", seconds=self._max_seconds), is_sure=True) from error
            if code == -signal.SIGPROF:
                raise _ProcessEnded(Message("page.over-cpu", seconds=job.max_cpu_s), is_sure=True) from error
            if code == OUT_OF_MEMORY:
                size = self._init.max_memory_bytes // 10**6
                raise _ProcessEnded(Message("page.over-memory", size=size), is_sure=False) from error
            raise _ProcessEnded(Message("page.crashed"), is_sure=False) from error

    def _running_worker(self) -> _Worker:
        while self._worker is None:
            if self._failed_starts >= MAX_FAILED_STARTS:
                raise ServiceUnavailable(Message("service.reader"), Message("service.this-machine"))
            self._failed_starts += 1
            with self._lock:
                if self._is_closed:
                    raise CancelledError
                with contextlib.suppress(OSError):  # no process or no file descriptor is available
                    self._worker = _Worker()
            if self._worker is not None and not self._worker.is_ready(self._init):
                self._worker.end()
                self._worker = None
        self._failed_starts = 0
        return self._worker
