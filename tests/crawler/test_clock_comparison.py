"""The clock beside time servers: an SNTP server on loopback that is right, wrong, silent, not set, or not asked."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from core.circumstances import ClockFault, ClockReading
from crawler.fetching.names import NameResolver
from crawler.surroundings import time_servers
from crawler.surroundings.time_servers import compare
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.name_server import NameServer
from tests.support.web_server import WebServer, page

pytestmark = pytest.mark.usefixtures("loopback")
PACKET = struct.Struct("!4B2i4s4Q")
TO_1970_S = 2_208_988_800
Answer = Callable[[bytes], list[bytes]]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may be slow to answer."""
    monkeypatch.setattr(time_servers, "TIMEOUT_S", 30.0)


def ntp_now(ahead_s: float = 0.0) -> int:
    return int((time.time() + ahead_s + TO_1970_S) * 2**32) % 2**64


def told(
    question: bytes, ahead_s: float = 0.0, leap: int = 0, stratum: int = 2, mode: int = 4, origin: int | None = None
) -> bytes:
    """An answer of a server whose clock is so many seconds ahead. Half of the delay to its source is 1/32 s."""
    asked = PACKET.unpack(question)
    repeated = asked[-1] if origin is None else origin
    now = ntp_now(ahead_s)
    return PACKET.pack(
        leap << 6 | 4 << 3 | mode, stratum, 0, 0, 2**16 // 16, 2**16 // 64, b"GPS", now, repeated, now, now
    )


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(0.05)
        done = threading.Event()

        def serve() -> None:
            while not done.is_set():
                try:
                    question, asker = server.recvfrom(1_024)
                except TimeoutError:
                    continue
                for each in answer(question):
                    server.sendto(each, asker)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            done.set()
            thread.join()


def compared(answer: Answer) -> ClockReading:
    with serving(answer) as place:
        (reading,) = compare([place], NameResolver())
    assert reading.server == place
    return reading


@pytest.mark.parametrize("ahead_s", [0.0, 3.5, -120.0, 40 * 365 * 86_400.0, -40 * 365 * 86_400.0])
def test_the_offset_is_what_has_to_be_added_to_the_clock(ahead_s: float) -> None:
    """40 years: over the end of the era of NTP in 2036, on either side."""
    reading = compared(lambda question: [told(question, ahead_s)])
    assert reading.fault is None
    assert reading.offset_s is not None
    assert reading.uncertainty_s is not None
    assert abs(reading.offset_s - ahead_s) <= reading.uncertainty_s
    assert reading.uncertainty_s >= 1 / 32 + 1 / 64
    assert (reading.address, reading.stratum) == ("127.0.0.1", 2)
    assert reading.compared_at <= datetime.now(UTC)


def test_a_question_tells_no_time_of_this_machine_and_is_another_each_time() -> None:
    questions: list[bytes] = []
    for _ in range(2):
        compared(lambda question: [questions.append(question) or told(question)])  # type: ignore[func-returns-value]
    first, second = (PACKET.unpack(each) for each in questions)
    assert first[0] == 0x23
    assert not any(first[1:7]) or first[6] == bytes(4)
    assert first[-1] != second[-1]
    assert all(abs(each[-1] - ntp_now()) > 2**33 for each in (first, second))


@pytest.mark.parametrize("wrong", [{"leap": 3}, {"stratum": 0}, {"stratum": 16}])
def test_a_server_whose_clock_is_not_set_gives_no_time(wrong: dict[str, int]) -> None:
    reading = compared(lambda question: [told(question, 5.0, **wrong)])
    assert (reading.fault, reading.offset_s) == (ClockFault.NOT_SET, None)


def test_answers_to_other_questions_broken_ones_and_questions_are_passed_over() -> None:
    reading = compared(
        lambda question: [
            b"short",
            told(question, 900.0, origin=7),
            told(question, 900.0, mode=3),
            told(question, 1.0),
        ]
    )
    assert reading.offset_s is not None
    assert reading.uncertainty_s is not None
    assert abs(reading.offset_s - 1.0) <= reading.uncertainty_s


def test_a_packet_that_is_lost_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_servers, "TIMEOUT_S", 2.0)
    seen: list[bytes] = []

    def deaf_once(question: bytes) -> list[bytes]:
        seen.append(question)
        return [told(question)] if len(seen) > 1 else []

    assert compared(deaf_once).fault is None
    assert len(seen) == 2


def test_a_silent_server_is_given_up_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_servers, "TIMEOUT_S", 0.05)
    assert compared(lambda _: []).fault is ClockFault.NO_ANSWER


def test_a_name_without_address_is_said() -> None:
    with NameServer({}) as server:
        (reading,) = compare(["time.example"], NameResolver([server.place]))
    assert reading.fault is ClockFault.UNKNOWN_NAME


@pytest.mark.usefixtures("processes")
def test_a_crawl_compares_with_the_servers_that_the_operator_named() -> None:
    text = page("渡口", own_text(1))
    with serving(lambda question: [told(question, 5.0)]) as place, WebServer({"/": text}) as site:
        crawled = crawl(plan_of(site.url("/"), obey_robots=False), settings_of(site.netloc, time_servers=(place,)))
    [(fetched, _)] = crawled.store.versions.values()
    (reading,) = fetched.capture.machine.clock
    assert (reading.server, reading.fault) == (place, None)
    assert reading.offset_s is not None
    assert reading.uncertainty_s is not None
    assert abs(reading.offset_s - 5.0) <= reading.uncertainty_s
