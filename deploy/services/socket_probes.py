"""Do the embedded stores answer at their sockets? Asked without their drivers, whose import takes longer than that."""

import socket
import struct
from pathlib import Path

TIMEOUT_S = 2.0
_OP_MSG = 2013
# {"ping": 1, "$db": "admin"} in BSON.
_PING = b"\x1e\x00\x00\x00\x10ping\x00\x01\x00\x00\x00\x02$db\x00\x06\x00\x00\x00admin\x00\x00"
MAX_VALUE_BYTES = 1 << 20


def mongo_answers(path: Path) -> bool:
    """Whether a server of MongoDB's protocol answers a ping."""
    body = struct.pack("<IB", 0, 0) + _PING
    message = struct.pack("<iiii", 16 + len(body), 1, 0, _OP_MSG) + body
    try:
        with _connected(path) as stream:
            stream.sendall(message)
            header = _received(stream, 16)
            length, _, answered, _ = struct.unpack("<iiii", header)
            return answered == 1 and b"errmsg" not in _received(stream, min(length, 1024) - 16)
    except (OSError, EOFError):
        return False


def redis_answers(path: Path) -> bool:
    """Whether Redis answers a ping and has read its data."""
    try:
        with _connected(path) as stream:
            stream.sendall(b"PING\r\n")
            return _received(stream, 5) == b"+PONG"
    except (OSError, EOFError):
        return False


def redis_value(path: Path, key: str) -> bytes | None:
    """The value of a key; None where there is none, or nobody answers."""
    name = key.encode()
    try:
        with _connected(path) as stream, stream.makefile("rb") as lines:
            stream.sendall(b"*2\r\n$3\r\nGET\r\n$%d\r\n%s\r\n" % (len(name), name))
            kind = lines.readline(64)
            length = int(kind[1:]) if kind.startswith(b"$") else -1
            return lines.read(length) if 0 <= length <= MAX_VALUE_BYTES else None
    except (OSError, ValueError):
        return None


def _connected(path: Path) -> socket.socket:
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stream.settimeout(TIMEOUT_S)
    try:
        stream.connect(str(path))
    except OSError:
        stream.close()
        raise
    return stream


def _received(stream: socket.socket, size: int) -> bytes:
    """So many bytes. Raises EOFError when the other side ends before."""
    got = b""
    while len(got) < size:
        chunk = stream.recv(size - len(got))
        if not chunk:
            raise EOFError
        got += chunk
    return got
