"""Looks up names with the system's resolver, or with the name servers that the operator set.

A stub resolver (RFC 1035, 1123 6.1.3): it queries recursive servers over UDP, or over TCP if an answer is truncated,
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

from core.hosts import parse_host
from crawler.fetching.addresses import literal_address

# One time limit for a whole exchange, from the look-up of the name to the last byte of the body.


class Deadline:
    """A time limit that starts to run at its creation; `seconds` is the limit that error messages name."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Return the remaining seconds, more than 0. Raises TimeoutError if none remain."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"not done within {self.seconds:g} s")
        return left


NAME_SERVERS_SETTING = "ZHUIWEN_NAME_SERVERS"
ROUNDS, TIMEOUT_S = 2, 3.0  # the attempts of resolv.conf and half its timeout: a crawl meets many dead names
# For one name with all its aliases; two rounds of both kinds of addresses at one server that is down.
LOOK_UP_S = 12.0
MAX_ALIASES = 8  # chains of content networks have up to five (2026-11: chosen from RFC 1034's "avoid")
MAX_ADDRESSES = 32  # per name; the most seen in the wild is 13 to 16
_PORT = 53
_A, _CNAME, _AAAA = 1, 5, 28  # types of records (RFC 1035, 3596)
_FOUND, _UNKNOWN = 0, 3  # codes of responses
_RECORDS = {socket.AF_INET: _A, socket.AF_INET6: _AAAA}
AddressInfo = tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]


class NameResolver:
    """Looks up names. `servers`: "address:port"; empty for the system's resolver. Blocking and thread-safe.

    timeout_s: for one complete look-up, unless the call sets another. A look-up that takes too long is reported as a
    temporary failure (EAI_AGAIN) and not as an unknown name.
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
        """Return what socket.getaddrinfo would. Raises UnicodeError; OSError (socket.gaierror) without any address."""
        if literal_address(name) is not None:
            return socket.getaddrinfo(name, port, family, kind)
        if not self._servers:
            return _look_up_by_system(name, port, family, kind, timeout_s or self._timeout_s)
        deadline, families = Deadline(timeout_s or self._timeout_s), [each for each in _RECORDS if family in (0, each)]
        try:
            found = [(each, at) for each in families for at in self._record_addresses(name, _RECORDS[each], deadline)]
        except TimeoutError as error:
            raise socket.gaierror(socket.EAI_AGAIN, "the name servers do not answer") from error
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "the name servers know no such name")
        return [
            (each, socket.SocketKind(kind), 0, "", (address, port) if each is socket.AF_INET else (address, port, 0, 0))
            for each, address in found[:MAX_ADDRESSES]
        ]

    def addresses(self, host: str, port: int, timeout_s: float | None = None) -> list[str]:
        """Return every address of a host, each once, in the resolver's order. Raises the errors of `places`."""
        return list(dict.fromkeys(str(entry[4][0]) for entry in self.places(host, port, timeout_s=timeout_s)))

    def _record_addresses(self, host: str, record: int, deadline: Deadline) -> list[str]:
        name = host.encode("idna").lower().rstrip(b".")
        for _ in range(MAX_ALIASES):
            answers = self._query_records(name, record, deadline)
            name, addresses = _follow_aliases(name, answers, record)
            if addresses or not any(answer.type == _CNAME for answer in answers):
                return addresses
        return []

    def _query_records(self, name: bytes, record: int, deadline: Deadline) -> list[Any]:
        """Return the records of an answer. Raises socket.gaierror if no server provides one."""
        for _ in range(ROUNDS):
            for server in self._servers:
                answer = _receive_answer(server, name, record, deadline)
                if answer is not None and answer.rCode in (_FOUND, _UNKNOWN):
                    return list(answer.answers)
        raise socket.gaierror(socket.EAI_AGAIN, "the name servers do not answer")


def make_resolver(settings: Any) -> NameResolver:
    """Make the resolver for the settings (scrapy.settings.Settings) of a crawl, with at most a download's timeout."""
    return NameResolver(settings.getlist(NAME_SERVERS_SETTING), min(LOOK_UP_S, settings.getfloat("DOWNLOAD_TIMEOUT")))


