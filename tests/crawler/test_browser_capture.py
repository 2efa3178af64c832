"""Test what is recorded of a page that a real Chromium loads: its requests, their answers, and the DOM beside."""

import asyncio
import gzip
import json
import threading
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.captures import Capture, CaptureSource
from core.circumstances import BrowserProfile
from core.pages import Fetched
from core.politeness import BrowserMode, Politeness
from crawler.browsing.chromium import find_chromium
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.test_capture import RawServer, whole
from tests.crawler.texts import own_text
from tests.support.certificates import make_chain
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

pytestmark = [
    pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="the extra browser is not installed"),
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium: install Debian's chromium-headless-shell"),
    pytest.mark.usefixtures("browsers"),
]
PROFILE = BrowserProfile(datetime(2026, 3, 1, tzinfo=UTC), 0)
AUTO, ALWAYS = Politeness(browser=BrowserMode.AUTO), Politeness(browser=BrowserMode.ALWAYS)
_CODES = json.dumps([ord(char) + 1 for char in f"<h1>第七章</h1>{own_text(7)}"])
# So that nothing but running it in a browser shows the text.
_ONE = "Math.sign(document.documentElement.clientWidth)"
SCRIPTED = f"{_CODES}.map(function (code) {{ return String.fromCharCode(code - {_ONE}); }}).join('')"


def shell() -> Answer:
    return page(
        "脚本",
        '<link rel=stylesheet href="/look.css"><div id=app></div>'
        f"<script>document.getElementById('app').innerHTML = {SCRIPTED};</script>",
    )


def only(site: WebServer, path: str, politeness: Politeness) -> tuple[Fetched, Capture]:
    crawled = crawl(plan_of(site.url(path), politeness=politeness, obey_robots=False), settings_of(site.netloc))
    [(fetched, _)] = crawled.store.versions.values()
    assert fetched.capture is not None
    return fetched, fetched.capture


@pytest.mark.parametrize("politeness", [AUTO, ALWAYS])
def test_the_response_as_received_stands_beside_the_dom_that_was_read(politeness: Politeness) -> None:
    routes: Routes = {"/7": shell(), "/look.css": Answer(b"p {color: red}", content_type="text/css")}
    with WebServer(routes) as site:
        fetched, capture = only(site, "/7", politeness)
        received = routes["/7"].body  # type: ignore[union-attr]
    [own] = capture.exchanges
    assert capture.source is CaptureSource.BROWSER
    assert capture.made_with.startswith("Chromium ")
    assert own.body == received
    assert own.body != fetched.body
    assert "第七章".encode() in fetched.body
    assert "<h1>第七章".encode() not in received.partition(b"<script>")[0]
    assert own.request_head.startswith(b"GET /7 HTTP/1.1\r\n")
    assert b"HTTP/1.1 200" in own.response_head
    assert f"{own.server_address}:{own.server_port}" == site.netloc
    assert own.name_answer.addresses == ("127.0.0.1",)
    assert own.sent_at <= own.answered_at <= own.ended_at
    assert (own.way.source_address, own.way.interface) == ("127.0.0.1", "lo")
    assert capture.machine is not None
    assert capture.profile.begun_at <= own.sent_at
    assert (capture.profile.pages_before, capture.profile.is_from_cache) == (0, False)
    assert [(each.url, each.body) for each in capture.resources] == [(site.url("/look.css"), b"p {color: red}")]


def test_pages_of_one_browser_say_how_many_it_loaded_before() -> None:
    """They may be kept by caches for a day, and none comes out of the browser's own."""
    kept = {"Cache-Control": "public, max-age=86400"}
    pages = {f"/{n}": page(f"第{n}章", f"<p>{n}</p>{own_text(n)}") for n in (1, 2)}
    routes: Routes = {path: replace(each, headers=kept) for path, each in pages.items()}
    routes["/"] = page("目录", "<a href=/1>1</a><a href=/2>2</a>")
    with WebServer(routes) as site:
        plan = plan_of(site.url("/"), politeness=ALWAYS, obey_robots=False, concurrency=1)
        crawled = crawl(plan, settings_of(site.netloc))
    captures = [fetched.capture for fetched, _ in crawled.store.versions.values()]
    profiles = [each.profile for each in captures if each is not None and each.profile is not None]
    assert sorted(each.pages_before for each in profiles) == [1, 2]
    assert len({each.begun_at for each in profiles}) == 1
    assert {each.is_from_cache for each in profiles} == {False}


def test_redirects_and_scripts_that_lead_on_are_kept_in_their_order() -> None:
    routes: Routes = {
        "/a": redirect("/b"),
        "/b": page("走", "<script>location.replace('/c')</script>"),
        "/c": page("到", own_text(3)),
    }
    with WebServer(routes) as site:
        _, capture = only(site, "/a", ALWAYS)
        assert [each.url for each in capture.exchanges] == [site.url(path) for path in ("/a", "/b", "/c")]
    assert [each.status for each in capture.exchanges] == [302, 200, 200]


def test_cookies_and_logins_are_not_in_it() -> None:
    head = (
        b"HTTP/1.1 200 OK\r\nSet-Cookie: session=geheim; Path=/\r\nSet-Cookie: b=geheim\r\n"
        b"Content-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
    )
    body = f"<html><head><title>渡口</title></head><body>{own_text(1)}</body></html>".encode()
    with RawServer({"/": whole(head, gzip.compress(body))}) as server:
        crawled = crawl(plan_of(server.url("/"), politeness=ALWAYS, obey_robots=False), settings_of(server.netloc))
    [(fetched, _)] = crawled.store.versions.values()
    [own] = fetched.capture.exchanges
    assert b"geheim" not in repr(fetched.capture).encode()
    assert own.response_head.lower().count(b"set-cookie: ") == 2
    assert (own.body, own.body_digest, own.body_bytes) == (body, "", 0)


def test_the_certificates_that_the_server_showed_are_kept(tmp_path: Path) -> None:
    """With a browser that takes any certificate: the crawl's own asks for one that it trusts."""
    chain, taken = make_chain(tmp_path), list[Capture]()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

    async def look(server: RawServer) -> None:
        from playwright.async_api import async_playwright

        from crawler.browsing.page_capture import PageCapture

        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=str(find_chromium()), args=["--no-sandbox"])
            context = await browser.new_context(ignore_https_errors=True)
            opened = await context.new_page()
            taking = PageCapture(lambda host, port: None, 1_000_000, lambda: PROFILE)
            await taking.begin(opened)
            await opened.goto(server.url("/"))
            await taking.take(opened)
            await browser.close()
        assert taking.capture is not None
        taken.append(taking.capture)

    with RawServer({"/": whole(head, b"<p>x</p>")}, chain) as server:
        thread = threading.Thread(target=lambda: asyncio.run(look(server)))  # a test before may have left a loop
        thread.start()
        thread.join()
    [own] = taken[0].exchanges
    assert own.tls.protocol == "TLSv1.3"
    assert own.tls.certificates[0] == chain.sent[0]
    assert (own.server_address, own.server_port, own.name_answer) == ("", 0, None)
