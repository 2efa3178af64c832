"""Health checks of the services: each returns whether a service responds and is ready, and never raises.

A store that is still loading its data, or an admin whose database is down, responds with an error: it is alive but not
ready. Embedded services are checked without drivers, because importing a driver takes longer than the check.
"""

import socket
from collections.abc import Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from core.heartbeat import is_fresh
from deploy.home import Home

TIMEOUT_S = 2.0
ANSWER_BYTES = 1024  # read from a response; a store's response to a ping and the status line of a page are shorter
LATE_S = 10.0  # tolerated delay of a heartbeat on a busy machine
MAX_VALUE_BYTES = 1 << 20

# OP_MSG with the document {ping: 1, $db: "admin"}: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
PING_MONGO = b"\x33\0\0\0\1\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0\x1e\0\0\0\x10ping\0\1\0\0\0\2$db\0\6\0\0\0admin\0\0"

Address = Path | tuple[str, int]


class ServiceHealth(Enum):
    """The result of one health check."""

    SILENT = auto()
    ANSWERING = auto()  # with an error
    READY = auto()


def mongo_health(address: Address, timeout_s: float = TIMEOUT_S) -> ServiceHealth:
    """Send a MongoDB ping to a server and return its health."""
    answer = _send_request(address, PING_MONGO, timeout_s)
    return _judge_answer(answer, is_ready=b"errmsg" not in answer)


def redis_health(address: Address, timeout_s: float = TIMEOUT_S) -> ServiceHealth:
    """Ping a Redis without a password and return its health."""
    answer = _send_request(address, b"PING\r\n", timeout_s)
    return _judge_answer(answer, is_ready=answer.startswith(b"+PONG"))


def web_health(host: str, port: int, path: str, name: str, timeout_s: float = TIMEOUT_S) -> ServiceHealth:
    """Request a page from a web server and return its health. name: the Host header."""
    question = f"GET {path} HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
    answer = _send_request((reachable(host), port), question.encode("ascii"), timeout_s)
    status = answer[len("HTTP/1.1 ") :][:3]
    return _judge_answer(answer, is_ready=status.isdigit() and int(status) < 500)


def sign_health(home: Home, signs_s: Mapping[str, float], _timeout_s: float = TIMEOUT_S) -> ServiceHealth:
    """Return READY if all heartbeats of a process without a port are recent, otherwise SILENT.

    signs_s: the intervals of the heartbeats by name.
    """
    are_fresh = all(is_fresh(home.path, name, every_s + LATE_S) for name, every_s in signs_s.items())
    return ServiceHealth.READY if are_fresh else ServiceHealth.SILENT


def mongo_answers(url: str) -> bool:
    """Return whether MongoDB or the embedded page store responds to a ping."""
    host = unquote(urlsplit(url).netloc)
    if host.endswith(".sock"):
        return mongo_health(Path(host)) is ServiceHealth.READY
    return bool(_load_drivers().mongo_answers(url))


def redis_answers(url: str) -> bool:
    """Return whether Redis responds to a ping and has loaded its data; a cluster must cover all keys."""
    path = _redis_socket(url)
    return bool(_load_drivers().redis_answers(url)) if path is None else redis_health(path) is ServiceHealth.READY


def redis_value(url: str, key: str) -> bytes | None:
    """Return the value of a key, or None if there is none or Redis does not respond."""
    path = _redis_socket(url)
    return _load_drivers().redis_value(url, key) if path is None else _read_value(path, key.encode())


def postgres_answers(url: str) -> bool:
    """Return whether the admin database accepts a connection; only PostgreSQL is checked."""
    return not urlsplit(url).scheme.startswith("postgres") or bool(_load_drivers().postgres_answers(url))


def any_worker_answers(redis_url: str, queue: str) -> bool:
    """Return whether a Celery worker of this queue responds, on any machine; busy workers respond too."""
    return bool(_load_drivers().any_worker_answers(redis_url, queue))


def reachable(host: str) -> str:
    """Return the address by which this machine reaches a server that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104


def _judge_answer(answer: bytes, *, is_ready: bool) -> ServiceHealth:
    if not answer:
        return ServiceHealth.SILENT
    return ServiceHealth.READY if is_ready else ServiceHealth.ANSWERING


def _send_request(address: Address, question: bytes, timeout_s: float) -> bytes:
    """Send a request and return the first bytes of the response, or b"" if there is none."""
    try:
        with _open_socket(address, timeout_s) as stream:
            stream.sendall(question)
            return stream.recv(ANSWER_BYTES)
    except OSError:
        return b""


def _read_value(path: Path, name: bytes) -> bytes | None:
    try:
        with _open_socket(path, TIMEOUT_S) as stream, stream.makefile("rb") as lines:
            stream.sendall(b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(name), name))
            kind = lines.readline(64)
            length = int(kind[1:]) if kind.startswith(b"$") else -1
            return lines.read(length) if 0 <= length <= MAX_VALUE_BYTES else None
    except (OSError, ValueError):
        return None


def _open_socket(address: Address, timeout_s: float) -> socket.socket:
    if not isinstance(address, Path):
        return socket.create_connection(address, timeout_s)
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.settimeout(timeout_s)
    try:
        stream.connect(str(address))
    except OSError:
        stream.close()
        raise
    return stream


def _redis_socket(url: str) -> Path | None:
    """Return the socket of a Redis without a password, such as the embedded one; None if there is none."""
    is_plain = url.startswith("unix://") and "?" not in url and "@" not in url
    return Path(unquote(url.removeprefix("unix://"))) if is_plain else None


def _load_drivers() -> Any:
    from deploy.services import driver_probes  # takes 0.4 s to import; embedded services are checked without it

    return driver_probes
