"""Connections for httpcore: to an address that was judged, in what is left of one time limit.

httpcore's own limits count silence: a byte a second satisfies them for ever. Here each wait for the socket, those of
the TLS handshake included, gets what is left of the whole. A name is looked up once, and what was judged is connected
to.
"""

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

from core.hosts import host_key
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.deadline import Deadline
from crawler.fetching.names import Names


class PinnedNetwork(httpcore.NetworkBackend):
    """The network as one exchange sees it."""

    def __init__(self, guard: AddressGuard, names: Names, deadline: Deadline) -> None:
        self._guard, self._names, self._deadline = guard, names, deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> "_TimedStream":
        """A connection to the first of the host's addresses that may be asked and answers.

        Raises UnsafeUrl where none may be asked, OSError (socket.gaierror) for a name without any.
        """
        name = host_key(f"http://{f'[{host}]' if ':' in host else host}/")[0]
        addresses = self._guard.allowed(host, name, port, self._names.addresses(name, port, self._deadline.left()))
        for left in range(len(addresses), 0, -1):
            share_s = self._deadline.left() / left  # one that swallows what is sent leaves time for the others
            try:
                connected = self._inner.connect_tcp(addresses[-left], port, share_s, None, socket_options)
                return _TimedStream(connected, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if left == 1:
                    raise
        raise AssertionError("the last address returns or raises")


class _TimedStream(httpcore.NetworkStream):
    """A connection whose every wait ends with the time limit. What httpcore gives as `timeout` is not asked."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._deadline.left())

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._deadline.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> "_TimedStream":
        return _TimedStream(self._inner.start_tls(ssl_context, server_hostname, self._deadline.left()), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
