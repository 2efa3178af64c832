"""A process reads for a crawl, tells it what it needs, and dies without taking a page, a neighbour or it along."""

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from threading import Event

import pytest

from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable, UnreadableFile
from core.obfuscations import Obfuscation
from core.pages import Reading
from core.wording import Message
from crawler.fetching.resources import ResourceKind
from crawler.opening import Rejected
from crawler.readers import reading_process
from crawler.readers.messages import Call
from crawler.readers.pages import PageToRead, SinglePage, WholePage
from crawler.readers.reading_process import MAX_SECONDS, GivenUp, ReadingProcess
from crawler.readers.worker import ReadingSession
from crawler.reading import read_page
from crawler.sources.feeds import parse_feed_or_urls
from tests.crawler.crawl_process import finish, plan_of, settings_of, start
from tests.crawler.texts import own_text
from tests.support.hostile_tasks import (
    Backtrack,
    Devour,
    Die,
    Echo,
    EndlessPage,
    Foreign,
    Refuse,
    Spin,
    Stumble,
    StumblingPage,
    Swell,
)
from tests.support.web_server import Answer, Routes, WebServer
from tests.support.web_server import page as web_page

pytestmark = pytest.mark.usefixtures("processes")

URL = "http://a.example/1.html"
HEADERS = {"Content-Type": "text/html"}
LINK = "<a href='2.html'>下一页</a>"
# Pieces with a class between characters: the style sheet decides what is seen.
STRANGE = "<link rel=stylesheet href=/s.css>" + own_text(1).replace("，", "，<i class=x>乱</i>")


def page(body: str, url: str = URL) -> PageToRead:
    return PageToRead(f"<html><head><title>渡口</title></head><body>{body}</body></html>".encode(), HEADERS, url, True)


class Asked:
    """Resources that remember what was asked of them, and keep the page waiting for an answer where they are to."""

    def __init__(self, sheet: bytes, *, keeps_waiting: bool = False) -> None:
        self.sheet = sheet
        self.addresses: SimpleQueue[str] = SimpleQueue()
        self.may_answer = Event()
        if not keeps_waiting:
            self.may_answer.set()

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        self.addresses.put(url)
        self.may_answer.wait(60)
        return self.sheet if kind is ResourceKind.STYLE else None


@contextmanager
def reading(
    folder: Path | None = None, asked: Asked | None = None, max_seconds: float = MAX_SECONDS, **changes: object
) -> Iterator[ReadingProcess]:
    with ReadingProcess(plan_of(URL, **changes), folder, max_seconds=max_seconds) as process:
        yield process
        if asked is not None:
            asked.may_answer.set()


def result(process: ReadingProcess, wanted: PageToRead, asked: Asked | None = None) -> WholePage:
    found = process.submit(wanted, asked or Asked(b"")).result(60)
    assert isinstance(found, WholePage)
    return found


class Killing:
    """Resources that kill the process which asks for them, so many times."""

    def __init__(self, process: ReadingProcess, times: int) -> None:
        self._process, self._times = process, times

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if self._times:
            self._times -= 1
            assert self._process.pid is not None
            os.kill(self._process.pid, signal.SIGKILL)
        return b".x{display:none}" if kind is ResourceKind.STYLE else None


@pytest.mark.usefixtures("reader_from_nothing")
def test_a_process_says_of_a_page_what_reading_it_here_says() -> None:
    desk = ReadingSession(plan_of(URL))
    with reading() as process:
        for body in (own_text(1) + LINK, "<p>太短</p>", "<div style='display:none'>藏</div>" + own_text(3)):
            there, here = result(process, page(body)), page(body).run(desk)
            assert (there.links, there.reading, there.outline) == (here.links, here.reading, here.outline)
            assert there.seconds > 0
        alone = SinglePage(page(own_text(1)).body, HEADERS, URL)
        assert process.run_task(alone) == read_page(alone.body, HEADERS, URL)
    desk.close()


def test_a_rule_that_is_none_is_the_same_error_as_here() -> None:
    with reading(body_selector="p[[") as process, pytest.raises(BadConfiguration, match="neither a CSS selector"):
        result(process, page(own_text(1)))


