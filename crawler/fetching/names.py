"""Looks up names: with the system's resolver, or with the name servers that the operator set.

A stub resolver (RFC 1035, 1123 6.1.3): it queries recursive servers, over UDP, over TCP where an answer is cut short,
and follows aliases that they leave unresolved. The caller that connects checks the addresses.
"""

import secrets
import socket
import struct
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from typing import Any

from twisted.names import dns

from core.hosts import parse_host
from crawler.fetching.addresses import literal_address

# One time limit for all of an exchange, from the look-up of the name to the last byte of the body.


class Deadline:
    """Starts to run when it is made; `seconds` is the limit that error messages name."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Return the seconds that remain, more than 0. Raises TimeoutError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"not done within {self.seconds:g} s")
        return left


NAME_SERVERS_SETTING = "ZHUIWEN_NAME_SERVERS"
ROUNDS, TIMEOUT_S = 2, 3.0  # as resolv.conf's attempts and half its timeout: a crawl meets many names that are gone
# For one name with all that its aliases lead to; two rounds of both kinds of addresses at one server that is away.
LOOK_UP_S = 12.0
MAX_ALIASES = 8  # chains of content networks have up to five (2026-11: chosen from RFC 1034's "avoid")
MAX_ADDRESSES = 32  # of one name; the most seen in the wild is 13 to 16
_PORT = 53
_RECORDS = {socket.AF_INET: dns.A, socket.AF_INET6: dns.AAAA}
AddressInfo = tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]


class NameResolver:
    """Looks up names. `servers`: "address:port"; none: the system's resolver. Blocking; safe in several threads.

    timeout_s: for one look-up as a whole, unless the call names another. A name that is not looked up in time is not
    reported as unknown (EAI_AGAIN).
    """

    def __init__(self, servers: Sequence[str] = (), timeout_s: float = LOOK_UP_S) -> None:
        self.resolver = ", ".join(servers) or "system"
        self._timeout_s = timeout_s
        self._servers = [(host.name, host.port or _PORT) for host in map(parse_host, servers)]

    def places(
        self,
        name: str,
        port: int,
        family: int = 0,
        kind: int = socket.SOCK_STREAM,
        timeout_s: float | None = None,
    ) -> Sequence[AddressInfo]:
        """Return what socket.getaddrinfo would. Raises OSError (socket.gaierror) for no addresses, UnicodeError."""
        if literal_address(name) is not None:
            return socket.getaddrinfo(name, port, family, kind)
        if not self._servers:
            return _look_up_by_system(name, port, family, kind, timeout_s or self._timeout_s)
        deadline, families = Deadline(timeout_s or self._timeout_s), [each for each in _RECORDS if family in (0, each)]
        try:
            found = [(each, at) for each in families for at in self._addresses(name, _RECORDS[each], deadline)]
        except TimeoutError as error:
            raise socket.gaierror(socket.EAI_AGAIN, "the name servers do not answer") from error
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "the name servers know no such name")
        return [
            (each, socket.SocketKind(kind), 0, "", (address, port) if each is socket.AF_INET else (address, port, 0, 0))
            for each, address in found[:MAX_ADDRESSES]
        ]

    def addresses(self, host: str, port: int, timeout_s: float | None = None) -> list[str]:
        """Return every address of a host, each once, in their order. Raises as `places`."""
        return list(dict.fromkeys(str(entry[4][0]) for entry in self.places(host, port, timeout_s=timeout_s)))

    def _addresses(self, host: str, record: int, deadline: Deadline) -> list[str]:
        name = host.encode("idna").lower().rstrip(b".")
        for _ in range(MAX_ALIASES):
            answers = self._query(name, record, deadline)
            name, addresses = _follow_aliases(name, answers, record)
            if addresses or not any(answer.type == dns.CNAME for answer in answers):
                return addresses
        return []

    def _query(self, name: bytes, record: int, deadline: Deadline) -> list[Any]:
        """Return the records of an answer. Raises socket.gaierror where no server gives one."""
        for _ in range(ROUNDS):
            for server in self._servers:
                answer = _answer(server, name, record, deadline)
                if answer is not None and answer.rCode in (dns.OK, dns.ENAME):
                    return list(answer.answers)
        raise socket.gaierror(socket.EAI_AGAIN, "the name servers do not answer")


def make_resolver(settings: Any) -> NameResolver:
    """Make the resolver of a crawl's settings (scrapy.settings.Settings), with a download's time limit at most."""
    return NameResolver(settings.getlist(NAME_SERVERS_SETTING), min(LOOK_UP_S, settings.getfloat("DOWNLOAD_TIMEOUT")))


def _follow_aliases(name: bytes, answers: Sequence[Any], record: int) -> tuple[bytes, list[str]]:
    """Return the name that the aliases of an answer lead to, and its addresses; records of other names are ignored."""
    aliases = {_bare(answer.name): _bare(answer.payload.name) for answer in answers if answer.type == dns.CNAME}
    for _ in range(MAX_ALIASES):
        name = aliases.get(name, name)
    family = socket.AF_INET if record == dns.A else socket.AF_INET6
    there = (answer for answer in answers if answer.type == record and _bare(answer.name) == name)
    return name, [socket.inet_ntop(family, answer.payload.address) for answer in there]


def _bare(name: Any) -> bytes:
    return bytes(name.name).lower().rstrip(b".")


def _look_up_by_system(name: str, port: int, family: int, kind: int, timeout_s: float) -> Sequence[AddressInfo]:
    """Return the system's answer. Its resolver cannot be interrupted: a look-up over time goes on in its thread."""
    answer: Future[Sequence[AddressInfo]] = Future()

    def ask() -> None:
        try:
            answer.set_result(socket.getaddrinfo(name, port, family, kind))
        except Exception as error:  # for the thread that waits
            answer.set_exception(error)

    threading.Thread(target=ask, name="name-look-up", daemon=True).start()
    try:
        return answer.result(timeout_s)
    except NotInTime as error:
        raise socket.gaierror(socket.EAI_AGAIN, "the name servers do not answer") from error


