"""The caller's end of a reading process: sends it tasks, fetches the pages' resources, restarts it after a crash."""

import contextlib
import logging
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
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
    ResourceReply,
    ResourceRequest,
    Started,
    Task,
    TaskResult,
)

# Wall-clock time per task, without its waits for resources, on a machine with any load.
MAX_SECONDS = 120.0
# Processor time per task; with the time until the next check, 5 s. The slowest page of the corpora takes .4 s. Few
# pages that are designed to be slow (tests.crawler.hostile_pages) come near the limit at any size (2026-11).
MAX_CPU_S = 4.5
# The same for a file that contains a book, offered by a site (crawler.formats.archive.is_container) or added as a
# work. Of 130 public books the slowest PDF takes 12 s, a Word file of a million characters 18 (2026-11).
MAX_BOOK_CPU_S = 30.0
MAX_SECONDS_TO_START, MAX_FAILED_STARTS = 60.0, 3  # 1.3 s on an idle machine (2026-11)
FETCHERS = 2  # threads that fetch resources: one for each page that is read concurrently
_LOOK_S = 0.5  # interval of checks of the running tasks' times

MAX_SECONDS_TO_END = 5.0  # for writing a file of 300 KB; running tasks are not awaited
MAX_ANSWER_BYTES = 256 * 1024 * 1024  # pickled; 16 MB of text take at most 64 MB, and some text is stored twice


def start_worker(fd: int) -> "subprocess.Popen[bytes]":
    """Start a reading process at the other end of the socket `fd`, without the operator's environment."""
    return subprocess.Popen(
        [sys.executable, "-m", "crawler.readers.worker", str(fd)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(fd,),
        env=child_environment(),
    )


class WorkerLink:
    """One process and the connection to it. `send` is thread-safe; `receive` must be called in one thread only."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = start_worker(theirs.fileno())
        self._socket = ours
        self._sending = threading.Lock()
        self.connection: Connection[object, object] = Connection(os.dup(ours.fileno()))

    def receive(self) -> object:
        """Receive a message. Raises EOFError if the process has ended, OSError if the message is too large."""
        return pickle.loads(self.connection.recv_bytes(MAX_ANSWER_BYTES))  # noqa: S301 - sent by our own program

    def send(self, message: object) -> None:
        """Send a message; do nothing if the process has ended."""
        with contextlib.suppress(OSError, ValueError), self._sending:
            self.connection.send(message)

    def cpu_s(self, thread: int) -> float:
        """Return the processor time of a thread in seconds, or 0 if it has ended."""
        try:
            stated = Path(f"/proc/{self.process.pid}/task/{thread}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            return 0.0
        user, system = stated.rpartition(")")[2].split()[11:13]  # proc(5)
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def hang_up(self) -> None:
        """Let the process exit after it has saved its templates."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def end(self, *, has_to_keep: bool) -> None:
        """Kill the process; if it has something to save, wait before."""
        if has_to_keep:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=MAX_SECONDS_TO_END)
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self._socket.close()


logger = logging.getLogger(__name__)


class GivenUp(BadInput):
    """Raised if reading a task ended the reading process or took too long."""

    def __init__(self, url: str, reason: Message) -> None:
        self.url, self.reason = url, reason
        super().__init__("page.given-up", url=url, reason=reason)


