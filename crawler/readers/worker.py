"""`python -m crawler.readers.worker FD`: the reading process; serves until the other end of socket FD is closed."""

import resource
import signal
import sys
import threading
from concurrent.futures import Future
from itertools import count
from multiprocessing.connection import Connection

from core.errors import BadConfiguration
from crawler.fetching.resources import ResourceKind, Resources, data_of
from crawler.readers.messages import Answer, Begun, Given, Job, Opening, Ready, Want
from crawler.readers.reading_threads import ReadingThreads, WholePage

# Of addresses, most of them libraries and thread stacks: a page that needs more ends this process and not the crawl.
# A page of 16 MB, the largest that is fetched by default, takes .9 GB (2026-11).
MAX_MEMORY_BYTES = 6_000_000_000


def main() -> None:
    """Serve one crawl."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal's whole group; the crawl decides when to end
    _Server(Connection(int(sys.argv[1]))).serve()


class _Server:
    """Takes pages in one thread, reads them in others, and asks the crawl for what they refer to."""

    def __init__(self, connection: "Connection[object, object]") -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._numbers = count()
        self._wanted: dict[int, Future[bytes | None]] = {}

    def serve(self) -> None:
        self._send(Ready())
        try:
            opening = self._connection.recv()
            assert isinstance(opening, Opening)
            threads = ReadingThreads(opening.plan, opening.templates, self._resources_of, opening.cache)
        except EOFError:
            return
        try:
            while True:
                self._take(self._connection.recv(), threads)
        except (EOFError, OSError):
            for waiting in list(self._wanted.values()):
                waiting.set_result(None)
            threads.close()

    def _take(self, message: object, threads: ReadingThreads) -> None:
        if isinstance(message, Job):
            number = message.number
            done = threads.submit(message.page, lambda: self._send(Begun(number)))
            done.add_done_callback(lambda done: self._answer(number, done))
        elif isinstance(message, Given) and (waiting := self._wanted.pop(message.number, None)) is not None:
            waiting.set_result(message.data)

    def _answer(self, number: int, done: "Future[WholePage]") -> None:
        fault = done.exception()
        if fault is None:
            self._send(Answer(number, done.result()))
        elif isinstance(fault, BadConfiguration):
            self._send(Answer(number, None, fault.faults, is_plan=True))
        else:
            self._send(Answer(number, None, (f"{type(fault).__name__}: {fault}",)))

    def _resources_of(self, url: str) -> Resources:
        return _AskedOfTheCrawl(self, url)

    def want(self, page_url: str, address: str, kind: ResourceKind) -> bytes | None:
        """What the crawl gives for an address; waits for it."""
        number = next(self._numbers)
        self._wanted[number] = Future()
        waiting = self._wanted[number]
        self._send(Want(number, page_url, address, kind))
        return waiting.result()

    def _send(self, message: object) -> None:
        try:
            with self._sending:
                self._connection.send(message)
        except OSError:
            return  # the crawl is gone; the thread that receives ends all


class _AskedOfTheCrawl:
    """crawler.fetching.resources.Resources of one page, which the crawl fetches."""

    def __init__(self, server: _Server, page_url: str) -> None:
        self._server, self._page_url = server, page_url

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return data_of(url, kind)
        return self._server.want(self._page_url, url, kind)


if __name__ == "__main__":
    main()
