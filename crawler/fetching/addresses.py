"""Decides which network addresses may be fetched: public addresses, and private ones that the operator allows.

A crawled site must not be able to make the crawler send requests into the operator's own network (server-side request
forgery).
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from core.addresses import forbidden_kind
from core.errors import UnsafeUrl
from core.hosts import DEFAULT_PORTS, Host, host_key, parse_host
from core.wording import Message

# Also refused by name, because a proxy resolves names outside of this process.
_METADATA_NAMES = frozenset(
    {
        "metadata.google.internal",
        "metadata.goog",
        "metadata",
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.tencentyun.com",
        "metadata.azure.internal",
    }
)
_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375; ICANN 2024 for .internal
# One to four numbers: decimal, octal if they begin with 0, or hexadecimal if they begin with 0x.
_NUMBERS = re.compile(r"(?:(?:0x0*[0-9a-f]{1,8}|0[0-7]*|[1-9][0-9]{0,9})(?:\.(?!$)|$)){1,4}", re.IGNORECASE)


class AddressGuard:
    """Checks URLs and addresses before a fetch. allow_private_hosts: entries "host:port" or "[v6]:port"."""

    def __init__(self, allow_private_hosts: Sequence[str] = ()) -> None:
        self._allowed = frozenset(place for entry in allow_private_hosts if (place := _parse_place(entry)))

    def check_url(self, url: str) -> None:
        """Raise UnsafeUrl if a URL must not be fetched, whatever the addresses of its host are."""
        try:
            parts = urlsplit(url)
        except ValueError as fault:
            raise UnsafeUrl(url, "address.bad-host") from fault
        if parts.scheme not in ("http", "https"):
            raise UnsafeUrl(url, "address.other-scheme", scheme=parts.scheme or Message("address.no-scheme"))
        if parts.username is not None or parts.password is not None:
            raise UnsafeUrl(_without_login(url), "address.login")
        try:
            host, port = host_key(url)
        except ValueError as fault:
            raise UnsafeUrl(url, "address.bad-host") from fault
        if not host:
            raise UnsafeUrl(url, "address.no-host")
        if "%" in host.partition("%25")[0] or _is_no_name(host):
            raise UnsafeUrl(url, "address.bad-host")
        if host in _METADATA_NAMES:
            raise UnsafeUrl(url, "address.is-metadata")
        if host in _LOCAL_NAMES or host.endswith(_LOCAL_ENDINGS):
            self._require_allowed(url, host, port)
        literal = literal_address(host)
        if literal is not None:
            self.check_address(url, host, port, str(literal))

    def check_address(self, url: str, host: str, port: int, address: str) -> None:
        """Raise UnsafeUrl if an address of `host` must not be fetched and the operator does not allow the host."""
        kind = forbidden_kind(address)
        if kind is not None and not self.is_allowed(host, port):
            remedy = _allowing_remedy(host, port, address)
            raise UnsafeUrl(url, "address.not-public", address=address, kind=kind, remedy=remedy)

    def allowed_addresses(self, url: str, host: str, port: int, addresses: Sequence[str]) -> list[str]:
        """Return the addresses of a host that may be fetched, in the given order.

        Raises UnsafeUrl if there are none.
        """
        kept, faults = list[str](), list[UnsafeUrl]()
        for address in addresses:
            try:
                self.check_address(url, host, port, address)
            except UnsafeUrl as fault:
                faults.append(fault)
            else:
                kept.append(address)
        if not kept:
            raise faults[0] if faults else UnsafeUrl(url, "address.none")
        return kept

    def _require_allowed(self, url: str, host: str, port: int) -> None:
        if not self.is_allowed(host, port):
            remedy = _allowing_remedy(host, port, host)
            raise UnsafeUrl(url, "address.not-public", address=host, kind=Message("address.local-name"), remedy=remedy)

    def is_allowed(self, host: str, port: int) -> bool:
        """Return True if the operator allows this host and port even if its address is private."""
        return (host.lower(), port) in self._allowed


def literal_address(host: str) -> IPv4Address | IPv6Address | None:
    """Return the address that a host represents in any notation, or None for a name.

    The system, browsers and proxies interpret 2130706433, 0x7f.1 and 0177.0.0.1 as 127.0.0.1 (inet_aton).

    >>> literal_address("0x7f.1"), literal_address("127.0.0.1.example"), literal_address("017700000001")
    (IPv4Address('127.0.0.1'), None, IPv4Address('127.0.0.1'))
    """
    literal = _parse_literal(host)
    if literal is not None or not _NUMBERS.fullmatch(host):
        return literal
    parts = [int(part, 16 if part[:2].lower() == "0x" else 8 if part[0] == "0" else 10) for part in host.split(".")]
    if any(part > 255 for part in parts[:-1]) or parts[-1] >= 256 ** (5 - len(parts)):
        return None  # no system accepts it as an address
    leading = sum(part << (8 * (3 - place)) for place, part in enumerate(parts[:-1]))
    return IPv4Address(leading + parts[-1])


def _is_no_name(host: str) -> bool:
    """Return True if a host ends in a number but is not an address. Names may not end in one (WHATWG URL, 3.5)."""
    last = host.rpartition(".")[2]
    return bool(re.fullmatch(r"[0-9]+|0[xX][0-9a-fA-F]*", last)) and literal_address(host) is None


def _parse_literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _allowing_remedy(host: str, port: int, address: str) -> Message:
    """Return how to allow the host. For a spelling such as 2130706433, the remedy contains the address itself."""
    is_spelled = _parse_literal(host) is None and re.fullmatch(r"(?:.*\.)?(?:0x[0-9a-f]*|[0-9]+)", host.lower())
    if is_spelled:
        return Message("address.allow-as", address=address, host=host, place=Host(address, port))
    return Message("address.allow", place=Host(host, port))


def _parse_place(entry: str) -> tuple[str, int] | None:
    """Return the host and port of an entry in the operator's list, or None if the entry is invalid."""
    try:
        host = parse_host(entry)
    except ValueError:
        return None
    return host.name, host.port or DEFAULT_PORTS["http"]


def _without_login(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