def test_errors_of_ours_come_as_they_are_and_over_others_no_page_is_lost() -> None:
    with ReadingProcess() as process:
        with pytest.raises(UnreadableFile) as caught:
            process.run_task(Refuse("a.epub"))
        assert (caught.value.path, caught.value.reason) == ("a.epub", Message("archive.none"))
        with pytest.raises(BrokenInvariant, match="LookupError: no such thing"):
            process.run_task(Stumble("a.epub"))
        assert "清晨的雾还没有散尽" in process.run_task(StumblingPage(own_text(1).encode(), HEADERS, URL)).text


def test_what_a_page_refers_to_is_fetched_by_the_crawl() -> None:
    asked = Asked(b".x{display:none}")
    with reading() as process:
        found = result(process, page(STRANGE), asked).reading
    assert "乱" not in found.text
    assert asked.addresses.get(timeout=60) == "http://a.example/s.css"


@pytest.mark.usefixtures("reader_from_nothing")
def test_nothing_of_the_operators_environment_reaches_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZHUIWEN_SECRET_KEY", "kept-at-home")
    with reading() as process:
        process.run_task(Echo(URL))
        assert b"kept-at-home" not in Path(f"/proc/{process.pid}/environ").read_bytes()


@pytest.mark.usefixtures("reader_from_nothing")
def test_a_page_whose_process_is_killed_is_read_by_the_next_as_are_the_others() -> None:
    with reading() as process:
        strange = process.submit(page(STRANGE), Killing(process, times=1))
        others = [process.submit(page(own_text(number))) for number in (1, 2)]
        assert "乱" not in strange.result(60).reading.text
        assert all(isinstance(each.result(60).reading, Reading) for each in others)


def test_a_page_that_kills_the_process_twice_is_read_by_its_plain_markup() -> None:
    with reading() as process:
        strange = process.submit(page(STRANGE, "http://a.example/strange"), Killing(process, times=2))
        others = [process.submit(page(own_text(number))) for number in range(3)]
        read = strange.result(60)
        assert isinstance(read.reading, Reading)
        assert "清晨的雾还没有散尽" in read.reading.text
        assert [found.kind for found in read.reading.obfuscations] == [Obfuscation.SLOW_PARTS]
        assert [fault.code for fault in read.faults] == ["page.slow-parts"]
        assert all(isinstance(each.result(60).reading, Reading) for each in others)


def test_a_file_that_ends_the_process_is_given_up() -> None:
    book = PageToRead(b"PK\x03\x04", HEADERS, "http://a.example/1.zip", True)
    read = book.simplify(Message("page.crashed")).run(ReadingSession(plan_of(URL)))  # type: ignore[union-attr]
    assert isinstance(read.reading, Rejected)
    assert str(read.reading.message).startswith("http://a.example/1.zip could not be read: reading it crashed")


@pytest.mark.parametrize(
    ("hostile", "why"),
    [
        (Spin("a"), "longer than 2 s"),
        (Backtrack("a"), "longer than 2 s"),
        (Devour("a"), "more than 680 MB of memory"),
        (Die("a"), "crashed the reading process"),
    ],
)
def test_what_takes_too_long_or_too_much_is_given_up_and_its_neighbours_are_read(hostile: Spin, why: str) -> None:
    with ReadingProcess(max_seconds=2.0) as process:
        before = process.submit(Echo("before"))
        given_up = process.submit(hostile)
        surroundings = [process.submit(Echo(f"{number}")) for number in range(5)]
        with pytest.raises(GivenUp, match=why):
            given_up.result(60)
        assert before.result(60) == "before"
        assert [each.result(60) for each in surroundings] == [f"{number}" for number in range(5)]


def test_a_page_that_takes_too_much_cpu_is_dropped_and_the_next_one_is_read() -> None:
    with ReadingProcess(plan_of(URL), max_cpu_s=1.0) as process:
        endless = process.submit(EndlessPage(b"", HEADERS, "http://a.example/endless"))
        after = process.submit(page(STRANGE), Asked(b".x{display:none}"))
        with pytest.raises(GivenUp, match=r"/endless could not be read: reading it took more than 1 s of CPU time"):
            endless.result(60)
        assert isinstance(after.result(60).reading, Reading)


def test_an_answer_beyond_all_measure_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_process, "MAX_ANSWER_BYTES", 100_000)
    with ReadingProcess() as process:
        with pytest.raises(GivenUp):
            process.run_task(Swell("a", 1_000_000))
        assert len(process.run_task(Swell("a", 1_000))) == 1_000


