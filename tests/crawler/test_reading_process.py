"""A process reads as threads do, tells the crawl what it needs, and dies without taking a page or the crawl along."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from threading import Event

import pytest

from core.errors import BadConfiguration, ServiceUnavailable
from core.pages import Reading
from core.states import Rejection
from crawler.fetching.resources import ResourceKind
from crawler.main_text.templates import FILE_NAME
from crawler.page_reader import PageReader
from crawler.readers.reading_process import MAX_SILENCE_S, ReadingProcess
from crawler.readers.reading_threads import PageToRead, ReadingThreads, WholePage
from crawler.reading import Rejected
from tests.crawler.crawl_process import plan_of
from tests.crawler.texts import own_text

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
    folder: Path | None = None, asked: Asked | None = None, max_silence_s: float = MAX_SILENCE_S, **changes: object
) -> Iterator[ReadingProcess]:
    resources, is_ready = asked or Asked(b""), Event()
    process = ReadingProcess(plan_of(URL, **changes), folder, lambda url: resources, is_ready.set, max_silence_s)
    assert is_ready.wait(60)
    try:
        yield process
    finally:
        resources.may_answer.set()
        process.close()


def result(process: ReadingProcess, wanted: PageToRead) -> WholePage:
    return process.submit(wanted).result(60)


def killed_at_the_sheet_of(process: ReadingProcess, asked: Asked) -> None:
    """Kill the process once a page waits for its style sheet."""
    asked.addresses.get(timeout=60)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)


def test_a_process_says_of_a_page_what_threads_say() -> None:
    threads = ReadingThreads(plan_of(URL))
    with reading() as process:
        for body in (own_text(1) + LINK, "<p>太短</p>", "<div style='display:none'>藏</div>" + own_text(3)):
            there, here = result(process, page(body)), threads.submit(page(body)).result(60)
            assert (there.links, there.reading, there.outline) == (here.links, here.reading, here.outline)
            assert there.seconds > 0
    threads.close()


def test_a_rule_that_is_none_is_the_same_error_as_in_threads() -> None:
    with reading(body_selector="p[[") as process, pytest.raises(BadConfiguration, match="neither a CSS selector"):
        result(process, page(own_text(1)))


def test_what_a_page_refers_to_is_fetched_by_the_crawl() -> None:
    asked = Asked(b".x{display:none}")
    with reading(asked=asked) as process:
        found = result(process, page(STRANGE)).reading
    assert isinstance(found, Reading)
    assert "乱" not in found.text
    assert asked.addresses.get(timeout=60) == "http://a.example/s.css"


def test_nothing_of_the_operators_environment_reaches_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZHUIWEN_SECRET_KEY", "kept-at-home")
    with reading() as process:
        assert b"kept-at-home" not in Path(f"/proc/{process.pid}/environ").read_bytes()


def test_what_is_learnt_of_a_site_is_kept(tmp_path: Path) -> None:
    with reading(tmp_path) as process:
        result(process, page(own_text(1)))
    assert (tmp_path / FILE_NAME).exists()


def test_a_page_whose_process_is_killed_is_read_by_the_next_as_are_the_others() -> None:
    asked = Asked(b".x{display:none}", keeps_waiting=True)
    with reading(asked=asked) as process:
        strange, *others = [process.submit(each) for each in (page(STRANGE), page(own_text(1)), page(own_text(2)))]
        killed_at_the_sheet_of(process, asked)
        asked.may_answer.set()
        assert all(isinstance(each.result(60).reading, Reading) for each in (strange, *others))


def test_a_page_that_ends_the_process_twice_is_given_up_and_no_other() -> None:
    asked = Asked(b"", keeps_waiting=True)
    with reading(asked=asked) as process:
        strange = process.submit(page(STRANGE, "http://a.example/strange"))
        others = [process.submit(page(own_text(number))) for number in range(3)]
        killed_at_the_sheet_of(process, asked)
        killed_at_the_sheet_of(process, asked)
        given_up = strange.result(60).reading
        assert isinstance(given_up, Rejected)
        assert given_up.reason is Rejection.UNREADABLE
        assert "http://a.example/strange" in given_up.sentence
        assert all(isinstance(each.result(60).reading, Reading) for each in others)


def test_a_page_that_keeps_the_process_silent_is_given_up() -> None:
    asked = Asked(b"", keeps_waiting=True)
    with reading(asked=asked, max_silence_s=0.5) as process:
        given_up = result(process, page(STRANGE)).reading
    assert isinstance(given_up, Rejected)
    assert given_up.reason is Rejection.UNREADABLE


def test_closing_leaves_no_page_waiting_and_no_process() -> None:
    asked = Asked(b"", keeps_waiting=True)
    with reading(asked=asked) as process:
        strange = process.submit(page(STRANGE))
        asked.addresses.get(timeout=60)
        pid = process.pid
        process.close()
        assert strange.done()  # without the sheet, or given up
    assert not Path(f"/proc/{pid}").exists()


def test_where_no_process_starts_threads_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    process = ReadingProcess(plan_of(URL), None, lambda url: Asked(b""), lambda: None)
    with pytest.raises(ServiceUnavailable):
        result(process, page(own_text(1)))
    process.close()
    assert all(isinstance(each.reading, Reading) for each in read_by_crawl(4, pages_to_wait=0)[0])


def test_a_crawl_whose_pages_wait_for_readers_gets_a_process_and_another_does_not() -> None:
    pages, had_process = read_by_crawl(30, pages_to_wait=5, awaits_process=True)
    assert had_process
    assert [each.reading.text for each in pages if isinstance(each.reading, Reading)] == [
        each.reading.text for each in read_by_crawl(30, pages_to_wait=1_000)[0] if isinstance(each.reading, Reading)
    ]
    assert not read_by_crawl(30, pages_to_wait=1_000)[1]


def read_by_crawl(number: int, pages_to_wait: int, *, awaits_process: bool = False) -> tuple[list[WholePage], bool]:
    """So many pages, all at once, and once more when a process has taken over; whether one did."""

    async def run() -> tuple[list[WholePage], bool]:
        reader = PageReader(plan_of(URL), pages_to_wait)
        bodies = [page(own_text(each)).body for each in range(number)]
        try:
            first = await asyncio.gather(*(reader.read(body, HEADERS, URL, is_kept=True) for body in bodies))
            while awaits_process and not reader.has_process:
                await asyncio.sleep(0.01)
            second = await asyncio.gather(*(reader.read(body, HEADERS, URL, is_kept=True) for body in bodies))
            return [*first, *second], reader.has_process
        finally:
            reader.close()

    return asyncio.run(run())
