"""What it costs to note the circumstances of captures: `python -m laboratory.crawl.circumstances`.

The machine is noted once for each crawl process, the way of a connection with each page; the rest is the size of what
both add to a capture and to a bundle.
"""

import gzip
import socket
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from core.captures import Capture, WireExchange
from core.circumstances import ClockReading, Machine, Way
from crawler.fetching.ways import Ways
from crawler.surroundings.machine import machine_of_this_process
from evidence import bundle
from evidence.canonical import canonical
from evidence.circumstances import circumstances
from evidence.records import Capture as BundledCapture
from laboratory.speed.evidence_bundles import sample, timed
from pagestore.captures import capture_bytes
from pagestore.circumstances import machine_bytes

ROUNDS, PAGE_ROUNDS = 20, 2_000
AT = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
OTHER = "192.0.2.123"  # of RFC 5737: nothing is sent there


def main() -> None:
    """Print times and sizes, a line each."""
    reading = ClockReading("time.example", AT, OTHER, 0.012, 0.003, 2)
    machine, way = _machine(reading), _way()
    timed("note the machine, once a crawl process", lambda: _machine(reading), rounds=ROUNDS)
    timed("note the way of a connection, once a page", _way_again(), rounds=PAGE_ROUNDS)
    _sizes("circumstances.json of a page", canonical(circumstances(_page(machine, way))))
    _sizes("the machine in the page store, once a crawl process", machine_bytes(machine))
    bare, noted = capture_bytes(_wire(None)), capture_bytes(_wire(way))
    print(f"a capture in the page store: {len(noted) - len(bare)} bytes more")  # noqa: T201
    (capture, finding), noted_page = sample(0, is_drawn=False), _page(machine, way)
    timed("make a bundle of a page with circumstances", lambda: bundle.make(noted_page, finding))
    timed("make a bundle of a page without", lambda: bundle.make(capture, finding))


def _machine(reading: ClockReading) -> Machine:
    return machine_of_this_process((reading,), has_response_cache=False)


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((OTHER, 9))
        return str(asking.getsockname()[0])


def _way() -> Way:
    return Ways().way("novel.example", _own_address(), OTHER)


def _way_again() -> Callable[[], Way]:
    ways, own = Ways(), _own_address()
    return lambda: ways.way("novel.example", own, OTHER)


def _page(machine: Machine, way: Way) -> BundledCapture:
    capture, _ = sample(0, is_drawn=False)
    return replace(capture, machine=machine, exchanges=(replace(capture.page, way=way),))


def _wire(way: Way | None) -> Capture:
    return Capture((WireExchange("https://novel.example/", 200, b"", b"", AT, AT, AT, AT, OTHER, 443, "", 0, way=way),))


def _sizes(name: str, content: bytes) -> None:
    print(f"{name}: {len(content):,} bytes, {len(gzip.compress(content, 9)):,} compressed")  # noqa: T201


if __name__ == "__main__":
    main()
