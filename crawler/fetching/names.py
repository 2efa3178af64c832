"""Looks up names with the system's resolver or with the operator's name servers.

dnspython queries the name servers over UDP, and over TCP if an answer is truncated. Aliases that the servers leave
unresolved are followed. The caller that connects checks the addresses.
"""

import socket
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
    """A time limit that starts at its creation. seconds: the limit, also for error messages."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Return the remaining seconds, which are more than 0. Raises TimeoutError if no time remains."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"not done within {self.seconds:g} s")
        return left


NAME_SERVERS_SETTING = "ZHUIWEN_NAME_SERVERS"
TIMEOUT_S = 3.0  # per query, half of the timeout of resolv.conf, because a crawl meets many unknown names
# For a name with all its aliases and both record types: four queries at a server that does not respond.
LOOK_UP_S = 12.0
# Chains of aliases in content delivery networks have up to five (chosen in 2026-11 after RFC 1034's "avoid").
MAX_ALIASES = 8
MAX_ADDRESSES = 32  # per name; the most known are 13 to 16
_PORT = 53
_RECORDS = {socket.AF_INET: "A", socket.AF_INET6: "AAAA"}
AddressInfo = tuple[socket.AddressFamily, socket.SocketKind, int, str, Any]


class NameResolver:
    """Looks up names. servers: each "address:port"; () for the system's resolver. Blocking and thread-safe.

    timeout_s: the time limit for one complete look-up, unless a call sets another. A look-up that exceeds it fails
    temporarily (EAI_AGAIN), so that the name does not count as unknown.
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
        """Return the same as socket.getaddrinfo.

        Raises OSError (socket.gaierror) if there is no address, or UnicodeError.
        """
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
        """Return the addresses of a host, each once, in the resolver's order. Raises the errors of `places`."""
        return list(dict.fromkeys(str(entry[4][0]) for entry in self.places(host, port, timeout_s=timeout_s)))

    def _record_addresses(self, host: str, record: str, deadline: Deadline) -> list[str]:
        """Return the addresses in a name's records of one type; [] for an unknown name.

        Raises TimeoutError without any answer.
        """
        import dns.resolver  # imported here because the system's resolver does not need it

        stub = dns.resolver.Resolver(configure=False)
        stub.nameservers = [dns.nameserver.Do53Nameserver(*server) for server in self._servers]
        stub.timeout = TIMEOUT_S
        try:
            name = dns.name.Name((*host.encode("idna").rstrip(b".").split(b"."), b""))
        except dns.exception.DNSException as error:
            raise UnicodeError(f"no name of a host: {error}") from error
        for _ in range(MAX_ALIASES):
            try:
                answer = stub.resolve(name, record, raise_on_no_answer=False, lifetime=deadline.remaining_s())
            except dns.resolver.NXDOMAIN:
                return []
            except dns.exception.DNSException as error:
                raise TimeoutError from error
            if answer.rrset is not None or answer.canonical_name == name:
                return [entry.address for entry in answer.rrset or ()]
            name = answer.canonical_name
        return []


def make_resolver(settings: Any) -> NameResolver:
    """Make the resolver of a crawl from its Scrapy settings. A look-up takes at most as long as a download may."""
    return NameResolver(settings.getlist(NAME_SERVERS_SETTING), min(LOOK_UP_S, settings.getfloat("DOWNLOAD_TIMEOUT")))


def _look_up_by_system(name: str, port: int, family: int, kind: int, timeout_s: float) -> Sequence[AddressInfo]:
    """Return the system's answer within `timeout_s`.

    A look-up cannot be interrupted, so a late one continues in its thread. Raises OSError (socket.gaierror).
    """
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
