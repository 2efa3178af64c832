"""Reading processes that begin with everything imported: each is forked from a server that has done nothing but that.

One is what `python -m crawler.readers.worker` is from the first line of its `main` on, in the environment and with the
socket that the product gives it. Imports alone, .8 s of each, are made once. A test of how such a process is started
asks for `reader_from_nothing`.
"""

import os
import pickle
import selectors
import signal
import subprocess
import sys
import uuid
from contextlib import closing, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from socket import AF_UNIX, SOCK_SEQPACKET, recv_fds, socket
from typing import NoReturn

import pytest

from core.garbage import freeze_loaded_objects
from crawler.obfuscation.repairs import repairs
from crawler.obfuscation.worker_process import child_environment
from crawler.readers import reading_process
from crawler.site_identifiers import registrable
from fingerprint.normalization import normalize
from tests.support.reader_client import FROM_NOTHING, MAX_BYTES, ReadyReader

# What such a process imports at its start and with its first page, feed, file or font.
_IMPORTED = (
    "crawler.readers.worker",
    "crawler.politeness.bans",
    "crawler.readers.pages",
    "crawler.sources.feeds",
    "crawler.sources.sitemaps",
    "crawler.sources.sitemaps",
    "webadmin.works.services.intake.bounded",
    "tests.support.hostile_tasks",
)


def readers_here() -> str:
    """The server that this test's readers come from, for a process that it starts; "" where they start from nothing."""
    return "" if reading_process.start_worker is FROM_NOTHING else _server()


@cache
def _server() -> str:
    """The name of this test process's server, which ends with it."""
    name = f"zhuiwen-readers-{uuid.uuid4().hex}"
    started = subprocess.Popen(
        [sys.executable, "-m", "tests.support.ready_reader", name],
        stdin=subprocess.PIPE,  # closed with this process: then it ends
        stdout=subprocess.PIPE,
        env=child_environment(),
    )
    assert started.stdout is not None
    assert started.stdout.readline(), "the server of readers does not start"
    return name


def _start_ready(fd: int) -> ReadyReader:
    return ReadyReader(fd, _server())


def pytest_configure() -> None:
    reading_process.start_worker = _start_ready  # type: ignore[assignment]


@pytest.fixture
def reader_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The product's own way to start a reading process, for a test of just that."""
    monkeypatch.setattr(reading_process, "start_worker", FROM_NOTHING)


class _Server:
    """Forks a process for whoever connects, says its number, and later how it ended."""

    def __init__(self, name: str) -> None:
        self._waiting: dict[int, socket] = {}
        self._listener = socket(AF_UNIX, SOCK_SEQPACKET)
        self._listener.bind(f"\0{name}")
        self._listener.listen(64)

    def serve(self) -> None:
        ended, told = os.pipe()
        for end in (ended, told):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(told)
        with selectors.DefaultSelector() as selector:
            for each in (self._listener.fileno(), ended, 0):
                selector.register(each, selectors.EVENT_READ)
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            while True:
                for key, _ in selector.select():
                    if key.fd == 0:
                        return
                    if key.fd == ended:
                        os.read(ended, MAX_BYTES)
                        self._tell_ends()
                    else:
                        self._take(self._listener.accept()[0])

    def _take(self, client: socket) -> None:
        data, fds, _, _ = recv_fds(client, MAX_BYTES, 1)
        pid = os.fork()
        if pid == 0:
            _be_reader(fds[0], *pickle.loads(data))
        os.close(fds[0])
        client.send(str(pid).encode())
        self._waiting[pid] = client

    def _tell_ends(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with suppress(OSError), closing(self._waiting.pop(ended[0])) as client:
                    client.send(str(os.waitstatus_to_exitcode(ended[1])).encode())


def _be_reader(fd: int, folder: Path, environment: dict[str, str]) -> NoReturn:
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        kept = os.dup2(fd, 3)
        os.closerange(4, os.sysconf("SC_OPEN_MAX"))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv = ["reader", str(kept)]
        import_module("crawler.readers.worker").main()
        code = 0
    finally:
        os._exit(code)


def main(name: str) -> None:
    for module in _IMPORTED:
        import_module(module)
    repairs()  # each is imported when the first page asks for it, .5 s in all
    normalize("文")  # loads what was compiled
    registrable("a.example")  # reads the list of suffixes
    freeze_loaded_objects()
    _Server(name).serve()


if __name__ == "__main__":
    main(sys.argv[1])