@dataclass(slots=True)
class _Pending:
    task: Task
    resources: Resources
    max_cpu_s: float
    future: "Future[Any]" = field(default_factory=Future)
    begun_at: float | None = None
    thread: int = 0  # that reads it, and its processor time before
    cpu_s_before: float = 0.0
    waits: int = 0  # for resources
    waits_since: float = 0.0
    waited_s: float = 0.0
    is_suspect: bool = False  # it was being read when the process ended
    is_simpler: bool = False  # reading it in full was given up

    def remaining_s(self, max_seconds: float, now: float) -> float:
        """Return the time left to read the task; the full time while it waits for a resource."""
        if self.begun_at is None or self.waits:
            return max_seconds
        return self.begun_at + self.waited_s + max_seconds - now

    def begin_again(self) -> None:
        """Reset the task, which was being read when the process ended. The next process reads it separately."""
        self.begun_at, self.waited_s, self.waits, self.is_suspect = None, 0.0, 0, True

    def wait(self, change: int) -> None:
        """Begin or end waiting for one resource."""
        now = time.monotonic()
        if self.waits == 0:
            self.waits_since = now
        self.waits = max(0, self.waits + change)  # a resource for the previous process may arrive late
        if self.waits == 0:
            self.waited_s += now - self.waits_since


class _Tasks:
    """Waiting and running tasks, by number. Thread-safe."""

    def __init__(self) -> None:
        self._numbers = count()
        self._lock = threading.RLock()
        self._tasks: dict[int, _Pending] = {}

    def is_settled(self, number: int) -> bool:
        return number not in self._tasks

    def register(self, job: _Pending) -> int:
        """Add a task and return its number."""
        with self._lock:
            number = next(self._numbers)
            self._tasks[number] = job
            return number

    def list_all(self) -> list[tuple[int, _Pending]]:
        """List all tasks with their numbers, in order of arrival."""
        with self._lock:
            return list(self._tasks.items())

    def list_begun(self) -> list[tuple[int, _Pending]]:
        """List the tasks that are being read."""
        return [(number, job) for number, job in self.list_all() if job.begun_at is not None]

    def begin(self, started: Started) -> None:
        """Note that the process starts to read a task."""
        job = self._tasks[started.number]
        job.begun_at, job.thread, job.cpu_s_before = time.monotonic(), started.thread, started.cpu_s

    def begin_wait(self, request: ResourceRequest) -> list[_Pending]:
        """Return the tasks of the page that requests a resource; they wait for it until `end_wait`."""
        with self._lock:
            asking = [job for job in self._tasks.values() if job.task.url == request.page_url]
            for job in asking:
                job.wait(+1)
        return asking

    def end_wait(self, asking: list[_Pending]) -> None:
        with self._lock:
            for job in asking:
                job.wait(-1)

    def settle(self, answer: TaskResult) -> Task | None:
        """Settle a task. After an unexpected error, read it in its simpler way, because a fault must not hide a page.

        Returns the task to read instead, if any.
        """
        with self._lock:
            job = self._tasks[answer.number]
            if not isinstance(answer.fault, str) or not isinstance(job.task, HasSimplerReading):
                del self._tasks[answer.number]
                _settle_future(job.future, answer)
                return None
            logger.error("%s: %s", job.task.url, answer.fault)
            self.give_up(answer.number, Message("page.reader-fault", fault=answer.fault))
            return None if self.is_settled(answer.number) else job.task

    def give_up(self, number: int, why: Message) -> None:
        """Read a task again in its simpler way, separately; if there is none, its future raises GivenUp."""
        with self._lock:
            job = self._tasks[number]
            simpler = job.task.simplify(why) if isinstance(job.task, HasSimplerReading) else None
            if simpler is None:
                del self._tasks[number]
                job.future.set_exception(GivenUp(job.task.url, why))
            else:
                job.task, job.is_simpler = simpler, True
                job.begin_again()

    def give_up_costly(self, worker: WorkerLink) -> None:
        """Give up tasks that exceed their processor time. Raises EOFError if there are any, to end the process."""
        with self._lock:
            begun = self.list_begun()
            over = [(n, job) for n, job in begun if worker.cpu_s(job.thread) - job.cpu_s_before > job.max_cpu_s]
            for number, job in over:
                self.give_up(number, Message("page.over-cpu", seconds=job.max_cpu_s))
        if over:
            raise EOFError

    def is_over_time(self, silent_since: float, max_seconds: float) -> bool:
        """Return True if a task takes too long, or tasks wait for too long and none is read."""
        now = time.monotonic()
        begun = self.list_begun()
        if not begun:
            return bool(self._tasks) and now - silent_since > max_seconds
        return any(job.remaining_s(max_seconds, now) <= 0 for _, job in begun)

    def suspect_begun(self, why: Message, *, is_over_time: bool, is_closing: bool) -> None:
        """Read the running tasks again separately after the process ended. Give them up if repeated or over time."""
        with self._lock:
            begun = self.list_begun()
            for number, job in begun:
                is_sure = job.is_suspect or (is_over_time and len(begun) == 1)
                job.begin_again()
                if is_sure and not is_closing:
                    self.give_up(number, why)


