"""Through which interface and gateway a connection left the machine, as the kernel's main table of routes has it.

Read from /proc, for which nobody has to be root. Rules that choose other tables are not looked at; so the interface is
the one that has the connection's own address, and a gateway counts only where its route leaves through that.
"""

import fcntl
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from urllib.parse import urlsplit

from core.circumstances import Way
from crawler.fetching.hosts_file import HostsFile

PROC = Path("/proc/net")
_GET_ADDRESS = 0x8915  # SIOCGIFADDR of linux/sockios.h
_IS_UP = 0x1  # RTF_UP of linux/route.h
_LOOPBACK = "lo"

Address = IPv4Address | IPv6Address


def interface_of(own: str, proc: Path = PROC) -> str:
    """The interface that has an address of this machine; "" where none is found."""
    with suppress(ValueError, OSError):
        address = ip_address(own)
        if address.is_loopback:
            return _LOOPBACK
        return _interface_v4(own) if address.version == 4 else _interface_v6(address, proc)
    return ""


def gateway_to(other: str, interface: str, proc: Path = PROC) -> str:
    """The next machine on the way to an address through an interface; "" where there is none or it is not known."""
    with suppress(ValueError, OSError):
        address = ip_address(other)
        routes = _routes_v4(proc) if address.version == 4 else _routes_v6(proc)
        fitting = [
            (length, -metric, gateway)
            for name, network, length, metric, gateway in routes
            if name == interface and _is_in(address, network, length)
        ]
        gateway = max(fitting, key=lambda route: route[:2])[2] if fitting else None
        return str(gateway) if gateway is not None and int(gateway) else ""
    return ""


def _interface_v4(own: str) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with suppress(OSError):
                said = fcntl.ioctl(asking, _GET_ADDRESS, struct.pack("256s", name.encode()[:15]))
                if socket.inet_ntoa(said[20:24]) == own:
                    return name
    return ""


def _interface_v6(own: Address, proc: Path) -> str:
    for line in (proc / "if_inet6").read_text("ascii").splitlines():
        address, *_, name = line.split()
        if IPv6Address(bytes.fromhex(address)) == own:
            return name
    return ""


def _routes_v4(proc: Path) -> Iterator[tuple[str, Address, int, int, Address]]:
    """Interface, network, length of its prefix, metric, gateway."""
    for line in (proc / "route").read_text("ascii").splitlines()[1:]:
        name, network, gateway, flags, _, _, metric, mask, *_ = line.split()
        if int(flags, 16) & _IS_UP:
            yield name, _turned(network), int(mask, 16).bit_count(), int(metric), _turned(gateway)


def _routes_v6(proc: Path) -> Iterator[tuple[str, Address, int, int, Address]]:
    for line in (proc / "ipv6_route").read_text("ascii").splitlines():
        network, length, _, _, gateway, metric, _, _, flags, name = line.split()
        if int(flags, 16) & _IS_UP:
            yield name, _whole(network), int(length, 16), int(metric, 16), _whole(gateway)


def _turned(word: str) -> IPv4Address:
    """An address of /proc/net/route, whose bytes stand in the order of the machine."""
    return IPv4Address(struct.pack("=I", int(word, 16)))


def _whole(word: str) -> IPv6Address:
    return IPv6Address(bytes.fromhex(word))


def _is_in(address: Address, network: Address, length: int) -> bool:
    bits = address.max_prefixlen - length
    return int(address) >> bits == int(network) >> bits


class Ways:
    """For one crawl process."""

    def __init__(self, hosts: HostsFile | None = None) -> None:
        self._hosts = hosts or HostsFile()

    def way(self, host: str, own: str, other: str, proxy: str = "") -> Way:
        """The way of a connection for the name `host`, between two addresses; a "" is one that is not known.

        proxy: the URL of the one that it goes through; its login is left out, and the hosts file is asked for its name.
        """
        place = without_login(proxy)
        interface = interface_of(own) if own else ""
        gateway = gateway_to(other, interface) if interface and other else ""
        named = urlsplit(place).hostname or "" if place else host
        return Way(own, interface, gateway, self._hosts.lines_for(named), place)


def without_login(proxy: str) -> str:
    """Scheme, host and port of a proxy's URL: nothing else of it enters evidence.

    >>> without_login("http://user:pw@proxy.example:8080/token?key=1")
    'http://proxy.example:8080'
    """
    parts = urlsplit(proxy)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if proxy else ""
