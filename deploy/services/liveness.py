"""Does it live? What the watch asks: less than whether a service is ready, and true of one that is only busy.

A store that still reads its data, or a desk whose database is away, answers with an error, and is left alone.
"""

import socket
from collections.abc import Mapping
from pathlib import Path

from core.heartbeat import is_fresh
from deploy.home import Home
from deploy.services.probes import reachable, redis_answers

TIMEOUT_S = 10.0  # for an answer
LATE_S = 5.0  # may a sign of life be, on a machine that has other things to do
READY_S = 30.0  # may it be until status calls its process silent: one that swaps is late, and comes

PING_REDIS = b"PING\r\n"
# OP_MSG with the document {ping: 1, $db: "admin"}: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
PING_MONGO = b"\x33\0\0\0\1\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\0\x1e\0\0\0\x10ping\0\1\0\0\0\2$db\0\6\0\0\0admin\0\0"


def says_anything(host: str, port: int, question: bytes) -> bool:
    """Whether a server answers a question, be it with an error."""
    try:
        with socket.create_connection((reachable(host), port), TIMEOUT_S) as stream:
            return _says_anything(stream, question)
    except OSError:
        return False


def says_anything_at(path: Path, question: bytes) -> bool:
    """The same of a server that listens on a socket of the file system."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            stream.settimeout(TIMEOUT_S)
            stream.connect(str(path))
            return _says_anything(stream, question)
    except OSError:
        return False


def _says_anything(stream: socket.socket, question: bytes) -> bool:
    stream.sendall(question)
    return bool(stream.recv(1))


def is_ready(home: Home, signs_s: Mapping[str, float]) -> bool:
    """Whether a process that answers nobody has touched each of its files lately."""
    return all(is_fresh(home.path, name, READY_S) for name in signs_s)


def gives_signs(home: Home, signs_s: Mapping[str, float]) -> bool:
    """Whether it has touched each of its files when it should have."""
    return all(is_fresh(home.path, name, every_s + LATE_S) for name, every_s in signs_s.items())


def broker_is_away(home: Home) -> bool:
    """Whether what hears the broker can do no more than wait for it."""
    return not redis_answers(home.settings.redis_url)


def get(path: str, host: str) -> bytes:
    """The question for a page."""
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode("ascii")
