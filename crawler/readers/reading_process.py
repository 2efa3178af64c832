"""The crawl's end of its reading process: sends pages there, fetches what they refer to, outlives its death."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue

from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable
from core.pages import CrawlPlan
from core.states import Rejection
from crawler.child_environment import child_environment
from crawler.fetching.resources import Resources
from crawler.readers.messages import Answer, Begun, Given, Job, Opening, Ready, Want
from crawler.readers.reading_threads import THREADS, PageToRead, ResourcesOf, WholePage
from crawler.reading import Rejected

# Without a word while pages are being read. The slowest page of the corpora takes 2 s; one that is made to be slow and
# stays within the bounds of style sheets and elements took 9 s (2026-11).
MAX_SILENCE_S = 120.0
MAX_SECONDS_TO_START, MAX_FAILED_STARTS = 60.0, 3  # 1.3 s where nothing else runs (2026-11)
MAX_SECONDS_TO_END = 5.0  # a file of 300 KB to write; pages still being read are not waited for


@dataclass(slots=True)
class _Pending:
    page: PageToRead
    resources: Resources
    future: "Future[WholePage]" = field(default_factory=Future)
    is_begun: bool = False
    is_suspect: bool = False  # it was being read when the process ended


class ReadingProcess:
    """Reads pages in a process of its own, which is started anew when it ends. `close` when done.

    A page that is being read when the process ends, or keeps silent for `max_silence_s`, is read once more, alone; when
    that ends the process as well, it is given up. on_ready: called from a thread whenever a process waits for pages.
    """

    def __init__(
        self,
        plan: CrawlPlan,
        templates: Path | None,
        resources_of: ResourcesOf,
        on_ready: Callable[[], None],
        max_silence_s: float = MAX_SILENCE_S,
        *,
        cache: Path | None = None,
    ) -> None:
        self._opening = Opening(plan, templates, cache)
        self._resources_of, self._on_ready, self._max_silence_s = resources_of, on_ready, max_silence_s
        self._numbers = count()
        self._lock = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._outgoing: SimpleQueue[object] = SimpleQueue()
        self._fetchers = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="page-resources")
        self._worker: _Worker | None = None
        self._failed_starts = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="reading-process", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Of the process that reads now; None between two."""
        return self._worker.process.pid if self._worker is not None else None

    def submit(self, page: PageToRead) -> "Future[WholePage]":
        """The page as read, or given up.

        The future raises what crawler.reading.read_page raises, and ServiceUnavailable where no process can be started;
        it is cancelled when the process is closed.
        """
        job = _Pending(page, self._resources_of(page.url))
        with self._lock:
            if self._failed_starts >= MAX_FAILED_STARTS:
                job.future.set_exception(_unavailable())
                return job.future
            number = next(self._numbers)
            self._pending[number] = job
            self._outgoing.put(Job(number, page))
        return job.future

    def close(self) -> None:
        """End the process; what it has learnt of the site is kept, pages still being read are given up."""
        with self._lock:
            self._closing.set()
            if self._worker is not None:
                self._worker.hang_up()
        self._thread.join()
        self._fetchers.shutdown(wait=False)
        for job in self._pending.values():
            job.future.cancel()

    def _run(self) -> None:
        while not self._closing.is_set() and self._failed_starts < MAX_FAILED_STARTS:
            worker = _Worker()
            with self._lock:
                self._worker = worker
                if self._closing.is_set():
                    worker.hang_up()
            self._failed_starts += 1
            # Whatever a process that is going to pieces says: another one is started.
            with contextlib.suppress(Exception):
                self._serve(worker)
            worker.end(is_asked=self._closing.is_set())
            self._suspect()
        with self._lock:
            self._worker = None
            for job in self._pending.values() if not self._closing.is_set() else ():
                job.future.set_exception(_unavailable())

    def _serve(self, worker: "_Worker") -> None:
        """Until the process is silent for too long, or ends: EOFError, OSError."""
        if not worker.connection.poll(MAX_SECONDS_TO_START) or not isinstance(worker.connection.recv(), Ready):
            return
        self._failed_starts = 0
        worker.connection.send(self._opening)
        with self._lock:
            suspects = [(number, job) for number, job in self._pending.items() if job.is_suspect]
        for number, job in suspects:
            worker.connection.send(Job(number, job.page))
            if not self._take_until(worker, partial(self._is_settled, number)):
                return
        with self._lock:
            outgoing: SimpleQueue[object] = SimpleQueue()
            self._outgoing = outgoing
            for number, job in self._pending.items():
                outgoing.put(Job(number, job.page))
        self._on_ready()
        # Apart from whoever asks: a process that has no time to listen holds nobody up.
        sender = threading.Thread(target=_send_all, args=(worker, outgoing), name="reading-process-out", daemon=True)
        sender.start()
        try:
            self._take_until(worker, lambda: False)
        finally:
            outgoing.put(None)
            worker.hang_up()
            sender.join()

    def _is_settled(self, number: int) -> bool:
        return number not in self._pending

    def _take_until(self, worker: "_Worker", is_enough: Callable[[], bool]) -> bool:
        """Take what comes; False where nothing came for too long although pages are being read."""
        while not is_enough():
            if worker.connection.poll(self._max_silence_s):
                self._take(worker, worker.connection.recv())
            elif self._pending:
                return False
        return True

    def _take(self, worker: "_Worker", message: object) -> None:
        if isinstance(message, Want):
            self._fetchers.submit(self._give, worker, message)
        elif isinstance(message, Begun):
            self._pending[message.number].is_begun = True
        elif isinstance(message, Answer):
            with self._lock:
                job = self._pending.pop(message.number)
            _settle(job.future, message)

    def _give(self, worker: "_Worker", want: Want) -> None:
        with self._lock:
            asking = [job for job in self._pending.values() if job.page.url == want.page_url]
        data = asking[0].resources.get(want.address, want.kind) if asking else None
        worker.send(Given(want.number, data))

    def _suspect(self) -> None:
        """Who was being read when the process ended; who was so while being read alone, is given up."""
        with self._lock:
            begun = [(number, job) for number, job in self._pending.items() if job.is_begun]
            for number, job in begun:
                job.is_begun = False
                if job.is_suspect and not self._closing.is_set():
                    del self._pending[number]
                    sentence = f"{job.page.url} was given up: reading it ended the reading process twice"
                    job.future.set_result(WholePage(None, Rejected(Rejection.UNREADABLE, sentence), 0.0))
                job.is_suspect = True


