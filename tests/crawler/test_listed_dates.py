"""Test what the dates of sitemaps and feeds are worth: a later one makes a page due, unless most have one."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.clock import ManualClock
from core.visits import AddressKind, Visit, address_id
from crawler.recrawl.policy import DAY
from crawler.recrawl.site_visits import MIN_ANNOUNCED, MemoryVisitRepository, SiteVisits, rules_digest
from crawler.sources.feeds import read_feed
from crawler.sources.sitemaps import ListedPage
from tests.crawler.crawl_process import plan_of, settings_of
from tests.crawler.texts import own_text
from tests.crawler.visited_site import VisitedSite
from tests.support.web_server import Answer, Routes, WebServer, page

NOW = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_the_day_of_publication_is_no_date_of_change() -> None:
    item = "<item><title>一</title><link>/1</link><pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate></item>"
    feed = read_feed(f"<rss version='2.0'><channel>{item}</channel></rss>".encode(), "", "http://a.example/")
    assert feed.entries[0].listed.modified is None
    assert feed.entries[0].listed.published is not None


# Crawls


def listing(dates: dict[int, str]) -> Answer:
    rows = "".join(
        f"<url><loc>http://SITE/{number}.html</loc><lastmod>{date}</lastmod></url>" for number, date in dates.items()
    )
    return Answer(f"<urlset>{rows}</urlset>".encode(), "application/xml")


def _at(server: WebServer, answer: Answer) -> Answer:
    return replace(answer, body=answer.body.replace(b"SITE", server.netloc.encode()))


PAGES = range(1, 9)
OLD, LATER = "2026-02-01T00:00:01Z", "2026-03-01T12:00:00Z"


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("kind", ["feed", "generic"])
def test_a_page_is_fetched_only_if_its_list_says_that_it_changed(kind: str, tmp_path: Path) -> None:
    def listed(dates: dict[int, str]) -> Answer:
        if kind != "feed":
            return _at(server, listing(dates))
        entries = "".join(
            f'<entry><title>{n}</title><link href="{server.url(f"/{n}.html")}"/><updated>{date}</updated></entry>'
            for n, date in dates.items()
        )
        feed = f'<feed xmlns="http://www.w3.org/2005/Atom"><title>文</title>{entries}</feed>'
        return Answer(feed.encode(), "application/atom+xml")

    def fetched(after: timedelta) -> set[str]:
        server.requested.clear()
        site.crawl(after, tmp_path)
        return {path for path in server.requested if path.endswith(".html") and path in server.routes}

    routes: Routes = {f"/{n}.html": page(f"第{n}篇", own_text(n)) for n in PAGES}
    with WebServer(routes) as server:
        path = "/sitemap.xml" if kind == "generic" else "/list.xml"
        server.routes[path] = listed(dict.fromkeys(PAGES, OLD))
        server.routes["/"] = page("首页", "")
        plan = plan_of(server.url(path), kind=kind, obey_robots=False)
        if kind == "generic":
            plan = replace(plan, start_urls=(server.url("/"),), use_sitemap=True)
        site = VisitedSite(plan, settings_of(server.netloc))
        assert fetched(timedelta(0)) == {f"/{n}.html" for n in PAGES}
        server.routes[path] = listed(dict.fromkeys(PAGES, OLD) | {3: LATER})
        assert fetched(DAY) == {"/3.html"}, "announced, and not due by its own history"
        server.routes[path] = listed(dict.fromkeys(PAGES, OLD))
        assert fetched(3 * DAY) == {f"/{n}.html" for n in PAGES}, "an earlier date lets nothing wait"


@pytest.mark.parametrize(("count", "is_believed"), [(MIN_ANNOUNCED, True), (MIN_ANNOUNCED + 1, False)])
def test_a_site_that_announces_most_pages_announces_nothing(count: int, is_believed: bool) -> None:
    book, plan = MemoryVisitRepository(), plan_of("http://a.example/")
    urls = [f"http://a.example/{number}" for number in range(count)]
    given: dict[str, Any] = {"found_at": NOW, "due_at": NOW + 9 * DAY, "kind": AddressKind.DETAIL, "seen_at": NOW}
    given |= {"rules": rules_digest(plan)}
    book.save(plan.site_id, [Visit(address_id(plan.site_id, url), url, 1, **given) for url in urls])
    later = SiteVisits(book, plan, ManualClock(NOW + HOUR))
    assert not any(map(later.should_fetch, urls))
    later.list_dates(ListedPage(url, modified=NOW + timedelta(minutes=30)) for url in urls)
    assert {later.should_fetch(url) for url in urls} == {is_believed}


@pytest.mark.usefixtures("processes")
def test_a_page_with_an_open_case_is_fetched_whatever_its_list_says(tmp_path: Path) -> None:
    routes: Routes = {f"/{n}.html": page(f"第{n}篇", own_text(n)) for n in PAGES}
    with WebServer(routes) as server:
        server.routes["/list.xml"] = _at(server, listing(dict.fromkeys(PAGES, OLD)))
        plan = plan_of(server.url("/list.xml"), kind="sitemap", obey_robots=False)
        site = VisitedSite(plan, settings_of(server.netloc))
        site.crawl(timedelta(0), tmp_path)
        with_case = [site.visit(server.url(f"/{n}.html")).page_id for n in PAGES]
        site.book.pages_with_cases = frozenset(with_case)
        server.requested.clear()
        site.crawl(3 * DAY, tmp_path)
        assert {path for path in server.requested if path.endswith(".html") and path in routes} == {
            f"/{n}.html" for n in PAGES
        }
