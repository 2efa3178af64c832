"""Under which circumstances a page was captured: on which machine, by which program and clock, on which way.

What belongs to the machine is noted once for each crawl process (crawler.surroundings.machine), what belongs to a fetch
with each connection (crawler.fetching.routes). What could not be found out is None or "", and the bundle says so
(bundles.circumstances). Logins of proxies are never in it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.ids import Digest


class ClockFault(StrEnum):
    """Why a time server gave no time that counts; codes of core.wording."""

    UNKNOWN_NAME = "clock.unknown-name"
    NO_ANSWER = "clock.no-answer"
    NOT_SET = "clock.not-set"  # it says of itself that its clock is not set (leap indicator 3, stratum 0 or 16)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """What one time server says of this machine's clock (SNTP, RFC 4330).

    offset_s: what has to be added to this machine's clock; above 0 where that is slow. uncertainty_s: half of the way
    there and back, and what the server says of its own distance from a reference clock. compared_at: by this machine.
    """

    server: str  # as the operator named it
    compared_at: datetime
    address: str = ""
    offset_s: float | None = None
    uncertainty_s: float | None = None
    stratum: int | None = None  # 1: it has a reference clock of its own
    fault: ClockFault | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """What captured. digest: of the list of all its files, as `sha256sum` writes it (core.program)."""

    version: str
    digest: Digest
    files: int
    parts: tuple[tuple[str, str], ...]  # what it stands on: name and version


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of one crawl process. None: it could not be read."""

    noted_at: datetime
    host: str
    system: str  # "Debian GNU/Linux 12 (bookworm)"
    kernel: str  # "Linux 6.1.0-18-amd64 x86_64"
    program: Program
    resolver_lines: tuple[str, ...] | None  # of resolv.conf, without comments
    hosts_digest: Digest | None  # of the hosts file
    hosts_bytes: int | None
    has_response_cache: bool  # whether answers of earlier fetches are given out again
    clock: tuple[ClockReading, ...]  # empty: no time server is set


@dataclass(frozen=True, slots=True)
class NetworkRoute:
    """The way of one connection, as far as a process without special rights knows it; to the proxy where there is one.

    source_address: this machine's own, of the connection. interface: that has it. gateway: the next machine by the main
    table of routes; "" where the other end is in the same network. hosts_lines: of the hosts file, that name the host.
    proxy: "http://proxy.example:8080", never with a login.
    """

    source_address: str = ""
    interface: str = ""
    gateway: str = ""
    hosts_lines: tuple[str, ...] = ()
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class BrowserProfile:
    """The profile of a browser that loaded a page: made anew with the browser, and gone with it.

    pages_before: how many pages of the same crawl it had loaded before. is_from_cache: whether the page came out of
    the browser's own cache; None: it did not say.
    """

    begun_at: datetime
    pages_before: int
    is_from_cache: bool | None = None
