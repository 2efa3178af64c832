"""Which network addresses may be fetched: public ones, and those private ones that the operator names.

A crawled site must not be able to make the crawler ask inside the operator's own network (server-side request forgery).
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from core.errors import UnsafeUrl
from core.hosts import DEFAULT_PORTS, Host, host_key, parse_host

_METADATA = frozenset({"169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192"})
_METADATA_NAMES = frozenset({"metadata.google.internal", "metadata", "instance-data"})
# IPv6 ranges that carry an IPv4 address inside: the inner address decides (RFC 6052, 3056).
_NAT64, _SIX_TO_FOUR = ip_network("64:ff9b::/96"), ip_network("2002::/16")


class AddressGuard:
    """Says which URLs and addresses may be fetched; `allow_private_hosts` are "host:port" or "[v6]:port"."""

    def __init__(self, allow_private_hosts: Sequence[str] = ()) -> None:
        self._allowed = frozenset(_place(entry) for entry in allow_private_hosts)

    def check_url(self, url: str) -> None:
        """Raises UnsafeUrl for a URL that must not be fetched whatever its host resolves to."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https"):
            raise UnsafeUrl(url, f"only http and https are, not {parts.scheme or 'an address without a scheme'}")
        if parts.username is not None or parts.password is not None:
            raise UnsafeUrl(_without_login(url), "it carries a user name or password")
        try:
            host, port = host_key(url)
        except ValueError as fault:
            raise UnsafeUrl(url, "its host or port cannot be") from fault
        if not host:
            raise UnsafeUrl(url, "it names no host")
        if host in _METADATA_NAMES:
            raise UnsafeUrl(url, "it is a cloud's metadata service")
        literal = _literal(host)
        if literal is not None:
            self.check_address(url, host, port, str(literal))

    def check_address(self, url: str, host: str, port: int, address: str) -> None:
        """Raises UnsafeUrl when `host` stands for an address that must not be fetched."""
        reason = refusal(address)
        if reason and not self.is_allowed(host, port):
            raise UnsafeUrl(url, f"{address} is {reason}; {_remedy(host, port, address)}")

    def is_allowed(self, host: str, port: int) -> bool:
        """Whether the operator lets this host and port be fetched although its address is private."""
        return (host.lower(), port) in self._allowed


def refusal(address: str) -> str:
    """What is wrong with an IP address, "" for a public one.

    >>> refusal("10.0.0.1"), refusal("8.8.8.8"), refusal("::ffff:127.0.0.1")
    ('a private address', '', 'a loopback address')
    """
    if address.partition("%")[0] in _METADATA:
        return "a cloud's metadata service"
    ip = _inner(ip_address(address.partition("%")[0]))
    kinds = (
        (ip.is_loopback, "a loopback address"),
        (ip.is_unspecified, "the unspecified address"),
        (ip.is_link_local, "a link-local address"),
        (ip.is_multicast, "a multicast address"),
        (ip.is_private, "a private address"),
        (ip.is_reserved or not ip.is_global, "a reserved address"),
    )
    if str(ip) in _METADATA:
        return "a cloud's metadata service"
    return next((name for is_so, name in kinds if is_so), "")


def _inner(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that an IPv6 one carries, or the address itself."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip.ipv4_mapped:
        return ip.ipv4_mapped
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    if ip in _SIX_TO_FOUR:
        return IPv4Address((int(ip) >> 80) & 0xFFFFFFFF)
    return ip


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _remedy(host: str, port: int, address: str) -> str:
    """What an operator does who wants it fetched. 2130706433 is 127.0.0.1 to the system, and a name to the list."""
    is_disguised = _literal(host) is None and re.fullmatch(r"(?:.*\.)?(?:0x[0-9a-f]*|[0-9]+)", host.lower())
    place = Host(address if is_disguised else host, port)
    write = f"write {address} for {host} and " if is_disguised else ""
    return f"to fetch it all the same, {write}add {place} to ZHUIWEN_ALLOW_PRIVATE_HOSTS"


def _place(entry: str) -> tuple[str, int]:
    """What an entry of the operator's list names; one that names nothing lets nothing through."""
    try:
        host = parse_host(entry)
    except ValueError:
        return entry, 0
    return host.name, host.port or DEFAULT_PORTS["http"]


def _without_login(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
