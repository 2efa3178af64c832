"""Pages that scripts make, loaded in a real Chromium; and what such pages try to reach."""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest

from core.politeness import BrowserMode, Politeness
from core.settings import CrawlSettings
from crawler.browsing.chromium import find_chromium, has_sandbox, may_be_run, missing_browser
from crawler.middlewares.browser_requests import SHELLS_THAT_DECIDE
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import SIMPLIFIED, own_text
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

pytestmark = [
    pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="the extra browser is not installed"),
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium: install Debian's chromium-headless-shell"),
    pytest.mark.usefixtures("browsers"),
]
AUTO, ALWAYS = Politeness(browser=BrowserMode.AUTO), Politeness(browser=BrowserMode.ALWAYS)


def _shell(script: str) -> Answer:
    return page("脚本", f"<div id=app></div><script>{script}</script>")


def _writes(number: int) -> str:
    """A script that puts a chapter together, so that nothing but running it in a browser shows what it says."""
    return _written(f"<h1>第{number}章</h1>{own_text(number)}")


def _written(markup: str) -> str:
    codes = json.dumps([ord(char) + 1 for char in markup])
    one = "Math.sign(document.documentElement.clientWidth)"
    said = f"{codes}.map(function (code) {{ return String.fromCharCode(code - {one}); }}).join('')"
    return f"document.getElementById('app').innerHTML = {said};"


def test_a_page_that_scripts_write_is_read_in_the_browser_and_a_plain_one_is_not() -> None:
    routes: Routes = {
        "/": page("目录", '<a href="/p/1">第一</a><a href="/p/2">第二</a>'),
        "/p/1": _shell(_writes(1)),
        "/p/2": page("第二", own_text(2)),
    }
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url(), politeness=AUTO), settings_of(site.netloc))
        assert crawled.counts.stored == 2, crawled.counts
        assert SIMPLIFIED[0] in crawled.reading("/p/1").text
        assert site.requested.count("/p/2") == 1
        assert site.requested.count("/p/1") == 2


def test_chromium_has_neither_roots_rights_nor_the_secrets_of_the_installation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ZHUIWEN_SECRET_KEY", "geheim")
    seen: list[tuple[int, bool, list[str]]] = []

    def looked(path: str) -> Answer:
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if process.name().startswith(("chrom", "headless")):
                    is_told = "ZHUIWEN_SECRET_KEY" in process.environ()
                    seen.append((process.uids().effective, is_told, process.cmdline()))
        return _shell(_writes(1))

    with WebServer({"/": looked}) as site:
        crawled = crawl(plan_of(site.url(), politeness=ALWAYS), settings_of(site.netloc))
        assert crawled.counts.stored == 1, crawled.counts
    assert seen
    assert not any(user == 0 or is_told for user, is_told, _ in seen)
    assert any("--no-sandbox" in command for *_, command in seen) is not has_sandbox()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is put aside")
def test_a_chromium_that_only_root_may_run_is_refused_with_what_to_do(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(0o700)
    chromium = closed / "chromium"
    shutil.copy("/bin/true", chromium)
    assert may_be_run(Path("/bin/true"))
    missing = missing_browser(CrawlSettings(chromium=str(chromium)))
    assert f"as root, Chromium runs as nobody, who cannot execute {chromium}" in str(missing)


def test_a_site_of_scripts_is_not_asked_twice_for_each_page() -> None:
    count = SHELLS_THAT_DECIDE + 3
    links = "".join(f'<a href="/p/{number}">第{number}</a>' for number in range(count))
    routes: Routes = {f"/p/{number}": _shell(_writes(number)) for number in range(count)}
    routes["/"] = _shell(_written(links))
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url(), politeness=AUTO, concurrency=1), settings_of(site.netloc))
        assert crawled.counts.stored == count, crawled.counts
        asked = sum(path.startswith("/p/") for path in site.requested)
        assert asked == count + SHELLS_THAT_DECIDE - 1


def test_pictures_films_and_fonts_are_not_loaded() -> None:
    body = (
        '<img src="/a.png"><video src="/b.mp4" autoplay></video>'
        "<style>@font-face {font-family: x; src: url(/c.woff2)} body {font-family: x}</style>"
    )
    body += "".join(own_text(number) for number in range(3))  # of a page with little text the pictures are looked at
    with WebServer({"/": page("图", body)}) as site:
        assert crawl(plan_of(site.url(), politeness=ALWAYS), settings_of(site.netloc)).counts.stored == 1
        assert not {"/a.png", "/b.mp4"} & set(site.requested)
        # The reading may ask for the font to see what its glyphs show, through the crawl's own downloader.
        assert "Sec-Fetch-Dest" in site.headers["/"]
        assert "Sec-Fetch-Dest" not in site.headers.get("/c.woff2", {})


@pytest.fixture
def inside(loopback: None) -> Iterator[WebServer]:
    """A service of the operator's own network."""
    with WebServer({"/secret": page("内部", own_text(50))}) as server:
        yield server


ATTACKS = (
    "fetch('URL')",
    "location.href = 'URL'",
    "document.body.appendChild(Object.assign(document.createElement('iframe'), {src: 'URL'}))",
    "document.body.appendChild(Object.assign(document.createElement('script'), {src: 'HOP'}))",
    "location.href = 'HOP'",
    "new WebSocket('URL'.replace('http', 'ws'))",
    "navigator.sendBeacon('URL')",
    "fetch('URL'.replace('127.0.0.1', '2130706433'))",
    "fetch('URL'.replace('127.0.0.1', '[::ffff:127.0.0.1]'))",
    "fetch('URL'.replace('127.0.0.1', 'localhost'))",
    "window.open('URL')",
)


def test_no_script_reaches_the_operators_network(inside: WebServer) -> None:
    pages = [f"/p/{number}" for number in range(len(ATTACKS))]
    hops = {f"/hop/{number}" for number, attack in enumerate(ATTACKS) if "HOP" in attack}
    routes: Routes = {"/": page("目录", "".join(f'<a href="{path}">{path}</a>' for path in pages))}
    for number, attack in enumerate(ATTACKS):
        secret, hop = inside.url(f"/secret/{number}"), f"/hop/{number}"
        script = attack.replace("URL", secret).replace("HOP", hop)
        routes[f"/p/{number}"] = page(f"攻击{number}", f"{own_text(number)}<script>{script}</script>")
        routes[hop] = redirect(secret)
    with WebServer(routes) as site:
        crawl(plan_of(site.url(), politeness=ALWAYS, concurrency=2), settings_of(site.netloc))
        assert set(pages) <= set(site.requested)
        assert hops <= set(site.requested), "scripts run"
        assert inside.requested == []


def test_what_never_ends_swells_or_leads_inside_is_refused_and_the_rest_read(inside: WebServer) -> None:
    routes: Routes = {
        "/": page("目录", "".join(f'<a href="{path}">页</a>' for path in ("/loop", "/large", "/hop", "/p/1"))),
        "/loop": page("转", "<script>while (true) {}</script>"),
        "/large": _shell("document.body.innerHTML = '<p>' + '渡口的风很大。'.repeat(200000) + '</p>'"),
        "/hop": redirect(inside.url("/secret")),
        "/p/1": page("好", own_text(1)),
    }
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url(), politeness=ALWAYS), settings_of(site.netloc, timeout_s=2.0))
        refused = {"no_answer": 1, "too_large": 1, "unsafe_address": 1, "no_main_text": 1}  # the last is the list
        assert crawled.counts.rejected == refused, crawled.counts
        assert crawled.has("/p/1")
        assert inside.requested == []
