"""Converts hosts to a normal form, whether people type them, sites link to them or the crawler records them.

A name is in ASCII (IDNA) and lower case, without a trailing dot; an IPv6 address is in its shortest form. Rights, crawl
scopes and the list of sites compare hosts in this form.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_NAME_CHARS = 253  # RFC 1035
_MAX_TYPED_CHARS = 2_000  # the codec takes time quadratic in the length of a name
_WWW = "www."
# Labels of public suffixes: www.net.cn is a site, and net.cn is the suffix of many unrelated ones.
_SHARED_LABELS = frozenset({"ac", "co", "com", "edu", "go", "gov", "mil", "ne", "net", "or", "org"})


@dataclass(frozen=True, slots=True)
class Host:
    """A host named by a person or a crawl plan. name: without brackets for an IPv6 address; port: None for any port."""

    name: str
    port: int | None = None

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port is None else f"{name}:{self.port}"

    @property
    def bare(self) -> str:
        """The name without `www.`, because both names lead to the same site."""
        without_www = self.name.removeprefix(_WWW)
        return self.name if _is_shared_ending(without_www) else without_www

    def equals(self, name: str, port: int) -> bool:
        """Return whether this is the host `name`, with or without `www.`, at `port`."""
        return self.port in (None, port) and self.bare == Host(name).bare

    def holds(self, name: str, port: int) -> bool:
        """Return whether the host `name` at `port` is this host or one of its subdomains.

        >>> Host("own.cn").holds("m.own.cn", 80), Host("own.cn").holds("evil-own.cn", 80)
        (True, False)
        """
        return self.equals(name, port) or (self.port in (None, port) and name.endswith(f".{self.bare}"))

    def spellings(self) -> frozenset[str]:
        """Return all spellings of this host: with and without `www.`, in ASCII and in Unicode."""
        names = {self.name, self.bare}
        if ":" not in self.bare and not _is_shared_ending(self.bare):
            names.add(_WWW + self.bare)
        names |= {_unicode_name(name) for name in names}
        return frozenset(str(Host(name, self.port)) for name in names)


def parse_host(text: str) -> Host:
    """Parse a host from a name, a name with a port, or a URL; the default port of a URL's scheme is dropped.

    Raises ValueError if the text names no host.

    >>> str(parse_host("HTTPS://Www.Example.com.:443/a")), str(parse_host("[2001:DB8:0::1]:8080"))
    ('www.example.com', '[2001:db8::1]:8080')
    >>> str(parse_host("中文书城.com"))
    'xn--fiq4ey41apjo.com'
    """
    stripped = text.strip()
    if len(stripped) > _MAX_TYPED_CHARS:
        raise ValueError("too long for a host")
    if _is_ipv6(stripped):
        return Host(str(ip_address(stripped)))
    parts = urlsplit(stripped if "://" in stripped else f"//{stripped}")
    port = None if parts.port == DEFAULT_PORTS.get(parts.scheme.lower()) else parts.port
    name = _normalize_name(parts.hostname or "")
    if not name or port == 0:
        raise ValueError("no host, or no port that can be")
    return Host(name, port)


def host_key(url: str) -> tuple[str, int]:
    """Return the host name of a URL, or "", and its port.

    The default port is that of the scheme, or 0 if it is unknown.

    Raises ValueError if the host or the port is invalid.
    """
    parts = urlsplit(url)
    return _normalize_name(parts.hostname or ""), parts.port or DEFAULT_PORTS.get(parts.scheme.lower(), 0)


@lru_cache(maxsize=1_024)  # a crawl looks up the same host for every link
def _normalize_name(name: str) -> str:
    if _is_ipv6(name):
        return str(ip_address(name))
    if len(name) > _MAX_TYPED_CHARS:
        raise ValueError("too long for a host")
    bare = name.lower().rstrip(".。．｡")
    ascii_name = bare.encode("idna").decode("ascii").lower().rstrip(".") if bare else ""
    if len(ascii_name) > MAX_NAME_CHARS:
        raise ValueError("too long for a host")
    return ascii_name


def _is_ipv6(name: str) -> bool:
    try:
        return isinstance(ip_address(name), IPv6Address)
    except ValueError:
        return False


def _is_shared_ending(name: str) -> bool:
    head, _, ending = name.rpartition(".")
    return not head or (len(ending) == 2 and head in _SHARED_LABELS)


def _unicode_name(name: str) -> str:
    try:
        return name.encode("ascii").decode("idna")
    except UnicodeError:
        return name


def parse_hosts(written: Iterable[str]) -> Iterator[Host]:
    """Yield the hosts that the texts name, in order; texts that name no host are skipped."""
    for text in written:
        with suppress(ValueError):
            yield parse_host(text)
