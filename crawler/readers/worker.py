"""The reading process, `python -m crawler.readers.worker FD`: serves until the other end of socket FD is closed."""

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

from core.errors import ZhuiwenError
from core.garbage import freeze_loaded_objects
from core.pages import CrawlPlan
from crawler.fetching.resources import ResourceKind, Resources, decode_data_url
from crawler.main_text.templates import SiteTemplates
from crawler.obfuscation.deobfuscation import MARKUP_ALONE, open_render_context
from crawler.readers.messages import (
    MOST_MEMORY_BYTES,
    OUT_OF_MEMORY,
    Init,
    Job,
    Ready,
    ResourceReply,
    ResourceRequest,
    Started,
    Task,
    TaskResult,
)

THREADS = 2  # so that pages are also read beside a slow one; more would only compete for the interpreter

ResourcesFactory = Callable[[str], Resources]


class ReadingSession:
    """Reads pages for one plan, or for none. templates: the folder that keeps the site's templates.

    cache: the machine's folder of results that are costly to compute.
    """

    def __init__(
        self,
        plan: CrawlPlan | None,
        templates: Path | None = None,
        get_resources: ResourcesFactory | None = None,
        cache: Path | None = None,
    ) -> None:
        self.plan = plan
        self.templates = SiteTemplates(templates)
        self.render_context = open_render_context(get_resources or MARKUP_ALONE.resources, kept_in=cache)
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="reader")

    def submit(self, task: Task, on_begin: Callable[[], None] = lambda: None) -> "Future[object]":
        """Read a task in a thread and return its future. on_begin: called in that thread."""
        return self._threads.submit(self._read_task, task, on_begin)

    def close(self) -> None:
        """Save the templates and give up the running tasks."""
        self._threads.shutdown(wait=False)
        self.templates.close()
        self.render_context.close()

    def _read_task(self, task: Task, on_begin: Callable[[], None]) -> object:
        on_begin()
        return task.run(self)


def main() -> None:
    """Serve one caller."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    freeze_loaded_objects()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to the whole process group; the crawl decides when to end
    _Server(Connection(int(sys.argv[1]))).serve()


class _Server:
    """Receives tasks in one thread, reads them in others, and requests the pages' resources from the caller."""

    def __init__(self, connection: "Connection[object, object]") -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._numbers = count()
        self._requested: dict[int, Future[bytes | None]] = {}

    def serve(self) -> None:
        self._send_message(Ready())
        try:
            init = self._connection.recv()
            assert isinstance(init, Init)
            resource.setrlimit(resource.RLIMIT_DATA, (init.max_memory_bytes, MOST_MEMORY_BYTES))
            session = ReadingSession(init.plan, init.templates, self._remote_resources, init.cache)
        except EOFError:
            return
        try:
            while True:
                self._handle_message(self._connection.recv(), session)
        except (EOFError, OSError):
            for waiting in list(self._requested.values()):
                waiting.set_result(None)
            session.close()

    def _handle_message(self, message: object, session: ReadingSession) -> None:
        if isinstance(message, Job):
            number = message.number
            done = session.submit(
                message.task, lambda: self._send_message(Started(number, threading.get_native_id(), time.thread_time()))
            )
            done.add_done_callback(lambda done: self._answer_request(number, done))
        elif isinstance(message, ResourceReply) and (waiting := self._requested.pop(message.number, None)) is not None:
            waiting.set_result(message.data)

    def _answer_request(self, number: int, done: "Future[object]") -> None:
        fault = done.exception()
        if isinstance(fault, MemoryError):  # reading each task separately will show which one was the cause
            os._exit(OUT_OF_MEMORY)
        if fault is None:
            self._send_message(TaskResult(number, done.result()))
        else:
            said = fault if isinstance(fault, ZhuiwenError) else f"{type(fault).__name__}: {fault}"
            self._send_message(TaskResult(number, None, said))

    def _remote_resources(self, url: str) -> Resources:
        return _RemoteResources(self, url)

    def request(self, page_url: str, address: str, kind: ResourceKind) -> bytes | None:
        """Request the data at a URL from the caller, and wait for it."""
        number = next(self._numbers)
        self._requested[number] = Future()
        waiting = self._requested[number]
        self._send_message(ResourceRequest(number, page_url, address, kind))
        return waiting.result()

    def _send_message(self, message: object) -> None:
        try:
            with self._sending:
                self._connection.send(message)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except OSError:
            return  # the caller is gone; the receiving thread ends the process


class _RemoteResources:
    """The resources of one page (crawler.fetching.resources.Resources), fetched by the caller."""

    def __init__(self, server: _Server, page_url: str) -> None:
        self._server, self._page_url = server, page_url

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return decode_data_url(url, kind)
        return self._server.request(self._page_url, url, kind)


if __name__ == "__main__":
    main()
