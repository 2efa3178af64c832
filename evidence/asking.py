"""One request over HTTP to an address that was judged: the one place in this package that uses a network."""

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from core.addresses import refusal
from core.errors import RetryLater


@dataclass(frozen=True, slots=True)
class Limits:
    """allow_private: whether an address inside the operator's network may be asked."""

    timeout_s: float
    max_bytes: int
    allow_private: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `body` has at most as many bytes as were allowed."""

    status: int
    content_type: str
    body: bytes


def ask(
    url: str, limits: Limits, shown: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """GET `url`, or POST `body` to it; redirects are not followed. `shown`: the address without secrets.

    Raises OSError, http.client.HTTPException or ValueError where nothing whole comes back in time, RetryLater for an
    address that may not be asked.
    """
    parts = urlsplit(url)
    connection = _connection(parts, limits, shown)
    end = threading.Timer(limits.timeout_s, _shut, (connection.sock,))  # however slowly it drips
    end.start()
    try:
        path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        connection.request("GET" if body is None else "POST", path, body=body, headers=dict(headers or {}))
        response = connection.getresponse()
        content = response.read(limits.max_bytes + 1)
        if len(content) > limits.max_bytes:
            raise ValueError("too long an answer")
        return Answer(response.status, response.headers.get_content_type(), content)
    finally:
        end.cancel()
        connection.close()


def _connection(parts: SplitResult, limits: Limits, shown: str) -> http.client.HTTPConnection:
    """A connection to the very address that was checked: a name may resolve otherwise the second time."""
    host, is_tls = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if is_tls else 80)
    reached = socket.create_connection((_address(host, port, limits, shown), port), limits.timeout_s)
    connection = http.client.HTTPConnection(host, port, timeout=limits.timeout_s)
    connection.sock = ssl.create_default_context().wrap_socket(reached, server_hostname=host) if is_tls else reached
    return connection


def _address(host: str, port: int, limits: Limits, shown: str) -> str:
    found = [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    allowed = [address for address in found if limits.allow_private or not refusal(address)]
    if not allowed:
        raise RetryLater(f"{shown} is not asked: {found[0]} is no public address, and private ones are not allowed")
    return allowed[0]


def _shut(reached: socket.socket) -> None:
    """End a connection that another thread waits on."""
    with contextlib.suppress(OSError):
        reached.shutdown(socket.SHUT_RDWR)