def _answer(server: tuple[str, int], name: bytes, record: int, deadline: Deadline) -> Any:
    """Return a server's message; None if it gives none that fits. Raises TimeoutError at the deadline."""
    query = dns.Message(id=secrets.randbelow(1 << 16), recDes=True)
    query.addQuery(name, record)
    one = Deadline(min(TIMEOUT_S, deadline.remaining_s()))
    try:
        answer = _read(_over_udp(server, query.toStr(), one), query)
        return _read(_over_tcp(server, query.toStr(), one), query) if answer is not None and answer.trunc else answer
    except OSError:
        return None


def _read(data: bytes, query: Any) -> Any:
    """Parse a message; None for the answer to another query, and for no message: dns raises exceptions of any type."""
    message = dns.Message()
    try:
        message.fromStr(data)
    except Exception:
        return None
    asked = [(_bare(each.name), each.type) for each in query.queries]
    is_ours = message.id == query.id and bool(message.answer)
    return message if is_ours and [(_bare(each.name), each.type) for each in message.queries] == asked else None


def _over_udp(server: tuple[str, int], query: bytes, deadline: Deadline) -> bytes:
    family = socket.AF_INET6 if ":" in server[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.settimeout(deadline.remaining_s())
        asking.connect(server)  # the system then drops what others send
        asking.send(query)
        return asking.recv(65_535)


def _over_tcp(server: tuple[str, int], query: bytes, deadline: Deadline) -> bytes:
    with socket.create_connection(server, timeout=deadline.remaining_s()) as asking:
        asking.sendall(struct.pack("!H", len(query)) + query)
        head = _exactly(asking, 2, deadline)
        return _exactly(asking, struct.unpack("!H", head)[0], deadline)


def _exactly(source: socket.socket, count: int, deadline: Deadline) -> bytes:
    """Receive so many bytes. Raises OSError if the other end closes before."""
    taken = bytearray()
    while len(taken) < count:
        source.settimeout(deadline.remaining_s())
        piece = source.recv(count - len(taken))
        if not piece:
            raise ConnectionError("it broke off")
        taken += piece
    return bytes(taken)
