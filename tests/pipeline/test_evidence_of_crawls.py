"""What a real crawl of a local site leaves, gathered, bundled, and taken apart again."""

from datetime import UTC, datetime
from importlib.util import find_spec

import pytest

from core.politeness import BrowserMode, Politeness
from crawler.browsing.chromium import find_chromium
from evidence import bundle
from evidence.opened import Opened, opened
from pagestore.memory import MemoryPageStore
from tests.crawler.crawl_process import Crawled, crawl, plan_of, settings_of
from tests.crawler.test_browser_capture import shell
from tests.crawler.test_spider_novel import novel_plan, novel_site
from tests.support.evidence_samples import finding
from tests.support.web_server import Answer, Routes, WebServer
from webadmin.evidence_material import capture_of


def bundles_of(crawled: Crawled) -> dict[str, Opened]:
    """Each page's bundle by the end of its address; nothing was found on it."""
    store, found = MemoryPageStore(), {}
    for fetched, reading in crawled.store.versions.values():
        version = store.version(store.put(fetched, reading).version_id)
        assert version is not None
        made = bundle.make(capture_of(version, store), finding(passages=()), made_at=datetime.now(UTC))
        found[fetched.final_url.rpartition("/")[2]] = opened(made.content, "bundle")
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


@pytest.mark.skipif(find_spec("scrapy_playwright") is None, reason="the extra browser is not installed")
@pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium; install Debian's package chromium")
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
    assert "written down from what it told" in page["absent"]["connection"]
