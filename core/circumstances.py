"""Circumstances of a capture: the machine, the program, the clock, the network route and the browser profile.

Each crawl process records its machine once (crawler.surroundings.machine), and each connection its route
(crawler.fetching.routes). A value that could not be determined is None or "", and the bundle says so
(bundles.circumstances). Proxy credentials are never recorded.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import Digest


class ClockFault(StrEnum):
    """The reason why a time server gave no usable time; the values are codes of core.wording."""

    UNKNOWN_NAME = "clock.unknown-name"
    NO_ANSWER = "clock.no-answer"
    NOT_SET = "clock.not-set"  # the server reports that its clock is not set (leap indicator 3, stratum 0 or 16)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A comparison of this machine's clock with one time server (SNTP, RFC 4330).

    offset_s: seconds to add to this machine's clock, positive if the clock is slow. uncertainty_s: half of the
    round-trip time plus the distance from a reference clock that the server reports. compared_at: by this machine's
    clock.
    """

    server: str  # as the operator named it
    compared_at: datetime
    address: str = ""
    offset_s: float | None = None
    uncertainty_s: float | None = None
    stratum: int | None = None  # 1: the server has a reference clock
    fault: ClockFault | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """The program that captured a page. digest: the digest of its file list as `sha256sum` prints it (core.program)."""

    version: str
    digest: Digest
    files: int
    parts: tuple[tuple[str, str], ...]  # its dependencies: name and version


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of one crawl process. None means that the value could not be read."""

    noted_at: datetime
    host: str
    system: str  # "Debian GNU/Linux 12 (bookworm)"
    kernel: str  # "Linux 6.1.0-18-amd64 x86_64"
    program: Program
    resolver_lines: tuple[str, ...] | None  # lines of resolv.conf, without comments
    hosts_digest: Digest | None  # of the hosts file
    hosts_bytes: int | None
    has_response_cache: bool  # responses of earlier fetches are reused
    clock: tuple[ClockReading, ...]  # empty if no time server is configured


@dataclass(frozen=True, slots=True)
class NetworkRoute:
    """The route of one connection as an unprivileged process can see it, to the proxy if there is one.

    source_address: the local address of the connection. interface: the interface with this address. gateway: the next
    hop by the main routing table, "" within the same network. hosts_lines: the lines of the hosts file that name the
    host. proxy: "http://proxy.example:8080", never with credentials.
    """

    source_address: str = ""
    interface: str = ""
    gateway: str = ""
    hosts_lines: tuple[str, ...] = ()
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class BrowserProfile:
    """The profile of a browser that loaded a page; it is created and deleted with the browser.

    pages_before: the number of pages that it loaded earlier in the same crawl. is_from_cache: whether the page came
    from the browser's cache, or None if the browser did not report it.
    """

    begun_at: datetime
    pages_before: int
    is_from_cache: bool | None = None
