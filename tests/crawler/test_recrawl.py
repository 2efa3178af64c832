"""Crawls that know the ones before: they fetch what is new or due, ask whether it changed, and see what is gone.

/ ------ 1.html 2.html ...      a list, and texts that it links to
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from core.visits import AbsenceReason, AddressKind, address_id
from core.wording import Message
from crawler.urls import canonical
from tests.crawler.crawl_process import plan_of, settings_of
from tests.crawler.texts import own_text
from tests.crawler.visited_site import START, VisitedSite
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PAGES = range(1, 6)


def text_page(number: int, extra: str = "") -> Answer:
    return page(f"第{number}篇", own_text(number) + extra)


def index(numbers: object = PAGES) -> Answer:
    links = "".join(f'<li><a href="/{number}.html">第{number}篇 江边</a></li>' for number in numbers)  # type: ignore[attr-defined]
    return page("目录", f"<ul>{links}</ul>")


def routes() -> Routes:
    return {"/": index(), **{f"/{number}.html": text_page(number) for number in PAGES}}


@pytest.fixture
def server(loopback: None) -> Iterator[WebServer]:
    with WebServer(routes()) as running:
        yield running


@pytest.fixture
def site(server: WebServer, processes: None) -> VisitedSite:
    return VisitedSite(plan_of(server.url()), settings_of(server.netloc))


def asked(server: WebServer, action: Callable[[], object]) -> list[str]:
    """The pages that the server was asked for meanwhile, without what looks for things that are not there."""
    server.requested.clear()
    action()
    return sorted(path for path in server.requested if path in server.routes and path != "/robots.txt")


def test_a_list_is_fetched_at_every_run_and_a_text_when_it_is_due(server: WebServer, site: VisitedSite) -> None:
    assert len(asked(server, site.crawl)) == 6
    assert site.visit(server.url("/")).kind is AddressKind.LIST
    assert site.visit(server.url("/1.html")).kind is AddressKind.DETAIL
    assert asked(server, lambda: site.crawl(HOUR)) == ["/"]
    assert len(asked(server, lambda: site.crawl(3 * DAY))) == 6


def test_a_new_page_is_fetched_at_once(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    server.routes["/"], server.routes["/9.html"] = index([*PAGES, 9]), text_page(9)
    assert asked(server, lambda: site.crawl(HOUR)) == ["/", "/9.html"]


def test_an_unchanged_page_is_visited_ever_less_often_a_changing_one_daily(
    server: WebServer, site: VisitedSite
) -> None:
    site.plan = replace(site.plan, start_urls=(server.url("/1.html"), server.url("/2.html")), kind="list")
    seen: dict[str, list[int]] = {"/1.html": [], "/2.html": []}
    for day in range(0, 12, 2):
        server.routes["/2.html"] = text_page(2, f"<p>第{day}天的消息：江水又涨了一尺，渡船今日停航，改走石桥。</p>")
        for path in asked(server, lambda day=day: site.crawl(day * DAY)):  # type: ignore[misc]
            seen[path].append(day)
    assert seen["/2.html"] == list(range(0, 12, 2))
    assert len(seen["/1.html"]) <= 4
    gaps = [later - earlier for earlier, later in zip(seen["/1.html"], seen["/1.html"][1:], strict=False)]
    assert gaps == sorted(gaps)


def test_other_rules_of_reading_make_every_page_due(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    site.plan = replace(site.plan, body_selector="body")
    assert len(asked(server, lambda: site.crawl(HOUR))) == 6


def with_etags(server: WebServer, tag: str = '"v1"') -> list[str]:
    """Let the server answer with 304 to whoever has the tag; returns the list of such answers, which grows."""
    unmodified: list[str] = []

    def answering(path: str, answer: Answer) -> Callable[[str], Answer]:
        def answer_to(_: str) -> Answer:
            if server.headers[path].get("If-None-Match") == tag:
                unmodified.append(path)
                return Answer(b"", "", 304, {"ETag": tag})
            return replace(answer, headers={"ETag": tag, "Last-Modified": "Sun, 01 Mar 2026 00:00:00 GMT"})

        return answer_to

    for path, answer in list(server.routes.items()):
        if isinstance(answer, Answer):
            server.routes[path] = answering(path, answer)
    return unmodified


def test_a_304_counts_as_seen_unchanged(server: WebServer, site: VisitedSite) -> None:
    unmodified = with_etags(server)
    site.crawl()
    assert not unmodified
    counts = site.crawl(3 * DAY)
    assert sorted(unmodified) == ["/", *(f"/{number}.html" for number in PAGES)]
    assert (counts.unchanged, counts.fetched, counts.stored, counts.rejected) == (6, 6, 0, {})
    known = site.store.page(site.page(server.url("/1.html")))
    assert known.last_seen == START + 3 * DAY
    assert len(site.store.versions(known.id)) == 1
    assert site.visit(server.url("/1.html")).looks == 1


def test_a_server_that_says_unchanged_after_a_change_is_caught_and_believed_no_more(
    server: WebServer, site: VisitedSite
) -> None:
    site.plan = replace(site.plan, start_urls=(server.url("/1.html"),), kind="list")
    site.book.pages_with_cases = frozenset({site.page(server.url("/1.html"))})
    unmodified = with_etags(server)
    site.crawl()
    before = server.routes["/1.html"]
    server.routes["/1.html"] = text_page(1, "<p>这一段是后来加上去的，服务器却说没有变过，一个字也没有。</p>")
    with_etags(server)
    assert before is not server.routes["/1.html"]
    faults: list[Message] = []
    for day in range(1, 8):
        faults += site.crawl(day * DAY).faults
    versions = site.store.versions(site.page(server.url("/1.html")))
    assert len(versions) == 2
    assert START + 1 * DAY < versions[1].fetched_at <= START + 5 * DAY
    assert len([fault for fault in faults if fault.code == "crawl.wrong-validator"]) == 1
    assert site.visit(server.url("/1.html")).has_unreliable_validator
    unmodified.clear()
    server.headers.clear()
    site.crawl(10 * DAY)
    assert "If-None-Match" not in server.headers["/1.html"]


def test_a_failure_is_retried_with_backoff_and_keeps_its_reason(server: WebServer, site: VisitedSite) -> None:
    server.routes["/3.html"] = Answer(b"<p>busy</p>", status=500)
    site.crawl()
    failed = site.visit(server.url("/3.html"))
    assert (failed.failures, failed.seen_at, failed.reason) == (1, None, "http_error")
    assert "500" in str(failed.sentence)
    assert "/3.html" not in asked(server, lambda: site.crawl(timedelta(minutes=10)))
    assert "/3.html" in asked(server, lambda: site.crawl(timedelta(minutes=20)))
    assert site.visit(server.url("/3.html")).failures == 2
    assert "/3.html" not in asked(server, lambda: site.crawl(HOUR))
    server.routes["/3.html"] = text_page(3)
    site.crawl(2 * HOUR)
    mended = site.visit(server.url("/3.html"))
    assert (mended.failures, mended.reason, mended.seen_at) == (0, "", START + 2 * HOUR)


def test_a_page_is_seen_only_once_it_is_stored(server: WebServer, site: VisitedSite) -> None:
    site.store = _Full()
    counts = site.crawl()
    assert counts.failed == 6  # five texts and their list
    assert site.visit(server.url("/1.html")).seen_at is None
    assert site.visit(server.url("/1.html")).failures == 1


def test_what_a_run_has_no_time_for_is_where_the_next_begins(server: WebServer, site: VisitedSite) -> None:
    site.plan = replace(site.plan, max_pages=3, concurrency=1)

    def stored() -> set[str]:
        return {visit.url for visit in site.book.visits(site.plan.site_id) if visit.text_digest}

    site.crawl()
    first = stored()
    left = [visit for visit in site.book.visits(site.plan.site_id) if visit.seen_at is None]
    assert (len(first), len(left)) == (2, 3)
    site.crawl(HOUR)
    assert len(stored() - first) == 2, "the list once more, and two of the three"


def test_new_pages_come_before_open_cases_and_these_before_what_is_due(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    site.book.pages_with_cases = frozenset({site.page(server.url("/4.html"))})
    server.routes["/"], server.routes["/9.html"] = index([*PAGES, 9]), text_page(9)
    site.plan = replace(site.plan, max_pages=3, concurrency=1)
    server.requested.clear()
    site.crawl(5 * DAY)
    pages = [path for path in server.requested if path in server.routes]
    assert pages[:3] == ["/", "/9.html", "/4.html"]


def test_gone_is_what_two_answers_half_a_day_apart_say_and_both_are_kept(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    del server.routes["/2.html"]
    lost = site.page(server.url("/2.html"))
    site.crawl(3 * DAY)
    assert [each.status for each in site.store.absences(lost)] == [404]
    assert len(site.store.states(lost)) == 1
    site.crawl(3 * DAY + HOUR)
    assert len(site.store.absences(lost)) == 1, "too early to confirm it"
    site.crawl(3 * DAY + 13 * HOUR)
    proofs = site.store.absences(lost)
    assert [(each.status, each.reason) for each in proofs] == [(404, AbsenceReason.NOT_FOUND)] * 2
    assert site.store.raw(proofs[1].raw_digest) == b"<p>not here</p>"
    assert site.store.states(lost)[-1].absence_id == proofs[1].id
    assert site.visit(server.url("/2.html")).gone_since == START + 3 * DAY


def test_a_page_that_comes_back_is_noted(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    kept = server.routes.pop("/2.html")
    for hours in (72, 96):
        site.crawl(hours * HOUR)
    server.routes["/2.html"] = kept
    site.crawl(100 * HOUR)
    assert site.visit(server.url("/2.html")).gone_since is not None, "not due yet"
    site.crawl(30 * DAY)
    states = site.store.states(site.page(server.url("/2.html")))
    assert [bool(state.absence_id) for state in states] == [False, True, False]
    assert site.visit(server.url("/2.html")).gone_since is None


SENTENCE = "您要找的页面 {} 不存在或已被删除，请返回首页。"


@pytest.mark.parametrize(
    ("fallback", "status"),
    [
        (lambda path: page("提示", f"<h1>提示</h1><p>{SENTENCE.format(path)}</p>"), 200),
        (lambda _: redirect("/"), 302),
    ],
    ids=["a sentence", "the front page"],
)
def test_what_stands_in_place_of_a_page_is_known_from_addresses_that_never_were(
    server: WebServer, site: VisitedSite, fallback: Callable[[str], Answer], status: int
) -> None:
    site.crawl()
    lost = site.page(server.url("/2.html"))
    del server.routes["/2.html"]
    server.fallback = fallback
    for hours in (72, 96):
        site.crawl(hours * HOUR)
    proofs = [(each.reason, each.status) for each in site.store.absences(lost)]
    assert proofs == [(AbsenceReason.NOT_FOUND_PAGE, status)] * 2
    assert site.visit(server.url("/2.html")).gone_since is not None
    assert site.store.states(lost)[-1].absence_id
    assert len(site.store.versions(lost)) == 1
    assert not site.store.absences(site.page(server.url("/1.html")))


def test_a_start_page_that_leads_to_another_host_is_noted_as_a_move(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    with WebServer(routes()) as new:
        server.routes["/"] = redirect(new.url("/"), 301)
        server.routes["/1.html"] = redirect(new.url("/1.html"), 301)
        site.crawl(3 * DAY)
    noted = {(move.from_url, move.to_url, move.status, move.is_start) for _, move in site.book.moves}
    assert noted == {
        (server.url("/"), new.url("/"), 301, True),
        (server.url("/1.html"), new.url("/1.html"), 301, False),
    }
    assert not new.requested, "nobody has said yet that this is the same site"


def test_a_page_found_again_at_the_new_host_is_the_page_it_was(server: WebServer, site: VisitedSite) -> None:
    site.crawl()
    old = {number: site.page(server.url(f"/{number}.html")) for number in (1, 2)}
    with WebServer(routes() | {"/9.html": text_page(9), "/": index([*PAGES, 9])}) as new:
        new.routes["/2.html"] = text_page(2, "<p>搬家以后，这一页的末尾多了一句：请记住新的网址，旧的不再更新。</p>")
        site.plan = replace(site.plan, start_urls=(new.url(),), allowed_hosts=(server.netloc, new.netloc))
        site.settings = settings_of(server.netloc, new.netloc)
        moved = []
        for visit in site.book.visits(site.plan.site_id):
            url = visit.url.replace(server.netloc, new.netloc)
            key = address_id(site.plan.site_id, canonical(url))
            moved.append(replace(visit, id=key, url=url, is_moved=True, due_at=START))
        site.book.kept = {}
        site.book.save(site.plan.site_id, moved)
        server.requested.clear()
        site.crawl(3 * DAY)
        assert not [path for path in server.requested if path in server.routes]
        assert len(site.store.versions(old[1])) == 1
        known = site.store.page(old[1])
        assert known.last_seen == START + 3 * DAY
        versions = site.store.versions(old[2])
        assert [version.final_url for version in versions] == [server.url("/2.html"), new.url("/2.html")]
        assert site.store.page(site.page(new.url("/1.html"))) is None
        assert site.store.page(site.page(new.url("/9.html"))) is not None, "it never stood on the old host"


class _Full(type(VisitedSite.__dataclass_fields__["store"].default_factory())):  # type: ignore[misc]
    """A page store that refuses every page for good."""

    def put(self, *_: object) -> object:
        from core.errors import BrokenInvariant

        raise BrokenInvariant("store.operation", error="the disk is full")


def test_a_page_that_asks_for_its_text_is_never_taken_for_unchanged_by_its_own_tag(
    server: WebServer, site: VisitedSite
) -> None:
    def shell(path: str) -> Answer:
        if "If-None-Match" in server.headers[path]:
            return Answer(status=304)
        markup = b"<title>\xe5\xa4\x9c</title><div id=app></div><script>fetch('/api/9').then(show)</script>"
        return Answer(b"<!doctype html><html><body>" + markup, headers={"ETag": '"shell"'})

    def data(number: int) -> Answer:
        return Answer(json.dumps({"content": own_text(number)}).encode(), "application/json")

    server.routes |= {"/": index([9]), "/9.html": shell, "/api/9": data(90)}
    site.crawl()
    server.routes["/api/9"] = data(91)
    assert site.crawl(30 * DAY).new_versions == 1