class ReadingProcess:
    """Reads tasks in a separate process with limited time and memory; replaces the process when it ends.

    Tasks that are running when the process ends, or beside a task that exceeds `max_seconds`, are read again
    separately, and given up the second time. A task that exceeds `max_cpu_s` of processor time is given up immediately.
    A task with a simpler way of reading (HasSimplerReading) is then read in this way, separately. The first task or
    `start` starts the process. Use it as a context manager, or call `close`. plan, templates, cache: as in
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
        self._lock = threading.Lock()
        self._tasks = _Tasks()
        self._outgoing: SimpleQueue[object] = SimpleQueue()
        self._fetchers = ThreadPoolExecutor(max_workers=FETCHERS, thread_name_prefix="page-resources")
        self._worker: WorkerLink | None = None
        self._failed_starts = 0
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """Return the id of the current process, or None between two processes."""
        return self._worker.process.pid if self._worker is not None else None

    def start(self) -> None:
        """Start the process now; it is ready after a second."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run_thread, name="reading-process", daemon=True)
                self._thread.start()

    def run_task(self, task: Task, resources: Resources = NO_RESOURCES) -> Any:
        """Read a task. Raises its error, GivenUp, or ServiceUnavailable if no process can be started."""
        return self.submit(task, resources).result()

    def submit(
        self, task: Task, resources: Resources = NO_RESOURCES, *, max_cpu_s: float | None = None
    ) -> "Future[Any]":
        """Schedule a task and return its future, which behaves as `run_task`; `close` cancels it.

        resources: those that a page may request. max_cpu_s: for this task; None for the common limit.
        """
        self.start()
        job = _Pending(task, resources, self._max_cpu_s if max_cpu_s is None else max_cpu_s)
        with self._lock:
            if self._failed_starts >= MAX_FAILED_STARTS:
                job.future.set_exception(_unavailable_error())
                return job.future
            self._outgoing.put(Job(self._tasks.register(job), task))
        return job.future

    def close(self) -> None:
        """End the process, which saves its templates; give up the running tasks."""
        with self._lock:
            self._closing.set()
            if self._worker is not None:
                self._worker.hang_up()
        if self._thread is not None:
            self._thread.join()
        self._fetchers.shutdown(wait=False)
        for _, job in self._tasks.list_all():
            job.future.cancel()

    def _run_thread(self) -> None:
        try:
            self._serve_all()
        finally:  # after this thread has ended, no future would ever be settled
            with self._lock:
                self._worker, self._failed_starts = None, MAX_FAILED_STARTS
                for _, job in self._tasks.list_all() if not self._closing.is_set() else ():
                    job.future.set_exception(_unavailable_error())

    def _serve_all(self) -> None:
        while not self._closing.is_set() and self._failed_starts < MAX_FAILED_STARTS:
            self._failed_starts += 1
            try:
                worker = WorkerLink()
            except OSError:  # no process or no descriptor is available
                continue
            with self._lock:
                self._worker = worker
                if self._closing.is_set():
                    worker.hang_up()
            is_over_time = False
            # Start a new process after a crash, whatever the old one has sent.
            with contextlib.suppress(Exception):
                is_over_time = self._serve_worker(worker)
            worker.end(has_to_keep=self._closing.is_set() and self._init.templates is not None)
            why = self._end_reason(worker.process.returncode, is_over_time=is_over_time)
            self._tasks.suspect_begun(why, is_over_time=is_over_time, is_closing=self._closing.is_set())

    def _serve_worker(self, worker: WorkerLink) -> bool:
        """Serve until a task is over time (returns True) or the process ends (EOFError, OSError)."""
        if not worker.connection.poll(MAX_SECONDS_TO_START) or not isinstance(worker.receive(), Ready):
            return False
        worker.connection.send(self._init)
        suspects = [(number, job) for number, job in self._tasks.list_all() if job.is_suspect]
        for number, job in sorted(suspects, key=lambda suspect: not suspect[1].is_simpler):  # the others may be slow
            worker.connection.send(Job(number, job.task))
            if not self._receive_messages(worker, partial(self._tasks.is_settled, number)):
                return True
        with self._lock:
            outgoing: SimpleQueue[object] = SimpleQueue()
            self._outgoing = outgoing
            for number, job in self._tasks.list_all():
                outgoing.put(Job(number, job.task))
        # In a separate thread: a busy process must not block callers.
        sender = threading.Thread(target=_send_all, args=(worker, outgoing), name="reading-process-out", daemon=True)
        sender.start()
        try:
            return not self._receive_messages(worker, lambda: False)
        finally:
            outgoing.put(None)
            worker.hang_up()
            sender.join()

    def _receive_messages(self, worker: WorkerLink, is_enough: Callable[[], bool]) -> bool:
        """Receive messages. Return False if a task takes too long, or tasks wait for too long and none is read."""
        silent_since = looked_at = time.monotonic()
        while not is_enough():
            if worker.connection.poll(_LOOK_S):
                self._handle_message(worker, worker.receive())
                silent_since = time.monotonic()
            if time.monotonic() - looked_at >= _LOOK_S:
                self._tasks.give_up_costly(worker)
                if self._tasks.is_over_time(silent_since, self._max_seconds):
                    return False
                looked_at = time.monotonic()
        return True

    def _handle_message(self, worker: WorkerLink, message: object) -> None:
        if isinstance(message, ResourceRequest):
            self._fetchers.submit(self._answer_request, worker, message, self._tasks.begin_wait(message))
        elif isinstance(message, Started):
            self._failed_starts = 0  # not earlier: a process that cannot load its input would be restarted forever
            self._tasks.begin(message)
        elif isinstance(message, TaskResult):
            simpler = self._tasks.settle(message)
            if simpler is not None:
                worker.send(Job(message.number, simpler))

    def _answer_request(self, worker: WorkerLink, request: ResourceRequest, asking: list[_Pending]) -> None:
        try:
            data = asking[0].resources.get(request.address, request.kind) if asking else None
        finally:
            self._tasks.end_wait(asking)
        worker.send(ResourceReply(request.number, data))

    def _end_reason(self, code: int, *, is_over_time: bool) -> Message:
        if is_over_time:
            return Message("page.over-time", seconds=self._max_seconds)
        if code == OUT_OF_MEMORY:
            return Message("page.over-memory", size=self._init.max_memory_bytes // 10**6)
        return Message("page.crashed")


def _send_all(worker: WorkerLink, outgoing: "SimpleQueue[object]") -> None:
    while (message := outgoing.get()) is not None:
        worker.send(message)


def _settle_future(future: "Future[Any]", answer: TaskResult) -> None:
    if answer.fault is None:
        future.set_result(answer.result)
    elif isinstance(answer.fault, ZhuiwenError):
        future.set_exception(answer.fault)
    else:
        future.set_exception(BrokenInvariant("page.reader-fault", fault=answer.fault))


def _unavailable_error() -> ServiceUnavailable:
    return ServiceUnavailable(Message("service.reader"), Message("service.this-machine"))
