"""Crawls of some pages alone: these, due or not, with all their parts, and nothing that they lead to."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crawler.frontier import JOURNAL_NAME
from tests.crawler.crawl_process import plan_of, settings_of
from tests.crawler.test_recrawl import asked, routes
from tests.crawler.test_spider_novel import novel_plan, novel_site
from tests.crawler.visited_site import START, VisitedSite
from tests.support.web_server import WebServer

HOUR = timedelta(hours=1)


@pytest.fixture
def server(loopback: None) -> Iterator[WebServer]:
    with WebServer(routes()) as running:
        yield running


@pytest.fixture
def site(server: WebServer, processes: None) -> VisitedSite:
    return VisitedSite(plan_of(server.url()), settings_of(server.netloc))


def test_the_page_is_fetched_though_it_is_not_due_and_its_links_are_not(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    whole = site.plan
    site.plan = replace(whole, only_urls=(server.url("/3.html"),))
    assert asked(server, lambda: site.crawl(HOUR)) == ["/3.html"]
    assert site.visit(server.url("/3.html")).seen_at == START + HOUR
    site.plan = whole
    assert asked(server, lambda: site.crawl(2 * HOUR)) == ["/"], "no page is more due for it"


def test_what_the_plan_would_not_visit_is_not_fetched_on_request_either(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    denied = replace(site.plan, deny_patterns=(r"/3\.html",))
    for urls in ((server.url("/3.html"),), ("http://elsewhere.example/1.html",)):
        site.plan = replace(denied, only_urls=urls)
        server.log.clear()
        counts = site.crawl(HOUR)
        assert counts.rejected == {"off_site": 1}
        assert not {"/3.html", "/1.html"} & {each.path for each in server.log}


def test_the_journal_of_a_crawl_that_was_interrupted_stays(
    server: WebServer, site: VisitedSite, tmp_path: Path
) -> None:
    site.crawl()
    journal = tmp_path / JOURNAL_NAME
    journal.write_text("of the whole site")
    site.plan = replace(site.plan, only_urls=(server.url("/3.html"),))
    site.crawl(HOUR, tmp_path)
    assert journal.read_text() == "of the whole site"


def test_a_chapter_is_fetched_with_all_its_parts_and_is_the_same_page(loopback: None, processes: None) -> None:
    with WebServer(novel_site(4)) as server:
        site = VisitedSite(novel_plan(server, concurrency=1), settings_of(server.netloc))
        site.crawl()
        chapter = server.url("/book/7/2.html")
        before = site.visit(chapter)
        site.plan = replace(site.plan, only_urls=(chapter,))
        parts = ["/book/7/2.html", "/book/7/2_2.html", "/book/7/2_3.html"]
        assert asked(server, lambda: site.crawl(HOUR)) == parts
        after = site.visit(chapter)
        assert (after.version_id, after.seen_at) == (before.version_id, START + HOUR)
