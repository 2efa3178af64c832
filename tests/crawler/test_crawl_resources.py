"""A crawl fetches what a page cannot be read without, once, and nothing for pages that need nothing."""

import pytest

from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.web_server import Answer, WebServer

pytestmark = pytest.mark.usefixtures("processes")

LINE = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人，谁也不说话，只听见水声。"


def _page(body: str) -> Answer:
    head = '<meta charset="utf-8"><title>渡口</title><link rel="stylesheet" href="/css/read.css">'
    return Answer(f"<html><head>{head}</head><body>{body}</body></html>".encode())


def test_a_sheet_that_hides_is_fetched_once_for_a_site_and_undone_on_every_page() -> None:
    spoilt = "".join(f'{char}<i class="k">的</i>' if char in "雾渡等船" else char for char in LINE)
    index = '<a href="/1.html">第一章</a><a href="/2.html">第二章</a>'
    routes = {
        "/": _page(index),
        "/1.html": _page(f"<div><p>{spoilt}</p><p>{spoilt}</p></div>"),
        "/2.html": _page(f"<div><p>{LINE}</p><p>{spoilt}</p></div>"),
        "/css/read.css": Answer(b".k{display:none}", "text/css"),
    }
    with WebServer(routes) as server:
        crawled = crawl(plan_of(server.url("/"), concurrency=1), settings_of(server.netloc))
        assert server.requested.count("/css/read.css") == 1
    texts = {reading.text for _, reading in crawled.store.versions.values()}
    assert texts == {f"{LINE}\n{LINE}"}
    assert all("的雾的" in reading.raw_text for _, reading in crawled.store.versions.values())


def test_a_sheet_that_does_not_matter_is_fetched_once_at_most() -> None:
    routes = {
        "/": _page(f'{own_text(1)}<a href="/2">第二章</a>'),
        "/2": _page(own_text(2)),
        "/css/read.css": Answer(b"p{}"),
    }
    with WebServer(routes) as server:
        crawl(plan_of(server.url("/")), settings_of(server.netloc))
        assert server.requested.count("/css/read.css") <= 1


def test_what_was_fetched_to_read_a_page_is_kept_with_its_capture() -> None:
    spoilt = "".join(f'{char}<i class="k">的</i>' if char in "雾渡等船" else char for char in LINE)
    sheet = Answer(b".k{display:none}", "text/css")
    routes = {
        "/1.html": _page(f"<div><p>{spoilt}</p><p>{spoilt}</p></div><a href='/2.html'>第二章</a>"),
        "/2.html": _page(f"<div><p>{LINE}</p><p>{spoilt}</p></div>"),
        "/css/read.css": sheet,
    }
    with WebServer(routes) as server:
        crawled = crawl(plan_of(server.url("/1.html"), concurrency=1), settings_of(server.netloc))
        expected = [(server.url("/css/read.css"), "text/css", sheet.body)]
    assert len(crawled.store.versions) == 2
    for fetched, _ in crawled.store.versions.values():
        assert [(each.url, each.content_type, each.body) for each in fetched.capture.resources] == expected
