"""Sites on one host share what is fetched: against a real site and a real store, each crawl in a process of its own."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.ids import SiteId
from core.pages import CrawlPlan
from core.politeness import CrawlBudget, Politeness
from tests.crawler.crawl_process import Crawled, crawl, plan_of, settings_of
from tests.crawler.visited_site import START, VisitedSite
from tests.support.web_server import Answer, WebServer, page, redirect

TEXT = "她推开窗，河面上的雾还没有散，远处传来第一声汽笛，像是有人在喊她的名字。" * 6
PAGES = 4


@pytest.fixture
def site() -> Iterator[WebServer]:
    links = "".join(f'<a href="/p/{n}">第{n}章 河上的雾</a>' for n in range(PAGES))
    routes: dict[str, Any] = {
        "/": page("目录", links),
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /private", "text/plain"),
        **{f"/p/{n}": page(f"第{n}章", f"<article><p>{TEXT}{n}</p></article>") for n in range(PAGES)},
    }
    with WebServer(routes) as server:
        yield server


def _plan(site: WebServer, name: str, **changes: Any) -> CrawlPlan:
    given = {"site_id": SiteId(name), "run_id": f"run of {name}", "answers_since": _an_hour_ago(), **changes}
    return replace(plan_of(site.url()), **given)


def _an_hour_ago() -> datetime:
    return datetime.now(UTC) - timedelta(hours=1)


def _texts(crawled: Crawled) -> set[str]:
    return {reading.text for _, reading in crawled.store.versions.values()}


def test_a_second_site_reads_what_the_first_one_fetched_and_asks_for_nothing(site: WebServer, mongo_url: str) -> None:
    settings = settings_of(site.netloc)
    site.routes["/p/0"] = redirect("/p/moved")
    site.routes["/p/moved"] = page("第零章", f"<article><p>{TEXT}零</p></article>")
    site.routes["/"] = Answer(site.routes["/"].body, headers={"Set-Cookie": "visitor=first"})  # type: ignore[union-attr]
    ours = crawl(_plan(site, "ours"), settings, answers_url=mongo_url)
    asked = list(site.requested)
    theirs = crawl(_plan(site, "theirs"), settings, answers_url=mongo_url)
    assert site.requested == asked
    assert _texts(theirs) == _texts(ours)
    assert theirs.counts.requested == ours.counts.requested, "nothing says that another crawl had asked"
    for mine, their in zip(
        *(sorted(each.store.versions.values(), key=_by_url) for each in (ours, theirs)), strict=True
    ):
        assert their[0].site_id == "theirs"
        assert their[0].capture == mine[0].capture
        assert abs(their[0].fetched_at - mine[0].fetched_at) < timedelta(seconds=2)


def _by_url(version: Any) -> str:
    return str(version[0].canonical_url)


def test_each_site_reads_by_its_own_rules(site: WebServer, mongo_url: str) -> None:
    settings = settings_of(site.netloc)
    site.routes["/private"] = page("内部", f"<article><p>{TEXT}私</p></article>")
    site.routes["/"] = page("目录", '<a href="/p/1">第一章</a><a href="/p/2">第二章</a><a href="/private">内部</a>')
    ours = crawl(_plan(site, "ours", obey_robots=False), settings, answers_url=mongo_url)
    theirs = crawl(_plan(site, "theirs", page_patterns=("/p/1$", "/private")), settings, answers_url=mongo_url)
    assert ours.has("/private")
    assert [fetched.final_url for fetched, _ in theirs.store.versions.values()] == [site.url("/p/1")]


def test_a_site_fetches_again_what_only_itself_fetched_or_what_is_too_old(site: WebServer, mongo_url: str) -> None:
    settings = settings_of(site.netloc)
    crawl(_plan(site, "ours"), settings, answers_url=mongo_url)
    once = len(site.requested)
    crawl(_plan(site, "ours"), settings, answers_url=mongo_url)
    assert len(site.requested) == 2 * once
    crawl(_plan(site, "theirs", answers_since=datetime.now(UTC)), settings, answers_url=mongo_url)
    assert len(site.requested) == 3 * once
    crawl(_plan(site, "alone", answers_since=None), settings, answers_url=mongo_url)
    assert len(site.requested) == 4 * once


def test_files_and_refusals_are_fetched_for_each_site(site: WebServer, mongo_url: str) -> None:
    settings = settings_of(site.netloc)
    site.routes["/"] = page("目录", '<a href="/p/1">第一章</a><a href="/book.txt">下载</a>')
    site.routes["/book.txt"] = Answer(TEXT.encode(), "text/plain", headers={"Content-Disposition": "attachment"})
    site.routes["/p/1"] = Answer(b"later", status=500)
    crawl(_plan(site, "ours"), settings, answers_url=mongo_url)
    site.routes["/p/1"] = page("第一章", f"<article><p>{TEXT}</p></article>")
    theirs = crawl(_plan(site, "theirs"), settings, answers_url=mongo_url)
    assert theirs.has("/p/1")
    assert site.requested.count("/book.txt") == 2


def test_a_budget_counts_what_every_site_of_the_host_fetched(site: WebServer, tmp_path: Path) -> None:
    settings, budget = settings_of(site.netloc), Politeness(budget=CrawlBudget(pages_a_day=3))
    crawl(_plan(site, "ours", max_pages=2), settings, None, tmp_path / "ours")
    asked = len(site.requested)
    theirs = crawl(_plan(site, "theirs", politeness=budget), settings, None, tmp_path / "theirs")
    assert theirs.counts.finish_reason == "budget"
    assert len(site.requested) == max(asked, 3)


def test_not_modified_is_asked_once_and_shared_with_sites_that_know_the_page(site: WebServer, mongo_url: str) -> None:
    """Two of three sites that come again know the page that the server still has; the third saw another one."""
    settings, tag = settings_of(site.netloc), {"ETag": '"new"'}
    body = site.routes["/p/1"]
    assert isinstance(body, Answer)

    def answer(path: str) -> Answer:
        knows = site.headers[path].get("If-None-Match") == '"new"'
        return Answer(b"", status=304, headers=tag) if knows else Answer(body.body, headers=tag)

    def plan(name: str) -> CrawlPlan:
        return _plan(site, name, start_urls=(site.url("/p/1"),), kind="list", answers_since=None)

    old = VisitedSite(plan("third"), settings)
    site.routes["/p/1"] = Answer(body.body.replace("章".encode(), "回".encode()), headers={"ETag": '"old"'})
    old.crawl()
    site.routes["/p/1"] = answer
    first, second = VisitedSite(plan("first"), settings), VisitedSite(plan("second"), settings)
    for each in (first, second):
        each.crawl()
    asked = len(site.requested)
    counts = []
    for each in (first, second, old):
        each.plan, each.answers_url = replace(each.plan, answers_since=START), mongo_url
        counts.append(each.crawl(after=timedelta(days=3)))
    assert [(each.unchanged, each.new_versions) for each in counts] == [(1, 0), (1, 0), (0, 1)]
    assert Counter(site.requested[asked:])["/p/1"] == 2
    assert Counter(site.requested[asked:])["/robots.txt"] == 1