class _Worker:
    """One process and the way to it. `send` from any thread; `connection` is read by one."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "crawler.readers.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env=child_environment(),
            )
        self._socket = ours
        self._sending = threading.Lock()
        self.connection: Connection[object, object] = Connection(os.dup(ours.fileno()))

    def send(self, message: object) -> None:
        """A process that has ended is told nothing."""
        with contextlib.suppress(OSError, ValueError), self._sending:
            self.connection.send(message)

    def hang_up(self) -> None:
        """Let the process end by itself once it has kept what it learnt."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def end(self, *, is_asked: bool) -> None:
        """Wait for it where it was asked to end, else kill it."""
        if is_asked:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=MAX_SECONDS_TO_END)
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self._socket.close()


def _send_all(worker: _Worker, outgoing: "SimpleQueue[object]") -> None:
    while (message := outgoing.get()) is not None:
        worker.send(message)


def _settle(future: "Future[WholePage]", answer: Answer) -> None:
    if answer.page is not None:
        future.set_result(answer.page)
    elif answer.is_plan:
        future.set_exception(BadConfiguration(answer.faults))
    else:
        future.set_exception(BrokenInvariant("; ".join(answer.faults)))


def _unavailable() -> ServiceUnavailable:
    return ServiceUnavailable("the process that reads pages", "this machine")
