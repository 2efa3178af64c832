"""The page store of tests: the embedded server as a real process of its own, or a server that somebody named."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote, urlsplit

import psutil
import pymongo
import pytest
from pymongo.errors import PyMongoError

DEADLINE_S = 60.0
GIVEN = "ZHUIWEN_TEST_MONGO_URL"  # mongodb://HOST:PORT of any server; its database, if any, is not touched


def free_row(length: int) -> int:
    """The first of `length` neighbouring ports that are free just now."""
    for first in range(20_000 + os.getpid() % 10_000, 60_000, length):
        try:
            for port in range(first, first + length):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return first
    raise AssertionError("no free row of ports")


def wait_until(is_true: Callable[[], object], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Return as soon as `is_true()`; fail with `what` when it is still not true at the deadline.

    Asking takes a tenth of the time at most: what looks through all processes of a machine holds up those it waits for.
    """
    end = time.monotonic() + deadline_s
    while True:
        asked = time.monotonic()
        if is_true():
            return
        if time.monotonic() > end:
            pytest.fail(f"waited {deadline_s:g} s in vain: {what}")
        time.sleep(min(max(0.03, 9 * (time.monotonic() - asked)), 2.0))


def is_running(pid: int) -> bool:
    """Whether a process runs or hangs; one that ended and waits for somebody to take its exit code does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class EmbeddedMongo:
    """The embedded page store over a folder, on a socket of its own; it can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A folder of pytest's may have a longer path than a socket.
        self.socket = Path(tempfile.mkdtemp(prefix="zhuiwen-")) / "mongo.sock"
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"mongodb://{quote(str(self.socket), safe='')}/{database}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        if given_mongo():
            skip_without_embedded()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.socket.parent.mkdir(mode=0o700, exist_ok=True)
        arguments = ["--data-dir", str(self.folder), "--socket", str(self.socket)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pagestore.embedded", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._answers, "the embedded page store answers a ping")

    def kill(self) -> None:
        """End it as a power loss would: SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()
        shutil.rmtree(self.socket.parent, ignore_errors=True)

    def _answers(self) -> bool:
        with pymongo.MongoClient(self.url("admin"), serverSelectionTimeoutMS=200) as client:
            try:
                return bool(client.admin.command("ping")["ok"])
            except PyMongoError:
                return False


class GivenMongo:
    """The server that `GIVEN` names. Databases are of this session alone, and dropped: after their test, or at its end.

    What only the embedded server has (a folder, a process that may be killed) skips the test that asks for it.
    """

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._session = uuid.uuid4().hex[:8]
        self._asked: set[str] = set()

    def url(self, database: str) -> str:
        """The URL of a database that no other session has."""
        name = f"zhuiwen_{self._session}_{database}"
        self._asked.add(name)
        return self._url._replace(path=f"/{name}").geturl()

    def drop(self, *names: str) -> None:
        """Drop the databases of those names; all that were asked for, if none is named."""
        doomed = {f"zhuiwen_{self._session}_{name}" for name in names} or set(self._asked)
        with pymongo.MongoClient(self._url.geturl()) as client:
            for name in doomed:
                client.drop_database(name)
        self._asked -= doomed

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        skip_without_embedded()


def given_mongo() -> str:
    """The URL of the server to test on, "" for the embedded one."""
    return os.environ.get(GIVEN, "")


def skip_without_embedded() -> NoReturn:
    pytest.skip(f"it looks into the embedded page store, starts or kills it; {GIVEN} names another server")


@pytest.fixture(scope="session")
def mongo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMongo | GivenMongo]:
    if url := given_mongo():
        given = GivenMongo(url)
        yield given
        given.drop()
        return
    server = EmbeddedMongo(tmp_path_factory.mktemp("mongo"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def mongo_url(mongo_server: EmbeddedMongo | GivenMongo) -> Iterator[str]:
    """The URL of an empty database of the server."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    yield mongo_server.url(name)
    if isinstance(mongo_server, GivenMongo):
        mongo_server.drop(name)
