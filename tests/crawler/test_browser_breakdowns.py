"""A browser that is killed, stopped or worn out in the midst of a crawl: no page is lost, and nothing of it stays."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.politeness import BrowserMode, Politeness
from crawler.browsing.chromium import find_chromium
from tests.crawler.crawl_process import Crawled, finish, plan_of, settings_of, start, wait_until
from tests.crawler.texts import own_text
from tests.support.web_server import Answer, Routes, WebServer, page

pytestmark = [
    pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="the extra browser is not installed"),
    pytest.mark.skipif(find_chromium() is None, reason="no Chromium: install Debian's chromium-headless-shell"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are not to be seen without /proc"),
    pytest.mark.usefixtures("browsers"),
]
ALWAYS = Politeness(browser=BrowserMode.ALWAYS)
PAGES = 4


class Browsers:
    """The browser processes below the crawl that is running."""

    def __init__(self) -> None:
        self.crawl = 0
        self.seen: set[int] = set()
        self.mains: list[int] = []  # the first process of each browser, in order

    def main(self) -> int:
        """The process that started the others."""
        found = self._below()
        (main,) = (browser for browser, parent in found.items() if parent not in found)
        return main

    def renderers(self) -> list[int]:
        """Those that show pages, and one that the browser holds ready."""
        return [browser for browser in self._below() if "--type=renderer" in _command(browser)]

    def look(self) -> None:
        found = self._below()
        self.mains += [
            browser for browser, parent in found.items() if parent not in found and browser not in self.mains
        ]

    def left(self) -> set[int]:
        """Those that still run, of all that were ever seen; zombies are processes whose parent never asked."""
        return {browser for browser in self.seen if _state(browser)}

    def _below(self) -> dict[int, int]:
        parents = {int(folder.name): _parent(int(folder.name)) for folder in Path("/proc").glob("[0-9]*")}
        below, grown = {self.crawl}, True
        while grown:
            more = {child for child, parent in parents.items() if parent in below} - below
            below, grown = below | more, bool(more)
        found = {each: parents[each] for each in below if "chrom" in _command(each).split("\0")[0]}
        self.seen |= set(found)
        return found


def _fields(process: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return []


def _parent(process: int) -> int:
    fields = _fields(process)
    return int(fields[1]) if fields else 0


def _state(process: int) -> str:
    """Return the state of a process; "" for none, and for a zombie that waits for the system's first process."""
    fields = _fields(process)
    return "" if not fields or (fields[0] == "Z" and fields[1] == "1") else fields[0]


def _command(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text(errors="replace")
    return ""


def _site(strike: Callable[[], None], at: str = "/p/2") -> tuple[Routes, list[str]]:
    """Pages that write themselves once their script has come; that of one strikes when it is asked for first."""
    struck: list[str] = []

    def script(path: str) -> Answer:
        if not struck and path.endswith(at):
            struck.append(path)
            strike()
        number = int(path.rpartition("/")[2])
        return Answer(f"document.body.innerHTML = `{own_text(number)}`".encode(), "text/javascript")

    routes: Routes = {
        f"/p/{n}": page(f"第{n}篇", f'<script src="/script/p/{n}"></script>') for n in range(1, PAGES + 1)
    }
    routes |= {f"/script/p/{n}": script for n in range(1, PAGES + 1)}
    routes["/"] = page("目录", "".join(f'<a href="/p/{n}">第{n}篇</a>' for n in range(1, PAGES + 1)))
    return routes, struck


def _crawled(site: WebServer, browsers: Browsers, concurrency: int = 2, **settings: object) -> Crawled:
    plan = plan_of(site.url(), politeness=ALWAYS, concurrency=concurrency, obey_robots=False)
    process, pipe = start(plan, settings_of(site.netloc, **settings))
    assert process.pid is not None
    browsers.crawl = process.pid
    return finish(process, pipe)


@pytest.mark.parametrize("fault", ["browser", "page", "hangs"])
def test_what_was_being_loaded_when_the_browser_was_killed_or_hung_is_loaded_again(fault: str) -> None:
    browsers = Browsers()

    def strike() -> None:
        browsers.look()
        for process in browsers.renderers() if fault == "page" else [browsers.main()]:
            with suppress(ProcessLookupError):  # a page that ended by itself since it was looked for
                os.kill(process, signal.SIGSTOP if fault == "hangs" else signal.SIGKILL)

    routes, struck = _site(strike)
    with WebServer(routes) as site:
        crawled = _crawled(site, browsers, timeout_s=4.0 if fault == "hangs" else 10.0)
        assert struck
        assert (crawled.counts.stored, crawled.counts.rejected.get("no_answer", 0)) == (PAGES, 0), crawled.counts
        assert fault == "hangs" or site.requested.count("/p/2") == 2
        assert "Traceback" not in crawled.output
    wait_until(lambda: not browsers.left())


def test_a_page_that_kills_every_browser_is_given_up_and_the_others_are_read() -> None:
    browsers = Browsers()
    routes, _ = _site(lambda: None, at="none")

    def deadly(_: str) -> Answer:
        browsers.look()
        os.kill(browsers.main(), signal.SIGKILL)
        return Answer(b"", "text/javascript")

    routes["/script/p/2"] = deadly
    with WebServer(routes) as site:
        counts = _crawled(site, browsers, concurrency=1).counts
        assert (counts.stored, counts.rejected.get("no_answer")) == (PAGES - 1, 1), counts
        assert site.requested.count("/p/2") == 3
    wait_until(lambda: not browsers.left())


@pytest.mark.parametrize("limit", ["pages", "minutes"])
def test_a_browser_is_started_anew_after_so_many_pages_or_minutes(limit: str) -> None:
    browsers = Browsers()
    routes, _ = _site(lambda: None, at="none")
    looked = {path: routes[path] for path in routes if path.startswith("/script")}

    def looking(path: str) -> Answer:
        browsers.look()
        answer = looked[path]
        assert callable(answer)
        return answer(path)

    routes |= dict.fromkeys(looked, looking)
    given = {"browser_pages": 2} if limit == "pages" else {"browser_minutes": 0.0001}
    with WebServer(routes) as site:
        crawled = _crawled(site, browsers, **given)
        assert crawled.counts.stored == PAGES, crawled.counts
        assert len(browsers.mains) >= 2
        assert all(site.requested.count(f"/p/{n}") == 1 for n in range(1, PAGES + 1))
    wait_until(lambda: not browsers.left())
