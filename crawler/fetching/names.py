"""Looks up names with the system's resolver, or with the name servers that the operator set.

With dnspython, which queries recursive servers over UDP, or over TCP if an answer is truncated; aliases that they leave
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
TIMEOUT_S = 3.0  # per query, half the timeout of resolv.conf: a crawl meets many dead names
# For one name with all its aliases; two rounds of both kinds of addresses at one server that is down.
LOOK_UP_S = 12.0
MAX_ALIASES = 8  # chains of content networks have up to five (2026-11: chosen from RFC 1034's "avoid")
MAX_ADDRESSES = 32  # per name; the most seen in the wild is 13 to 16
_PORT = 53
_RECORDS = {socket.AF_INET: "A", socket.AF_INET6: "AAAA"}
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

    def _record_addresses(self, host: str, record: str, deadline: Deadline) -> list[str]:
        """Return the addresses in the records of a name. Raises TimeoutError if no server provides an answer."""
        import dns.resolver  # here, because with the system's resolver nothing needs it

        stub = dns.resolver.Resolver(configure=False)
        stub.nameservers = [dns.nameserver.Do53Nameserver(*server) for server in self._servers]
        stub.timeout = TIMEOUT_S
        name = dns.name.Name((*host.encode("idna").rstrip(b".").split(b"."), b""))
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
    """Make the resolver for the settings (scrapy.settings.Settings) of a crawl, with at most a download's timeout."""
    return NameResolver(settings.getlist(NAME_SERVERS_SETTING), min(LOOK_UP_S, settings.getfloat("DOWNLOAD_TIMEOUT")))


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
