"""Compares this machine's clock with that of the configured time servers: an SNTP client.

Source: RFC 4330 (SNTP version 4), RFC 5905, sections 7.3 and 8. The clock is compared, never set. The transmit
timestamp of a query is a random number that the response must repeat, so that only a recipient of the query can respond
to it.
"""

import secrets
import socket
import struct
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

from core.circumstances import ClockFault, ClockReading
from core.hosts import parse_host
from crawler.fetching.names import Deadline, NameResolver

PORT = 123
MAX_SERVERS = 4  # among four, one wrong server is detected (RFC 8633, 3.2)
# A crawl waits for it once. Responses take 0.01 to 0.3 s; a second query replaces a lost packet.
TRIES, TIMEOUT_S, NAME_S = 2, 1.0, 2.0
_PACKET = struct.Struct("!4B2i4s4Q")
_ASKED = 0x23  # version 4, mode 3 (client)
_MODE_SERVER, _NOT_SET, _MAX_STRATUM = 4, 3, 15
_TO_1970_S = 2_208_988_800  # from 1900, the epoch of NTP
_SECOND, _SHORT_SECOND = 2**32, 2**16  # a second in the fixed-point numbers of NTP, long and short


@dataclass(frozen=True, slots=True)
class _Answer:
    """A server's response. received, sent: times by its clock, in 2**-32 s since 1900, as 64-bit numbers."""

    leap: int
    stratum: int
    distance_s: float  # distance from its reference clock: half of the delay, and the dispersion
    received: int
    sent: int


def compare(servers: Sequence[str], names: NameResolver) -> tuple[ClockReading, ...]:
    """Return the readings of the first four servers. All are queried at once, which takes at most 4 s.

    servers: each "host" or "host:port". Failures are recorded in the readings, and no exception is raised.
    """
    asked = list(servers)[:MAX_SERVERS]
    if not asked:
        return ()
    with ThreadPoolExecutor(len(asked)) as pool:
        return tuple(pool.map(lambda server: _read_clock(server, names), asked))


def _read_clock(server: str, names: NameResolver) -> ClockReading:
    host = parse_host(server)
    port = host.port or PORT
    try:
        address = names.addresses(host.name, port, NAME_S)[0]
    except (OSError, UnicodeError, IndexError):
        return ClockReading(server, datetime.now(UTC), fault=ClockFault.UNKNOWN_NAME)
    for _ in range(TRIES):
        try:
            return _query_server(server, address, port)
        except OSError:
            continue
    return ClockReading(server, datetime.now(UTC), address, fault=ClockFault.NO_ANSWER)


def _query_server(server: str, address: str, port: int) -> ClockReading:
    """Send one query, and return the reading. Raises OSError if no response arrives in time."""
    nonce = secrets.randbits(64)
    question = _PACKET.pack(_ASKED, 0, 0, 0, 0, 0, b"", 0, 0, 0, nonce)
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((address, port))  # the system then drops packets from other senders
        asked_at, began_s = time.time_ns(), time.perf_counter_ns()
        asking.send(question)
        answer = _receive_answer(asking, nonce, Deadline(TIMEOUT_S))
        took_ns = time.perf_counter_ns() - began_s  # the clock itself may be changed meanwhile
    at = datetime.fromtimestamp(asked_at / 1e9, UTC)
    if answer.leap == _NOT_SET or not 1 <= answer.stratum <= _MAX_STRATUM or not answer.sent:
        return ClockReading(server, at, address, fault=ClockFault.NOT_SET)
    there, back = _apart_s(answer.received, _ntp_time(asked_at)), _apart_s(answer.sent, _ntp_time(asked_at + took_ns))
    under_way_s = max(took_ns / 1e9 - _apart_s(answer.sent, answer.received), 0.0)
    offset_s, uncertainty_s = (there + back) / 2, under_way_s / 2 + answer.distance_s
    return ClockReading(server, at, address, round(offset_s, 6), round(uncertainty_s, 6), answer.stratum)


def _receive_answer(asking: socket.socket, nonce: int, deadline: Deadline) -> _Answer:
    """Return the response to the query with this nonce, and ignore all others. Raises OSError after the deadline."""
    while True:
        asking.settimeout(deadline.remaining_s())
        data = asking.recv(1_024)
        if len(data) < _PACKET.size:
            continue
        flags, stratum, _, _, delay, dispersion, _, _, origin, received, sent = _PACKET.unpack_from(data)
        if origin == nonce and flags & 7 == _MODE_SERVER:
            distance_s = max(delay / 2 + dispersion, 0) / _SHORT_SECOND
            return _Answer(flags >> 6, stratum, distance_s, received, sent)


def _ntp_time(ns: int) -> int:
    """Convert a Unix time in nanoseconds to an NTP timestamp."""
    return (_TO_1970_S * _SECOND + ns * _SECOND // 10**9) % 2**64


def _apart_s(later: int, earlier: int) -> float:
    """Return the seconds between two NTP timestamps, correct for clocks up to 68 years apart (RFC 5905, 6)."""
    return ((later - earlier + 2**63) % 2**64 - 2**63) / _SECOND
