"""Test what a real crawl of a local site leaves, gathered, bundled, and taken apart again."""

import io
from datetime import UTC, datetime
from importlib.util import find_spec

import pytest
from pypdf import PdfReader

from bundles import bundle
from bundles.opened import OpenedBundle, open_bundle
from bundles.records import Undrawn
from core.pages import PageVersion
from core.politeness import BrowserMode, Politeness
from crawler.browsing.chromium import find_chromium
from crawler.browsing.screenshots import NoRendering
from tests.crawler.crawl_process import Crawled, crawl, plan_of, settings_of
from tests.crawler.test_browser_capture import shell
from tests.crawler.test_spider_novel import novel_plan, novel_site
from tests.support.evidence_samples import finding
from tests.support.memory_pages import MemoryPageStore
from tests.support.web_server import Answer, Routes, WebServer
from webadmin.evidence.services.drawings import DrawingLimits, draw_pages
from webadmin.evidence.services.material import page_capture

pytestmark = pytest.mark.usefixtures("processes")

needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium; install Debian's chromium")


Chapter = tuple[MemoryPageStore, PageVersion]


def bundles_of(crawled: Crawled) -> dict[str, OpenedBundle]:
    """Each page's bundle by the end of its address; nothing was found on it."""
    store, found = MemoryPageStore(), {}
    for fetched, reading in crawled.store.versions.values():
        version = store.version(store.put(fetched, reading).version_id)
        assert version is not None
        made = bundle.make(page_capture(version, store), finding(passages=()), made_at=datetime.now(UTC))
        found[fetched.final_url.rpartition("/")[2]] = open_bundle(made.content, "bundle")
    return found


def test_a_chapter_of_a_novel_is_bundled_with_every_exchange_of_every_part() -> None:
    with WebServer(novel_site(6)) as site:
        found = bundles_of(crawl(novel_plan(site), settings_of(site.netloc)))
        urls = [site.url(f"/book/7/4{tail}.html") for tail in ("", "_2", "_3")]
    assert len(found) == 6
    chapter = found["4.html"]
    assert [each["url"] for each in (chapter.page, *chapter.page["following"])] == urls
    exchanges = chapter.connection["exchanges"]
    assert [each["url"] for each in exchanges] == urls
    assert all(each["source"] == "connection" and each["wire_digest"] and each["wire_bytes"] for each in exchanges)
    assert all(f"{each['server_address']}:{each['server_port']}" == site.netloc for each in exchanges)
    assert chapter.page["absent"] == {}
    around = chapter.circumstances
    assert [each["machine"] for each in around["exchanges"]] == [0, 0, 0]
    assert {each["way"]["interface"] for each in around["exchanges"]} == {"lo"}
    assert [each["what"] for each in around["not_recorded"]] == ["clock", "route beyond the gateway"]


@needs_chromium
def test_every_page_of_a_chapter_is_drawn_and_shows_its_own_text(chapter: Chapter) -> None:
    store, version = chapter
    drawn = draw_pages(version, store, "")
    assert not isinstance(drawn, NoRendering)
    assert list(drawn) == [1, 2, 3]
    capture = page_capture(version, store, drawn)
    held = open_bundle(bundle.make(capture, finding(passages=()), made_at=datetime.now(UTC)).content, "bundle")
    assert set(held.renderings) == {"text"} | {
        f"{kind}{of}" for kind in ("screenshot", "pdf") for of in ("", "-2", "-3")
    }
    for number, part in enumerate((held.page, *held.page["following"]), 1):
        assert part["screenshot"]["url"] == part["url"]
        name = "pdf" if number == 1 else f"pdf-{number}"
        assert f"第4章的第{number}" in words_of(held.renderings[name])


@needs_chromium
@pytest.mark.parametrize(
    ("limits", "reason", "drawn"),
    [
        (DrawingLimits(pages=2), Undrawn.PAGES, [1, 2]),
        (DrawingLimits(following_s=0.0), Undrawn.TIME, [1]),
        (DrawingLimits(following_mib=0), Undrawn.SIZE, [1]),
    ],
)
def test_what_a_limit_leaves_out_is_named_with_the_limit(
    chapter: Chapter, limits: DrawingLimits, reason: Undrawn, drawn: list[int]
) -> None:
    store, version = chapter
    pages = draw_pages(version, store, "", limits)
    assert not isinstance(pages, NoRendering)
    assert [number for number, each in pages.items() if each.screenshot and each.pdf] == drawn
    left = [each for number, each in pages.items() if number not in drawn]
    assert {each.undrawn for each in left} == {reason}
    assert {each.limit for each in left} == {limits.pages if reason is Undrawn.PAGES else 0}
    assert len(pages) == 3


def test_where_no_browser_is_nothing_counts_as_drawn(chapter: Chapter) -> None:
    store, version = chapter
    assert draw_pages(version, store, "/nowhere/chromium") is NoRendering.NO_BROWSER
    assert draw_pages(version, store, "/bin/true") is NoRendering.BROWSER_FAILED


@pytest.fixture(scope="module")
def chapter(processes: None) -> Chapter:
    """A chapter of three pages as a crawl of a local site stored it."""
    with WebServer(novel_site(4)) as site:
        crawled = crawl(novel_plan(site), settings_of(site.netloc))
    store = MemoryPageStore()
    fetched, reading = next(each for each in crawled.store.versions.values() if each[0].final_url.endswith("/4.html"))
    version = store.version(store.put(fetched, reading).version_id)
    assert len(version.parts) == 2
    return store, version


def words_of(pdf: bytes) -> str:
    """Return what a reader of the PDF sees written, without blanks."""
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)
    return "".join(text.split())


@pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="the extra browser is not installed")
@needs_chromium
def test_a_page_of_scripts_is_bundled_with_what_was_received_and_what_was_read() -> None:
    routes: Routes = {"/7": shell(), "/look.css": Answer(b"p {color: red}", content_type="text/css")}
    with WebServer(routes) as site:
        always = Politeness(browser=BrowserMode.ALWAYS)
        plan = plan_of(site.url("/7"), politeness=always, obey_robots=False)
        [page] = [each.page for each in bundles_of(crawl(plan, settings_of(site.netloc))).values()]
        assert page["read_from"]["record"] == f"urn:dom:{site.url('/7')}"
        assert [each["url"] for each in page["page_resources"]] == [site.url("/look.css")]
    assert page["source"] == "browser"
    assert page["read_from"]["digest"] != page["body_digest"]
    assert "recorded as the browser reported" in page["absent"]["connection"]["en"]
