"""Finds the network interface and the gateway of a connection in the kernel's main routing table.

The table is read from /proc, which requires no root rights. Policy rules that choose other tables are ignored. So the
interface is the one with the connection's own address, and a gateway counts only if its route uses that interface.
"""

import struct
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from core.circumstances import NetworkRoute
from core.ids import Digest, digest

# The hosts file of the machine: its lines for a name, and its digest. It is read again when it has changed.

HOSTS_FILE = Path("/etc/hosts")
MAX_BYTES = 8 * 2**20  # hosts files that block advertisements have up to 5 MB
MAX_LINES, MAX_LINE_CHARS = 8, 200  # per name; there are usually one or two


class HostsFile:
    """The file that the system's resolver reads before it queries a name server."""

    def __init__(self, path: Path = HOSTS_FILE) -> None:
        self._path = path
        self._state: tuple[int, int] | None = None  # modification time and size of the file
        self._by_name: dict[str, list[str]] = {}
        self.digest: Digest | None = None
        self.bytes: int | None = None
        self.refresh()

    def refresh(self) -> None:
        """Read the file if it has changed. `digest` and `bytes` become None if it cannot be read."""
        try:
            stat = self._path.stat()
            if (stat.st_mtime_ns, stat.st_size) == self._state:
                return
            content = self._path.read_bytes()
        except OSError:
            self._state, self._by_name, self.digest, self.bytes = None, {}, None, None
            return
        self._state, self.digest, self.bytes = (stat.st_mtime_ns, stat.st_size), digest(content), len(content)
        self._by_name = _parse_lines(content[:MAX_BYTES].decode("utf-8", "replace"))

    def host_lines(self, name: str) -> tuple[str, ...]:
        """Return the lines for a name in their order, at most MAX_LINES."""
        self.refresh()
        return tuple(self._by_name.get(name.lower(), ())[:MAX_LINES])


def _parse_lines(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        for name in dict.fromkeys(word.lower() for word in words[1:]):
            found.setdefault(name, []).append(" ".join(words)[:MAX_LINE_CHARS])
    return found


PROC = Path("/proc/net")
_IS_UP = 0x1  # RTF_UP in linux/route.h
_LOOPBACK = "lo"

Address = IPv4Address | IPv6Address


def find_interface(own: str) -> str:
    """Return the interface that has the address `own` of this machine, or "" if none is found."""
    with suppress(ValueError, OSError):
        address = ip_address(own.partition("%")[0])
        if address.is_loopback:
            return _LOOPBACK
        for name, entries in psutil.net_if_addrs().items():
            if any(entry.address.partition("%")[0] == str(address) for entry in entries):
                return name
    return ""


def find_gateway(other: str, interface: str, proc: Path = PROC) -> str:
    """Return the next hop to the address `other` through an interface, or "" if it is unknown or none is needed."""
    with suppress(ValueError, OSError):
        address = ip_address(other)
        routes = _routes_v4(proc) if address.version == 4 else _routes_v6(proc)
        fitting = [
            (length, -metric, gateway)
            for name, network, length, metric, gateway in routes
            if name == interface and _is_in_network(address, network, length)
        ]
        gateway = max(fitting, key=lambda route: route[:2])[2] if fitting else None
        return str(gateway) if gateway is not None and int(gateway) else ""
    return ""


def _routes_v4(proc: Path) -> Iterator[tuple[str, Address, int, int, Address]]:
    """Yield the interface, network, prefix length, metric and gateway of each IPv4 route."""
    for line in (proc / "route").read_text("ascii").splitlines()[1:]:
        name, network, gateway, flags, _, _, metric, mask, *_ = line.split()
        if int(flags, 16) & _IS_UP:
            yield name, _parse_ipv4(network), int(mask, 16).bit_count(), int(metric), _parse_ipv4(gateway)


def _routes_v6(proc: Path) -> Iterator[tuple[str, Address, int, int, Address]]:
    for line in (proc / "ipv6_route").read_text("ascii").splitlines():
        network, length, _, _, gateway, metric, _, _, flags, name = line.split()
        if int(flags, 16) & _IS_UP:
            yield name, _parse_ipv6(network), int(length, 16), int(metric, 16), _parse_ipv6(gateway)


def _parse_ipv4(word: str) -> IPv4Address:
    """Parse an address in /proc/net/route, which is in the byte order of the machine."""
    return IPv4Address(struct.pack("=I", int(word, 16)))


def _parse_ipv6(word: str) -> IPv6Address:
    return IPv6Address(bytes.fromhex(word))


def _is_in_network(address: Address, network: Address, length: int) -> bool:
    bits = address.max_prefixlen - length
    return int(address) >> bits == int(network) >> bits


class RouteFinder:
    """Finds the network routes of the connections of a crawl."""

    def __init__(self, hosts: HostsFile | None = None) -> None:
        self._hosts = hosts or HostsFile()

    def find_route(self, host: str, own: str, other: str, proxy: str = "") -> NetworkRoute:
        """Return the route of a connection to `host` between the addresses `own` and `other`. Unknown addresses are "".

        proxy: the URL of the proxy, or "". Its credentials are removed, and the hosts file is searched for its name.
        """
        place = without_login(proxy)
        interface = find_interface(own) if own else ""
        gateway = find_gateway(other, interface) if interface and other else ""
        named = urlsplit(place).hostname or "" if place else host
        return NetworkRoute(own, interface, gateway, self._hosts.host_lines(named), place)


def without_login(proxy: str) -> str:
    """Return only the scheme, host and port of a proxy's URL, because nothing else of it may become evidence.

    >>> without_login("http://user:pw@proxy.example:8080/token?key=1")
    'http://proxy.example:8080'
    """
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if proxy else ""
