"""The embedded page store as a real process of its own, for every test that needs one."""

import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pymongo
import pytest
from pymongo.errors import PyMongoError

DEADLINE_S = 60.0


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(is_true: Callable[[], bool], what: str, deadline_s: float = DEADLINE_S) -> None:
    """Return as soon as `is_true()`; fail with `what` when it is still not true at the deadline."""
    end = time.monotonic() + deadline_s
    while not is_true():
        if time.monotonic() > end:
            pytest.fail(f"waited {deadline_s:g} s in vain: {what}")
        time.sleep(0.02)


class EmbeddedMongo:
    """nx-27017 over a folder, on a port of its own; it can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f"mongodb://127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        pid_file = self.folder / "nx.pid"
        pid_file.unlink(missing_ok=True)
        arguments = ["--data-dir", str(self.folder), "--port", str(self.port), "--pid-file", str(pid_file)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "nx_27017.nx_27017", *arguments, "--log-file", str(self.folder / "nx.log")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._answers, "nx-27017 answers a ping")

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

    def _answers(self) -> bool:
        with pymongo.MongoClient(self.url("admin"), serverSelectionTimeoutMS=200) as client:
            try:
                return bool(client.admin.command("ping")["ok"])
            except PyMongoError:
                return False


@pytest.fixture(scope="session")
def mongo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMongo]:
    server = EmbeddedMongo(tmp_path_factory.mktemp("mongo"))
    try:
        server.start()
        yield server
    finally:
        server.stop()


@pytest.fixture
def mongo_url(mongo_server: EmbeddedMongo) -> str:
    """The URL of an empty database of the embedded server."""
    return mongo_server.url(f"test_{uuid.uuid4().hex[:12]}")
