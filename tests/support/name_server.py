"""A name server on loopback, authoritative for whatever it is told, with every habit of a hostile one."""

import socketserver
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from typing import Any, Self

from twisted.names import dns

# What a name is answered with: addresses of both kinds and "alias:NAME"; a function gets the number of the asking.
Answers = Sequence[str] | Callable[[int], Sequence[str]]
LIE_PREFIX = "!"  # "!203.0.113.5": a record of another name than was asked for
_DROP_EVERY_S = 0.05
_PLAIN_BYTES = 512  # what fits into an answer over UDP (RFC 1035)


class NameServer:
    """Answers over UDP and TCP on one port. `asked`: how often for each name and type, over both.

    drips_over_tcp: byte by byte, some twenty a second. port: 0 for one that is free.
    """

    def __init__(self, names: dict[str, Answers], *, drips_over_tcp: bool = False, port: int = 0) -> None:
        self.names, self._port = names, port
        self.drips_over_tcp = drips_over_tcp
        self.stopped = threading.Event()
        self.asked: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._over_udp, self._over_tcp = self._bound()
        # Who still waits over TCP may be waiting for ever. An answer over UDP needs the socket: it is waited for.
        self._over_tcp.daemon_threads = True

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._over_udp.server_address[1]}"

    def __enter__(self) -> Self:
        for server in (self._over_udp, self._over_tcp):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for server in (self._over_udp, self._over_tcp):
            server.shutdown()
            server.server_close()

    def _bound(self) -> tuple[socketserver.ThreadingUDPServer, socketserver.ThreadingTCPServer]:
        """Both on one port: of those that are free for the one, some are taken for the other."""
        while True:
            over_udp = socketserver.ThreadingUDPServer(("127.0.0.1", self._port), _udp_handler(self))
            try:
                return over_udp, socketserver.ThreadingTCPServer(over_udp.server_address, _tcp_handler(self))
            except OSError:
                over_udp.server_close()
                if self._port:
                    raise

    def answer(self, data: bytes, limit: int) -> bytes:
        """The message that answers `data`; cut short where it is larger than `limit`."""
        message: Any = dns.Message()
        message.fromStr(data)
        (query,) = message.queries
        name, kind = query.name.name.decode("ascii").lower(), dns.QUERY_TYPES[query.type]
        with self._lock:
            self.asked[name, kind] += 1
            number = self.asked[name, kind]
        message.answer, message.auth = 1, 1
        told = self.names.get(name)
        message.rCode = dns.OK if told is not None else dns.ENAME
        given = (told(number) if callable(told) else told) if told is not None else ()
        message.answers = [record for entry in given for record in _records(name, kind, entry)]
        if len(message.toStr()) > limit:
            message.trunc, message.answers = 1, []
        return bytes(message.toStr())


def _records(name: str, kind: str, entry: str) -> list[Any]:
    if entry.startswith("alias:"):
        return [dns.RRHeader(name, dns.CNAME, ttl=0, payload=dns.Record_CNAME(entry.removeprefix("alias:"), 0))]
    owner = "other.test" if entry.startswith(LIE_PREFIX) else name
    address = ip_address(entry.removeprefix(LIE_PREFIX))
    if (address.version, kind) == (4, "A"):
        return [dns.RRHeader(owner, dns.A, ttl=0, payload=dns.Record_A(str(address), 0))]
    if (address.version, kind) == (6, "AAAA"):
        return [dns.RRHeader(owner, dns.AAAA, ttl=0, payload=dns.Record_AAAA(str(address), 0))]
    return []


def _udp_handler(server: NameServer) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data, sock = self.request
            answer = server.answer(data, _PLAIN_BYTES)
            try:
                sock.sendto(answer, self.client_address)
            except OSError:
                if not server.stopped.is_set():
                    raise  # else the socket was closed while this was thought over, and nobody waits

    return Handler


def _tcp_handler(server: NameServer) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            length = int.from_bytes(self.rfile.read(2), "big")
            answer = server.answer(self.rfile.read(length), 65_535)
            message = len(answer).to_bytes(2, "big") + answer
            step = 1 if server.drips_over_tcp else len(message)
            for at in range(0, len(message), step):
                if server.drips_over_tcp and server.stopped.wait(_DROP_EVERY_S):
                    return
                self.wfile.write(message[at : at + step])

    return Handler
