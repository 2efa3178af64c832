"""Reading goes on beside the crawl, and says of a page what reading it at once says."""

import asyncio

import pytest

from core.errors import BadConfiguration
from core.pages import Reading
from crawler.opening import Rejected
from crawler.page_reader import PageReader, WholePage
from crawler.reading import read_page
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


def test_links_and_text_are_those_of_reading_it_at_once() -> None:
    ((page,), _) = read(PAGE)
    assert page.links is not None
    assert page.links.next_pages == ("http://a.example/2.html",)
    assert page.reading == read_page(PAGE, HEADERS, URL)
    assert page.seconds > 0


def test_what_is_no_page_is_a_refusal_and_a_rule_that_is_none_an_error() -> None:
    ((page,), _) = read(b"%PDF-1.7 ...")
    assert isinstance(page.reading, Rejected)
    with pytest.raises(BadConfiguration):
        read(PAGE, body_selector="p[[")


def test_other_pages_are_read_while_a_slow_one_is() -> None:
    (pages, order) = read(SLOW, PAGE, PAGE)
    assert all(isinstance(page.reading, Reading) for page in pages)
    assert order[-1] == 0


def test_the_loop_goes_on_while_a_page_is_read() -> None:
    async def run() -> int:
        reader, ticks = PageReader(plan_of(URL)), 0
        task = asyncio.ensure_future(reader.read(SLOW, HEADERS, URL, is_kept=True))
        while not task.done():
            await asyncio.sleep(0)
            ticks += 1
        reader.close()
        return ticks

    assert asyncio.run(run()) > 10
