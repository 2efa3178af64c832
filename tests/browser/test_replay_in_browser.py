"""A bundle of a real crawl plays back in ReplayWeb.page: page and style sheet, with every other host out of reach.

The player is no dependency: `npm pack replaywebpage`, unpack it, and name the folder that has ui.js and sw.js.
"""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, sync_playwright

from bundles import bundle
from crawler.browsing.chromium import find_chromium
from tests.crawler.crawl_process import crawl, plan_of, settings_of
from tests.crawler.texts import own_text
from tests.support.browser import ARGUMENTS, DEADLINE_MS
from tests.support.evidence_samples import finding
from tests.support.memory_pages import MemoryPageStore
from tests.support.web_server import Answer, Routes, WebServer, page
from webadmin.evidence.services.material import page_capture

VARIABLE = "ZHUIWEN_TEST_REPLAYWEBPAGE"
PLAYER = Path(os.environ.get(VARIABLE) or "/nowhere")
COLOR, STYLE = "rgb(1, 2, 3)", b"#chapter {color: rgb(1, 2, 3)} .hidden {display: none}"
INDEX = """<!doctype html><meta charset="utf-8"><script src="/ui.js"></script>
<replay-web-page source="/page.wacz" url="{url}" replaybase="/replay/" embed="replayonly"></replay-web-page>"""

pytestmark = [
    pytest.mark.skipif(not (PLAYER / "ui.js").is_file(), reason=f"{VARIABLE} names no package replaywebpage"),
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium: install Debian's chromium-headless-shell"),
    pytest.mark.usefixtures("browsers", "loopback", "processes"),
]


@pytest.fixture(scope="module")
def chromium() -> None:
    """None of the desk's: this one must reach a single port."""


@pytest.fixture(autouse=True)
def no_windows_left() -> None:
    """The window goes with its browser."""


@pytest.fixture
def bundled() -> tuple[str, bytes]:
    """The address of a page that was crawled, whose site is gone since, and its bundle."""
    body = f'<link rel="stylesheet" href="/look.css"><div id="chapter"><h1>第七章 渡口</h1>{own_text(7)}</div>'
    routes = {"/7": page("渡口", body), "/look.css": Answer(STYLE, content_type="text/css")}
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url("/7"), obey_robots=False), settings_of(site.netloc))
        url = site.url("/7")
    store = MemoryPageStore()
    [(fetched, reading)] = crawled.store.versions.values()
    version = store.version(store.put(fetched, reading).version_id)
    assert version is not None
    return url, bundle.make(page_capture(version, store), finding(passages=()), made_at=datetime.now(UTC)).content


@pytest.fixture
def player(bundled: tuple[str, bytes]) -> Iterator[WebServer]:
    """The player and the bundle, and nothing else."""
    url, content = bundled
    own = {name: Answer((PLAYER / name).read_bytes(), "text/javascript") for name in ("ui.js", "sw.js")}
    frame = Answer((PLAYER / "index.html").read_bytes())  # asked for here where its worker is not at work yet

    def of_the_player(path: str) -> Answer:
        name = path.partition("?")[0].removeprefix("/replay/")  # with queries of its own
        return frame if name == "" else own.get(name, Answer(status=404))

    routes: Routes = {
        "/": Answer(INDEX.format(url=url).encode()),
        "/ui.js": own["ui.js"],
        "/page.wacz": Answer(content, "application/wacz"),
    }
    with WebServer(routes) as server:
        server.fallback = of_the_player
        yield server


@pytest.fixture
def window(player: WebServer) -> Iterator[Page]:
    """A window of a browser for which there is one port in the world."""
    alone = [f"--proxy-bypass-list=<-loopback>;{player.netloc}", "--proxy-server=http://127.0.0.1:9"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(find_chromium()),
            args=[*ARGUMENTS, *alone, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        yield browser.new_page()
        browser.close()


def test_page_and_style_sheet_play_back_offline(bundled: tuple[str, bytes], player: WebServer, window: Page) -> None:
    url, _ = bundled
    asked: list[str] = []
    window.context.on("request", lambda request: asked.append(request.url))
    window.goto(player.url("/"))
    frame = replayed(window, url)
    frame.wait_for_selector("#chapter", timeout=DEADLINE_MS)
    assert frame.inner_text("h1") == "第七章 渡口"
    assert own_text(7)[3:40] in frame.content()
    assert frame.eval_on_selector("#chapter", "each => getComputedStyle(each).color") == COLOR
    elsewhere = [each for each in asked if not each.startswith((player.url("/"), "data:", "blob:", "about:"))]
    assert elsewhere == []


def replayed(window: Page, url: str) -> Frame:
    """The frame in which the player shows an address."""
    pattern = re.compile(rf"/replay/w/.*mp_/{re.escape(url)}$")
    for _ in range(DEADLINE_MS // 100):
        found = next((each for each in window.frames if pattern.search(each.url)), None)
        if found is not None:
            return found
        window.wait_for_timeout(100)
    raise AssertionError([each.url for each in window.frames])