def _follow_aliases(name: bytes, answers: Sequence[Any], record: int) -> tuple[bytes, list[str]]:
    """Return the name at the end of an answer's aliases, and its addresses; records of other names are ignored."""
    aliases = {_dns_name(answer.name): _dns_name(answer.payload.name) for answer in answers if answer.type == _CNAME}
    for _ in range(MAX_ALIASES):
        name = aliases.get(name, name)
    family = socket.AF_INET if record == _A else socket.AF_INET6
    there = (answer for answer in answers if answer.type == record and _dns_name(answer.name) == name)
    return name, [socket.inet_ntop(family, answer.payload.address) for answer in there]


def _dns_name(name: Any) -> bytes:
    return bytes(name.name).lower().rstrip(b".")


def _look_up_by_system(name: str, port: int, family: int, kind: int, timeout_s: float) -> Sequence[AddressInfo]:
    """Return the system's answer. Its resolver cannot be interrupted: a look-up that is late goes on in its thread."""
    answer: Future[Sequence[AddressInfo]] = Future()

    def ask() -> None:
        try:
            answer.set_result(socket.getaddrinfo(name, port, family, kind))
        except Exception as error:  # raised again in the waiting thread
            answer.set_exception(error)

    threading.Thread(target=ask, name="name-look-up", daemon=True).start()
    try:
        return answer.result(timeout_s)
    except NotInTime as error:
        raise socket.gaierror(socket.EAI_AGAIN, "the name servers do not answer") from error


def _receive_answer(server: tuple[str, int], name: bytes, record: int, deadline: Deadline) -> Any:
    """Return a server's message, or None if it sends no matching one. Raises TimeoutError at the deadline."""
    from twisted.names import dns  # here, because with a system's resolver nothing needs Twisted

    query = dns.Message(id=secrets.randbelow(1 << 16), recDes=True)
    query.addQuery(name, record)
    one = Deadline(min(TIMEOUT_S, deadline.remaining_s()))
    try:
        answer = _parse_message(dns.Message(), _over_udp(server, query.toStr(), one), query)
        return (
            _parse_message(dns.Message(), _over_tcp(server, query.toStr(), one), query)
            if answer is not None and answer.trunc
            else answer
        )
    except OSError:
        return None


def _parse_message(message: Any, data: bytes, query: Any) -> Any:
    """Parse data into an empty message; return None if it is malformed or answers another query.

    Twisted raises any exception for a malformed message.
    """
    try:
        message.fromStr(data)
    except Exception:
        return None
    asked = [(_dns_name(each.name), each.type) for each in query.queries]
    is_ours = message.id == query.id and bool(message.answer)
    return message if is_ours and [(_dns_name(each.name), each.type) for each in message.queries] == asked else None


def _over_udp(server: tuple[str, int], query: bytes, deadline: Deadline) -> bytes:
    family = socket.AF_INET6 if ":" in server[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.settimeout(deadline.remaining_s())
        asking.connect(server)  # the system then drops packets from other senders
        asking.send(query)
        return asking.recv(65_535)


def _over_tcp(server: tuple[str, int], query: bytes, deadline: Deadline) -> bytes:
    with socket.create_connection(server, timeout=deadline.remaining_s()) as asking:
        asking.sendall(struct.pack("!H", len(query)) + query)
        head = _receive_exactly(asking, 2, deadline)
        return _receive_exactly(asking, struct.unpack("!H", head)[0], deadline)


def _receive_exactly(source: socket.socket, count: int, deadline: Deadline) -> bytes:
    """Receive exactly `count` bytes. Raises OSError if the connection closes before."""
    taken = bytearray()
    while len(taken) < count:
        source.settimeout(deadline.remaining_s())
        piece = source.recv(count - len(taken))
        if not piece:
            raise ConnectionError("it broke off")
        taken += piece
    return bytes(taken)
