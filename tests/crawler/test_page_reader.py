"""Reading goes on beside the crawl, and says of a page what reading it at once says."""

import asyncio
from functools import partial

import pytest

from core.pages import Reading
from crawler import page_reader
from crawler.page_reader import PageReader
from crawler.readers.pages import WholePage
from crawler.readers.reading_process import ReadingProcess
from crawler.stats import SLOW_RULES
from tests.crawler.crawl_process import plan_of
from tests.crawler.texts import own_text

pytestmark = pytest.mark.usefixtures("processes")

URL = "http://a.example/1.html"
HEADERS = {"Content-Type": "text/html"}
PAGE = f"<html><head><title>渡口</title></head><body>{own_text(1)}<a href='2.html'>下一页</a></body></html>".encode()
# Many elements that may each be hidden: seconds for whoever reads it.
SLOW = (f"<style>{'.a b{color:red}' * 300}</style>" + "<div class=a><b>字</b></div>" * 4_000 + own_text(2)).encode()


def read(*bodies: bytes, **changes: object) -> tuple[list[WholePage], list[int]]:
    """All of them at the same time; and in which order they came, by number."""
    order: list[int] = []

    async def run() -> list[WholePage]:
        reader = PageReader(plan_of(URL, **changes))

        async def one(number: int, body: bytes) -> WholePage:
            page = await reader.read(body, HEADERS, URL, is_kept=True)
            order.append(number)
            return page

        try:
            return await asyncio.gather(*(one(number, body) for number, body in enumerate(bodies)))
        finally:
            reader.close()

    return asyncio.run(run()), order


def test_other_pages_are_read_while_a_slow_one_is() -> None:
    (pages, order) = read(SLOW, PAGE, PAGE)
    assert all(isinstance(page.reading, Reading) for page in pages)
    assert order[-1] == 0


def test_a_rule_that_is_slow_on_pages_is_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would not end within minutes; each page is read without it all the same."""
    monkeypatch.setattr(page_reader, "MAX_SLOW_PAGES", 1)
    monkeypatch.setattr(page_reader, "ReadingProcess", partial(ReadingProcess, max_cpu_s=1.0))
    body = (PAGE.decode() + "<p>字</p>" * 3_000).encode()

    async def run() -> list[WholePage]:
        reader = PageReader(plan_of(URL, body_selector="p ~ p ~ p"))
        try:
            return [await reader.read(body, HEADERS, URL, is_kept=True) for _ in range(2)]
        finally:
            reader.close()

    first, second = asyncio.run(run())
    assert [fault.code for fault in first.faults] == [SLOW_RULES]
    assert (first.has_slow_rules, second.has_slow_rules, second.faults) == (True, False, ())
    for page in (first, second):
        assert isinstance(page.reading, Reading)
        assert page.reading.text.startswith(own_text(1).splitlines()[0][:10].replace("<p>", ""))
