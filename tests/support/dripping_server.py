"""A web server that never falls silent and never ends: each place of an answer can come drop by drop.

A client that counts silence waits as long as the server likes. Here that is PATIENCE_S; then the answer ends well, and
`outlasted` says that somebody waited for it.
"""

import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from tests.support.socket_server import SocketServer

PATIENCE_S = 20.0
DROP_EVERY_S = 0.05
_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
_END = b"\r\n<p>a</p>"
_CHUNKED = _OK + b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True)
class Drip:
    """Bytes that are sent at once, then again and again, and at last."""

    before: bytes
    drop: bytes
    after: bytes


PLACES: Mapping[str, Drip] = {
    "silence": Drip(b"", b"", _OK + _END),
    "status-line": Drip(b"HTTP/1.1 200 O", b"O", b"\r\n" + _END),
    "header-name": Drip(_OK, b"X", b": y\r\n" + _END),
    "header-value": Drip(_OK + b"X: ", b"y", b"\r\n" + _END),
    "header-lines": Drip(_OK, b"X: y\r\n", _END),
    "continue": Drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n", _OK + _END),
    "early-hints": Drip(b"", b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", _OK + _END),
    "chunk-size": Drip(_CHUNKED, b"0", b"\r\n\r\n"),
    "chunk-extension": Drip(_CHUNKED + b"1;", b"x", b"\r\na\r\n0\r\n\r\n"),
    "chunks": Drip(_CHUNKED, b"1\r\na\r\n", b"0\r\n\r\n"),
    "trailers": Drip(_CHUNKED + b"1\r\na\r\n0\r\n", b"X: y\r\n", b"\r\n"),
    "body": Drip(_OK + b"\r\n<p>", b"a", b"</p>"),
    "body-of-stated-length": Drip(_OK + b"Content-Length: 100000\r\n\r\n", b"a", b"a" * 100_000),
}
TLS_HANDSHAKE = Drip(b"\x16\x03\x03\x40\x00", b"\x00", b"")  # a record of 16 KiB that begins a handshake
HOPS = "hops"  # redirects that each take HOP_S
HOP_S = 0.3


class DrippingServer(SocketServer):
    """Serves /PLACE, /redirected/PLACE and /hops/1. `only`: that on every connection, before anything was asked.

    `given_up`: connections that the other end closed while they dripped; `outlasted`: those that dripped to the end.
    """

    def __init__(self, only: Drip | None = None) -> None:
        super().__init__()
        self._only = only
        self.given_up = threading.Semaphore(0)
        self.outlasted: list[str] = []
        self.asked: list[str] = []

    def url(self, path: str, scheme: str = "http") -> str:
        return f"{scheme}://{self.netloc}/{path}"

    def answer(self, connection: socket.socket) -> None:
        asked = connection.recv(65_536) if self._only is None else b""
        path = asked.split(b" ")[1].decode().lstrip("/").partition("?")[0] if asked else ""
        self.asked.append(path)
        kind, _, rest = path.partition("/")
        if kind == "robots.txt":
            connection.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        elif kind == "redirected":
            connection.sendall(_redirect(rest))
        elif kind == HOPS:
            self.stopped.wait(HOP_S)
            connection.sendall(_redirect(f"{HOPS}/{int(rest) + 1}"))
        elif self._only or kind in PLACES:  # a port was another server's before: its visitors may ask for more
            self._drip(connection, self._only or PLACES[kind])
            self.outlasted.append(path)

    def _drip(self, connection: socket.socket, drip: Drip) -> None:
        connection.sendall(drip.before)
        for _ in range(int(PATIENCE_S / DROP_EVERY_S)):
            if self.stopped.wait(DROP_EVERY_S):
                raise ConnectionError("the test is over")
            try:
                connection.sendall(drip.drop)
            except OSError:
                self.given_up.release()
                raise
        connection.sendall(drip.after)


def _redirect(path: str) -> bytes:
    head = f"HTTP/1.1 302 Found\r\nLocation: /{path}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    return head.encode()