def test_time_in_which_a_page_waits_for_the_crawl_is_not_its_own() -> None:
    """Its own is far below the limit, and the crawl keeps it waiting far beyond."""
    asked = Asked(b".x{display:none}", keeps_waiting=True)
    with reading(asked=asked, max_seconds=8.0) as process:
        result(process, page(own_text(1)))  # whatever is loaded with the first page is there
        strange = process.submit(page(STRANGE), asked)
        asked.addresses.get(timeout=60)
        with pytest.raises(TimeoutError):
            strange.result(10)
        asked.may_answer.set()
        assert isinstance(strange.result(60).reading, Reading)


def test_a_feed_of_nested_elements_is_given_up() -> None:
    nested = Call(
        "http://a.example/feed",
        parse_feed_or_urls,
        (b"<rss version='2.0'><channel>" + b"<a>" * 500_000, "text/xml", ""),
    )
    with ReadingProcess(max_cpu_s=1.0) as process, pytest.raises(GivenUp, match="more than 1 s of CPU time"):
        process.run_task(nested)


@pytest.mark.usefixtures("reader_from_nothing")
def test_a_feed_that_is_given_up_is_counted_and_the_crawl_goes_on() -> None:
    """A feed that takes a minute to read; whoever reads it is killed as the limits would kill it."""
    items = "".join(f"<item><link>/{number}</link></item>" for number in range(3))
    routes: Routes = {f"/{number}": web_page("文", own_text(number)) for number in range(3)}
    routes["/good"] = Answer(
        f"<rss version='2.0'><channel><title>文</title>{items}</channel></rss>".encode(), "text/xml"
    )
    routes["/bad"] = Answer(b"<rss version='2.0'><channel>" + b"<a>" * 1_200_000, "text/xml")
    with WebServer(routes) as site:
        plan = plan_of("", kind="feed", obey_robots=False)
        plan = replace(plan, start_urls=(site.url("/bad"), site.url("/good")))
        process, pipe = start(plan, settings_of(site.netloc, max_body_bytes=8_000_000))
        while not pipe.poll(0.1):
            _kill_those_who_take_long(process.pid or 0)
        crawled = finish(process, pipe)
    assert crawled.counts.rejected == {"unreadable": 1}, crawled.counts
    assert crawled.counts.stored == 3
    assert "/bad could not be read: reading it crashed the reading process twice" in str(crawled.counts.faults[0])


def test_closing_leaves_no_page_waiting_and_no_process() -> None:
    asked = Asked(b"", keeps_waiting=True)
    with reading(asked=asked) as process:
        strange = process.submit(page(STRANGE), asked)
        asked.addresses.get(timeout=60)
        pid = process.pid
        process.close()
        assert not Path(f"/proc/{pid}").exists()
        asked.may_answer.set()
        with pytest.raises(CancelledError):
            strange.result(60)


@pytest.mark.usefixtures("reader_from_nothing")
def test_where_no_process_starts_whoever_asks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with ReadingProcess() as process:
        for _ in range(2):
            with pytest.raises(ServiceUnavailable, match="the process that reads pages"):
                process.run_task(Echo(URL))


def test_a_plan_that_no_process_can_load_is_no_fault_of_a_page() -> None:
    with ReadingProcess(Foreign(URL)) as process:  # type: ignore[arg-type]
        for _ in range(2):
            with pytest.raises(ServiceUnavailable, match="the process that reads pages"):
                process.run_task(Echo(URL))


def test_a_task_that_the_process_cannot_load_is_given_up() -> None:
    with ReadingProcess() as process, pytest.raises(GivenUp, match="crashed the reading process twice"):
        process.run_task(Foreign(URL))


def _kill_those_who_take_long(crawl: int) -> None:
    """End the crawl's readers that used three seconds of a processor; to start takes less than one."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            is_reader = b"crawler.readers.worker" in (folder / "cmdline").read_bytes()
        except OSError:
            continue
        seconds = int(fields[11]) / os.sysconf("SC_CLK_TCK")
        if is_reader and int(fields[1]) == crawl and seconds > 3:
            os.kill(int(folder.name), signal.SIGKILL)
