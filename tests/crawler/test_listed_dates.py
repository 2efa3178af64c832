"""Test what the dates of sitemaps and feeds are worth: honest ones spare fetches, liars are found out."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.visits import AddressKind, Visit
from crawler.recrawl.listed_dates import MIN_CHANGES, TRIALS, Claim, ListedDates, Reliability, classify_date
from crawler.recrawl.policy import DAY
from crawler.sources.feeds import read_feed
from tests.crawler.crawl_process import plan_of, settings_of
from tests.crawler.texts import own_text
from tests.crawler.visited_site import VisitedSite
from tests.support.web_server import Answer, Routes, WebServer, page

NOW = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
PROVEN = Reliability(true=40, false=2, unannounced=0)


def visit(number: int = 1, **more: object) -> Visit:
    given: dict[str, object] = {"id": f"{number:08x}", "url": f"https://a.example/{number}", "depth": 1}
    given |= {"found_at": NOW, "due_at": NOW, "kind": AddressKind.DETAIL, "rules": "r", "seen_at": NOW}
    return Visit(**(given | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("modified", "claim"),
    [
        (NOW + HOUR, Claim.ANNOUNCED),
        (NOW - HOUR, Claim.DENIED),
        (None, Claim.NOTHING),
        (NOW.replace(hour=0), Claim.NOTHING),  # a day: the page may have changed on it after we looked
        (NOW.replace(hour=0) - DAY, Claim.DENIED),
        (NOW + 400 * DAY, Claim.NOTHING),  # to come
    ],
)
def test_a_date_announces_or_denies_a_change_since_the_last_look(modified: datetime | None, claim: Claim) -> None:
    assert classify_date(modified, NOW, NOW + 9 * DAY) is claim
    assert classify_date(modified, None, NOW + 9 * DAY) is Claim.NOTHING


def test_denials_are_believed_only_of_a_site_that_has_announced_its_changes() -> None:
    assert not Reliability().denies
    assert not Reliability(true=MIN_CHANGES - 1).denies
    assert Reliability(true=MIN_CHANGES).denies
    assert not Reliability(true=20, unannounced=4).denies
    assert not Reliability(unannounced=40).denies
    assert not Reliability(true=5, false=60).denies, "who announces all has announced nothing"


def test_announcements_are_followed_on_trial_then_by_how_many_came_true() -> None:
    dates = ListedDates(NOW + 9 * DAY)
    pages = [visit(number) for number in range(100)]
    dates.add_dates((each.id, NOW + DAY) for each in pages)
    assert [dates.is_due(each) for each in pages] == [True] * TRIALS + [None] * (100 - TRIALS)
    dates.reliability = Reliability(true=2, false=20)
    assert {dates.is_due(each) for each in pages} == {None}
    dates.reliability = PROVEN
    assert {dates.is_due(each) for each in pages} == {True}


def test_the_worth_outlives_the_run_and_a_spoilt_record_is_worth_nothing(tmp_path: Path) -> None:
    dates = ListedDates(NOW, tmp_path)
    dates.reliability = PROVEN
    dates.save()
    assert ListedDates(NOW, tmp_path).reliability == PROVEN
    (record,) = tmp_path.iterdir()
    for spoilt in ("", "[]", '{"true": "x"}', '{"true": NaN}', "\x00", '{"true": 1}', "{" * 9_000):
        record.write_text(spoilt)
        assert ListedDates(NOW, tmp_path).reliability == Reliability()
    ListedDates(NOW, tmp_path / "away").save()


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
        server.routes["/list.xml"] = listed(dict.fromkeys(PAGES, OLD))
        server.routes["/"] = page("首页", "")
        plan = plan_of(server.url("/list.xml"), kind=kind, obey_robots=False)
        if kind == "generic":
            plan = replace(plan, start_urls=(server.url("/"),), sitemap_urls=(server.url("/list.xml"),))
        site = VisitedSite(plan, settings_of(server.netloc))
        assert fetched(timedelta(0)) == {f"/{n}.html" for n in PAGES}
        server.routes["/list.xml"] = listed(dict.fromkeys(PAGES, OLD) | {3: LATER})
        assert fetched(DAY) == {"/3.html"}, "announced, and not due by its own history"
        worth = json.loads((tmp_path / "listed-dates.json").read_text())
        assert worth == {"true": 0.0, "false": 1.0, "unannounced": 0.0}
        assert fetched(3 * DAY) == {f"/{n}.html" for n in PAGES}, "denials are not believed yet: all are due"
        (tmp_path / "listed-dates.json").write_text('{"true": 40, "false": 2, "unannounced": 0}')
        server.routes["/list.xml"] = listed(dict.fromkeys(PAGES, OLD))
        spared = {f"/{n}.html" for n in PAGES} - fetched(20 * DAY)
        assert spared, "denied, and believed: one in five, drawn, is looked at all the same"
        assert spared <= fetched(70 * DAY), "two months are the most"
        assert site.visit(server.url("/3.html")).seen_at is not None


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
        (tmp_path / "listed-dates.json").write_text('{"true": 40, "false": 2, "unannounced": 0}')
        server.requested.clear()
        site.crawl(3 * DAY, tmp_path)
        assert {path for path in server.requested if path.endswith(".html") and path in routes} == {
            f"/{n}.html" for n in PAGES
        }
