"""Writes evidence/circumstances.json: the circumstances of a capture, and which of them were not recorded.

The crawler recorded the machine and the network routes. Validators and caches are read from the headers of the
exchanges, and verification reads them again and compares them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from bundles.records import CapturedPage, Part
from bundles.shapes import in_both_languages, moment
from core.captures import CaptureSource, WireExchange
from core.circumstances import BrowserProfile, ClockReading, Machine, NetworkRoute
from core.wording import Message

# Request headers that allow the response "not modified" (RFC 9110, 13.1), and response headers by which caches identify
# themselves: Age and Via of RFC 9110 and 9111, Cache-Status of RFC 9211, and the headers of the large content networks.
# Their values are copied up to MAX_CHARS.
VALIDATORS = ("if-modified-since", "if-none-match")
CACHES = ("age", "cache-status", "cf-cache-status", "via", "x-cache", "x-cache-status")
MAX_CHARS = 120
_BEYOND_ASCII = re.compile(r"[^\x20-\x7e]+")

Headers = Sequence[tuple[str, str]]


def circumstances(capture: CapturedPage) -> dict[str, Any]:
    """Return the circumstances as JSON values, with each machine once and exchanges in the order of connection.json."""
    machines = list(dict.fromkeys(_recorded_machines(capture)))
    placed = [(part, exchange) for part in capture.parts for exchange in part.capture.exchanges]
    return {
        "machines": [_machine_record(each) for each in machines],
        "exchanges": [
            _exchange_record(number, part, exchange, machines) for number, (part, exchange) in enumerate(placed, 1)
        ],
        "not_recorded": [{"what": what, "why": in_both_languages(why)} for what, why in _not_recorded(capture)],
    }


def request_validators(headers: Headers) -> list[str]:
    """Return the names of the validators in the headers of a request. Without them, no response is "not modified".

    >>> request_validators([("Host", "a"), ("If-None-Match", '"7"')])
    ['if-none-match']
    """
    return sorted({name.lower() for name, _ in headers} & set(VALIDATORS))


def cache_headers(headers: Headers) -> dict[str, str]:
    """Return the response headers that were set by caches between the site and the machine, by lower-case name.

    >>> cache_headers([("Age", "31"), ("Server", "x")])
    {'age': '31'}
    """
    found: dict[str, list[str]] = {}
    for name, value in headers:
        if name.lower() in CACHES:
            found.setdefault(name.lower(), []).append(_ascii_value(value))
    return {name: ", ".join(values)[:MAX_CHARS] for name, values in found.items()}


def _ascii_value(value: str) -> str:
    """Return a header's value in ASCII; it is the same for the original header and for the header in the archive."""
    flat = value.replace("\x00", "").replace("\r", " ").replace("\n", " ")
    return " ".join(_BEYOND_ASCII.sub("?", flat).split())


def _machine_record(machine: Machine) -> dict[str, Any]:
    program, lines = machine.program, machine.resolver_lines
    return {
        "host": machine.host,
        "system": machine.system,
        "kernel": machine.kernel,
        "program": {
            "name": "zhuiwen",
            "version": program.version,
            "files_digest": program.digest,
            "files": program.files,
            "stands_on": dict(program.parts),
        },
        "resolver_file": None if lines is None else list(lines),
        "hosts_file": machine.hosts_digest and {"digest": machine.hosts_digest, "bytes": machine.hosts_bytes},
        "has_response_cache": machine.has_response_cache,
        "clock": [_reading_record(each) for each in machine.clock],
        "noted_at": moment(machine.noted_at),
    }


def _reading_record(reading: ClockReading) -> dict[str, Any]:
    said: dict[str, Any] = {
        "server": reading.server,
        "address": reading.address,
        "compared_at": moment(reading.compared_at),
    }
    if reading.fault is not None:
        return said | {"fault": reading.fault.value.partition(".")[2]}
    return said | {
        "offset_s": reading.offset_s, "uncertainty_s": reading.uncertainty_s, "stratum": reading.stratum
    }  # fmt: skip


def _exchange_record(number: int, part: Part, exchange: WireExchange, machines: Sequence[Machine]) -> dict[str, Any]:
    machine, profile, way = part.capture.machine, part.capture.profile, exchange.way
    return {
        "exchange": number,
        "machine": machines.index(machine) if machine is not None else None,
        "way": way and _route_record(way),
        "validators": request_validators(exchange.request.headers) if exchange.request_head else None,
        "caches": cache_headers(exchange.response.headers),
        "profile": profile and _profile_record(profile),
    }


def _route_record(way: NetworkRoute) -> dict[str, Any]:
    return {
        "source_address": way.source_address,
        "interface": way.interface,
        "gateway": way.gateway,
        "hosts_lines": list(way.hosts_lines),
        "proxy": way.proxy,
    }


def _profile_record(profile: BrowserProfile) -> dict[str, Any]:
    return {
        "is_new": True,  # the program always starts the browser with a new profile
        "begun_at": moment(profile.begun_at),
        "pages_before": profile.pages_before,
        "is_from_cache": profile.is_from_cache,
    }


def _not_recorded(capture: CapturedPage) -> Iterator[tuple[str, Message]]:
    """Yield the name of each circumstance that was not recorded, and the reason."""
    fetches = [part.capture for part in capture.parts]
    if any(fetch.source is CaptureSource.ARCHIVE for fetch in fetches):
        yield "machine", Message("circumstance.of-archive")
    if any(fetch.machine is None and fetch.source is not CaptureSource.ARCHIVE for fetch in fetches):
        yield "machine", Message("circumstance.not-noted")
    yield from _machine_absences(_recorded_machines(capture))
    yield from _route_absences(capture.exchanges)
    if any(fetch.profile is not None and fetch.profile.is_from_cache is None for fetch in fetches):
        yield "browser cache", Message("circumstance.browser-cache")


def _recorded_machines(capture: CapturedPage) -> list[Machine]:
    return [part.capture.machine for part in capture.parts if part.capture.machine is not None]


def _machine_absences(machines: Sequence[Machine]) -> Iterator[tuple[str, Message]]:
    if any(not machine.clock for machine in machines):
        yield "clock", Message("circumstance.no-time-server")
    failed = {each.server: each.fault for machine in machines for each in machine.clock if each.fault is not None}
    for server, fault in failed.items():
        yield "clock", Message("circumstance.clock", server=server, reason=Message(fault.value))
    if any(machine.resolver_lines is None for machine in machines):
        yield "resolver", Message("circumstance.no-resolver")
    if any(machine.hosts_digest is None for machine in machines):
        yield "hosts file", Message("circumstance.no-hosts")
    if any(not machine.system for machine in machines):
        yield "system", Message("circumstance.no-system")


def _route_absences(exchanges: Sequence[WireExchange]) -> Iterator[tuple[str, Message]]:
    ways = [exchange.way for exchange in exchanges if exchange.way is not None]
    if any(not way.interface for way in ways):
        yield "route", Message("circumstance.no-route")
    if ways:
        yield "route beyond the gateway", Message("circumstance.beyond")
    if any(way.proxy for way in ways):
        yield "route behind the proxy", Message("circumstance.behind-proxy")
