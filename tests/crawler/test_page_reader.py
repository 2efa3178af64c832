"""Rules that are slow on pages are left out by the reader of a crawl."""

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
