"""Crawls of a real local site with every bad habit, each in a process of its own.

          / ------- 1 (UTF-8) -> 2 -> 3     next pages
          |-------- gb, big5, lie           encodings, true and false
          |-------- circle, hop -> away     redirects in a circle, off the site, into the operator's network
          |-------- endless, bomb, picture  gigabytes, bytes that swell, no page
          |-------- secret, login, far      forbidden by robots.txt, a trap, another host
sitemap.xml.gz ---- listed                  that no page links to
"""

import gzip
import json
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from core.errors import BadConfiguration, BrokenInvariant
from core.settings import CrawlSettings
from crawler.frontier import JOURNAL_NAME
from crawler.run import run_crawl
from tests.crawler import crawl_process
from tests.crawler.crawl_process import (
    Crawled,
    RecordingStore,
    crawl,
    plan_of,
    recording_services,
    settings_of,
)
from tests.crawler.texts import SIMPLIFIED, TRADITIONAL, own_text, paragraphs
from tests.support.web_server import Answer, Routes, WebServer, endless, gzipped, page, redirect, silent

pytestmark = pytest.mark.usefixtures("processes")

LINKS = (
    "gb", "big5", "lie", "circle", "hop", "inside", "endless", "bomb", "picture", "secret/1", "login", "gone", "error",
    "twin?utm_source=a", "twin",
)  # fmt: skip


def _site(far: str) -> Routes:
    listed = "".join(f'<li><a href="/{name}">{name}的链接</a></li>' for name in LINKS)
    index = f'<ul><li><a href="/1.html">第一章 渡口</a></li>{listed}<li><a href="{far}">far</a></li></ul>'
    return {
        "/": page("目录", index),
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /secret/\nSitemap: /maps/index.xml\n", "text/plain"),
        "/maps/index.xml": Answer(
            b"<sitemapindex><sitemap><loc>SITE/maps/one.xml.gz</loc></sitemap></sitemapindex>", "text/xml"
        ),
        "/1.html": page("第一章 渡口", own_text(1) + '<a href="2.html">下一章</a>'),
        "/2.html": page("第二章 渡口", own_text(2) + '<a href="3.html">下一页</a>'),
        "/3.html": page("第三章 渡口", own_text(3)),
        "/gb": page("国标", own_text(4), "gb18030", "gb2312"),
        "/big5": page("大五碼", paragraphs(TRADITIONAL), "big5hkscs", "", "big5"),
        "/lie": page("谎言", own_text(5), "gb18030", "utf-8", "big5"),
        "/circle": redirect("/circle2"),
        "/circle2": redirect("/circle"),
        "/hop": redirect(far),
        "/inside": redirect("http://169.254.169.254/latest/meta-data/"),
        "/endless": Answer(chunks=endless),
        "/bomb": Answer(gzip.compress(b"<p>" + b" " * 30_000_000), headers={"Content-Encoding": "gzip"}),
        "/picture": Answer(b"\x89PNG" + b"0" * 100_000, "image/png"),
        "/secret/1": page("秘密", own_text(6)),
        "/login": page("登录", own_text(7)),
        "/error": Answer(b"<p>broken</p>", status=500),
        "/twin": page("孪生", own_text(8)),
        "/twin?utm_source=a": page("孪生", own_text(8)),
        "/listed": page("列出", own_text(9)),
    }


@pytest.fixture(scope="module")
def whole(processes: None) -> Iterator[tuple[Crawled, WebServer, WebServer]]:
    """One crawl of everything; the tests look at its parts."""
    with WebServer({"/": page("别站", own_text(99))}) as far, WebServer({}) as site:
        site.routes.update(_site(far.url()))
        index = site.routes["/maps/index.xml"]
        assert isinstance(index, Answer)
        site.routes["/maps/index.xml"] = replace(index, body=index.body.replace(b"SITE", site.url("").encode()))
        urls = f"<urlset><url><loc>{site.url('/listed')}</loc></url><url><loc>{far.url('/')}</loc></url></urlset>"
        site.routes["/maps/one.xml.gz"] = gzipped(Answer(urls.encode()))
        plan = plan_of(site.url(), use_sitemap=True)
        yield crawl(plan, settings_of(site.netloc, far.netloc)), site, far


def test_pages_in_every_encoding_are_kept_as_text(whole: tuple[Crawled, WebServer, WebServer]) -> None:
    crawled, *_ = whole
    for path in ("/1.html", "/gb", "/lie"):
        assert crawled.reading(path).text.splitlines()[1:] == list(SIMPLIFIED)
    assert crawled.reading("/big5").text.splitlines() == list(TRADITIONAL)
    encodings = {"/1.html": "utf-8", "/gb": "gb18030", "/lie": "gb18030", "/big5": "big5hkscs"}
    assert {path: crawled.reading(path).encoding for path in encodings} == encodings


def test_next_pages_and_what_only_a_sitemap_lists_are_found_and_asked_for_once(
    whole: tuple[Crawled, WebServer, WebServer],
) -> None:
    crawled, site, _ = whole
    assert crawled.reading("/3.html").title == "第三章 渡口"
    assert crawled.has("/listed")
    assert [site.requested.count(path) for path in ("/robots.txt", "/1.html")] == [1, 1]
    assert sum(path.startswith("/twin") for path in site.requested) == 1


def test_what_robots_txt_forbids_traps_and_other_hosts_are_left_alone(
    whole: tuple[Crawled, WebServer, WebServer],
) -> None:
    crawled, site, far = whole
    assert not {"/secret/1", "/login"} & set(site.requested)
    assert far.requested == []
    assert (crawled.counts.rejected["robots"], crawled.counts.rejected["off_site"]) == (1, 1)


@pytest.mark.parametrize(
    ("reason", "count", "words"),
    [
        ("redirect_loop", 1, "/circle redirects in a loop"),
        ("unsafe_address", 1, "/inside redirects to an address that is not allowed: http://169.254.169.254/latest/"),
        ("http_error", 2, "/gone returned HTTP status 404"),
        ("http_error", 2, "/error returned HTTP status 500"),
        ("too_large", 2, "/endless is larger than 400000 bytes"),
        ("too_large", 2, "/bomb grows beyond the limit"),
        ("not_html", 1, "/picture is not a web page: its content type is image/png"),
    ],
)
def test_each_refusal_is_counted_and_has_a_sentence(
    whole: tuple[Crawled, WebServer, WebServer], reason: str, count: int, words: str
) -> None:
    counts = whole[0].counts
    assert counts.rejected[reason] == count
    assert any(words in fault for fault in map(str, counts.faults)), counts.faults


def test_the_sums_are_right_and_each_new_version_is_told_of(whole: tuple[Crawled, WebServer, WebServer]) -> None:
    crawled, site, _ = whole
    counts = crawled.counts
    assert site.requested.count("/endless") == 1
    assert site.bytes_sent["/endless"] < 50_000_000, "gigabytes are not taken in"
    # Eight texts and the page that lists them.
    assert (counts.stored, counts.new_versions, counts.unchanged, counts.failed) == (9, 9, 0, 0)
    assert sorted(crawled.sent) == sorted(crawled.store.versions)
    assert counts.fetched == 9
    assert "no_main_text" not in counts.rejected
    assert counts.bytes_fetched > 5_000
    assert counts.seconds_extract > 0
    assert counts.seconds_store > 0
    assert counts.finish_reason == "finished"
    assert len(crawled.progress) >= 2
    assert crawled.progress == sorted(crawled.progress)
    assert crawled.progress[-1] == counts.fetched
    assert crawled.output == "", "nothing is written to the terminal"


def test_evidence_is_kept_as_it_came(whole: tuple[Crawled, WebServer, WebServer]) -> None:
    crawled, site, _ = whole
    fetched = next(fetched for fetched, _ in crawled.store.versions.values() if fetched.final_url.endswith("/gb"))
    answer = site.routes["/gb"]
    assert isinstance(answer, Answer)
    assert fetched.body == answer.body
    assert ("Content-Type", "text/html; charset=gb2312") in fetched.headers
    assert fetched.status == 200
    assert fetched.fetched_at.tzinfo is not None


def _chain(length: int) -> Routes:
    routes: Routes = {"/": page("目录", '<a href="/p/1">开始</a>')}
    for number in range(1, length + 1):
        routes[f"/p/{number}"] = page(f"第{number}篇", own_text(number) + f'<a href="/p/{number + 1}">另一篇</a>')
    return routes


def test_depth_and_number_of_pages_are_bounded() -> None:
    with WebServer(_chain(9)) as site:
        deep = crawl(plan_of(site.url(), max_depth=3), settings_of(site.netloc))
        assert sorted(path for path in set(site.requested) if path.startswith("/p/")) == ["/p/1", "/p/2", "/p/3"]
        assert deep.counts.finish_reason == "finished"
        few = crawl(plan_of(site.url(), max_pages=4, max_depth=50), settings_of(site.netloc))
        assert (few.counts.fetched, few.counts.stored, few.counts.finish_reason) == (4, 3, "page_limit")


def test_the_pace_that_robots_txt_wants_is_kept() -> None:
    robots = Answer(b"User-agent: *\nCrawl-delay: 0.6\n", "text/plain")
    with WebServer(_chain(3) | {"/robots.txt": robots}) as site:
        assert crawl(plan_of(site.url()), settings_of(site.netloc)).counts.stored == 3
        times = [at for path, at in zip(site.requested, site.requested_at_s, strict=True) if path.startswith("/p/")]
        assert all(later - earlier >= 0.25 for earlier, later in pairwise(times))  # jitter: half the delay and more


def test_a_robots_txt_that_fails_forbids_everything_until_the_next_crawl(tmp_path: Path) -> None:
    with WebServer(_chain(2) | {"/robots.txt": Answer(b"busy", "text/plain", 503)}) as site:
        plan = plan_of(site.url(), use_sitemap=True)
        refused = crawl(plan, settings_of(site.netloc), None, tmp_path)
        assert set(site.requested) == {"/robots.txt"}
        assert refused.counts.rejected == {"robots": 1}
        assert (refused.counts.fetched, refused.counts.finish_reason) == (0, "robots")
        assert list(map(str, refused.counts.faults)) == [
            f"{site.url()} was not fetched: the site's robots.txt returned HTTP status 503, "
            "so nothing is fetched for now; the next crawl tries again"
        ]
        site.routes["/robots.txt"] = Answer(b"User-agent: *\nDisallow:\n", "text/plain")
        assert crawl(plan, settings_of(site.netloc), None, tmp_path).counts.stored == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(chunks=silent), "no_answer"),
        (Answer(b"User-agent: *\nAllow: /\n", promises=5_000), "no_answer"),
        (Answer(chunks=endless), "too_large"),
        (redirect("/robots.txt?again"), ""),  # in a circle: RFC 9309, 2.3.1.2, takes it for none
    ],
    ids=["silent", "torn", "endless", "circle"],
)
def test_a_robots_txt_that_cannot_be_reached_forbids_everything(answer: Answer, reason: str) -> None:
    with WebServer(_chain(1) | {"/robots.txt": answer}) as site:
        site.routes["/robots.txt?again"] = redirect("/robots.txt")
        settings = settings_of(site.netloc, timeout_s=1.0, max_body_bytes=100_000)
        counts = crawl(plan_of(site.url(), use_sitemap=True), settings).counts
        assert (counts.stored, counts.rejected.get(reason, 0)) == ((0, 1) if reason else (1, 0))
        assert {"/", "/p/1"}.isdisjoint(site.requested) is bool(reason)
        sentence = f"{site.url()} was not fetched: the site's robots.txt cannot be reached ("
        assert any(str(fault).startswith(sentence) for fault in counts.faults) is bool(reason)


def test_a_plan_that_does_not_obey_robots_txt_asks_it_for_sitemaps_only() -> None:
    robots = "User-agent: *\nDisallow: /\nSitemap: SITE/map.xml\n"
    with WebServer(_chain(1)) as site:
        site.routes["/map.xml"] = Answer(f"<urlset><url><loc>{site.url('/listed')}</loc></url></urlset>".encode())
        site.routes["/listed"] = page("列出", own_text(9))
        site.routes["/robots.txt"] = Answer(robots.replace("SITE", site.url("")).encode(), "text/plain")
        crawled = crawl(plan_of(site.url(), use_sitemap=True, obey_robots=False), settings_of(site.netloc))
        assert crawled.has("/listed")
        assert crawled.has("/p/1")
        assert site.requested.count("/robots.txt") == 1
        site.routes["/robots.txt"] = Answer(b"busy", "text/plain", 503)
        assert crawl(plan_of(site.url(), obey_robots=False), settings_of(site.netloc)).counts.stored == 1


def test_a_pattern_that_takes_too_long_is_named_once_and_the_crawl_ends() -> None:
    links = "".join(f'<a href="/{"a" * 60}!{number}">另一篇{number}</a>' for number in range(40))
    with WebServer(_chain(1) | {"/": page("目录", '<a href="/p/1">开始</a>' + links)}) as site:
        crawled = crawl(plan_of(site.url(), follow_patterns=("/(a|aa)+$", "/p/")), settings_of(site.netloc))
        assert (crawled.counts.stored, crawled.counts.finish_reason) == (2, "finished")
        assert [fault.code for fault in crawled.counts.faults].count("site.slow-pattern") == 1


def test_a_message_is_sent_of_an_unchanged_page_as_of_a_changed_one() -> None:
    with WebServer(_chain(2)) as site:
        first = crawl(plan_of(site.url()), settings_of(site.netloc))
        assert len(first.sent) == 2
        site.routes["/p/2"] = page("第2篇", own_text(22))
        again = crawl(plan_of(site.url()), settings_of(site.netloc), first.store)
        assert (again.counts.stored, again.counts.new_versions, again.counts.unchanged) == (2, 1, 1)
        assert len(again.sent) == 2
        assert {again.store.versions[version][0].final_url[-4:] for version in again.sent} == {"/p/1", "/p/2"}


def test_a_private_address_is_refused_before_anything_is_asked_of_it() -> None:
    with WebServer(_chain(1)) as site:
        port = site.netloc.partition(":")[2]
        hosts = ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]")
        plan = replace(plan_of(""), start_urls=tuple(f"http://{host}:{port}/" for host in hosts), use_sitemap=True)
        counts = crawl(plan, CrawlSettings()).counts
        assert (counts.rejected, counts.finish_reason) == ({"unsafe_address": len(hosts)}, "unsafe_address")
        assert all("ZHUIWEN_ALLOW_PRIVATE_HOSTS" in fault for fault in map(str, counts.faults))
        assert site.requested == []


def test_a_site_that_does_not_answer_gives_one_sentence() -> None:
    with WebServer({}) as site:
        netloc = site.netloc
    crawled = crawl(plan_of(f"http://{netloc}/", use_sitemap=True), settings_of(netloc))
    assert list(map(str, crawled.counts.faults)) == [f"http://{netloc}/ refused the connection; check the URL"]
    assert (crawled.counts.finish_reason, crawled.counts.fetched) == ("no_answer", 0)


def test_a_silent_page_is_given_up_and_the_rest_goes_on() -> None:
    routes = _chain(1) | {
        "/": page("目录", '<a href="/slow">慢</a><a href="/p/1">快</a><a href="/torn">断</a>'),
        "/slow": Answer(chunks=silent),
    }
    routes["/torn"] = Answer(b"<p>half", promises=5_000)
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url()), settings_of(site.netloc, timeout_s=1.0))
        assert crawled.counts.rejected["no_answer"] == 2
        assert any("/slow did not respond within 1 seconds" in fault for fault in map(str, crawled.counts.faults))
        assert any("/torn ended its response early" in fault for fault in map(str, crawled.counts.faults))
        assert site.requested.count("/slow") == 3
        assert crawled.counts.stored == 1


def test_a_store_and_a_broker_that_are_away_for_a_moment_are_waited_for() -> None:
    with WebServer(_chain(2)) as site:
        crawled = crawl(
            plan_of(site.url()), settings_of(site.netloc), RecordingStore(away_calls=2, outbox_away_calls=2)
        )
        assert (crawled.counts.stored, crawled.counts.failed, len(crawled.sent)) == (2, 0, 2)


def test_a_store_that_stays_away_ends_the_crawl_and_the_page_is_still_to_do(tmp_path: Path) -> None:
    with WebServer(_chain(2)) as site:
        crawled = crawl(plan_of(site.url()), settings_of(site.netloc), RecordingStore(away_calls=1_000), tmp_path)
        assert crawled.counts.finish_reason == "store_unavailable"
        assert any("is not responding" in fault and "/p/1" in fault for fault in map(str, crawled.counts.faults))
        assert crawled.counts.stored == 0
        later = crawl(plan_of(site.url()), settings_of(site.netloc), None, tmp_path)
        assert (later.counts.stored, later.counts.finish_reason) == (2, "finished")
        assert site.requested.count("/") == 1


@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGTERM, signal.SIGINT, signal.SIGTERM)])
def test_signals_end_a_crawl_in_order_and_cut_off_no_page_in_flight(signals: tuple[signal.Signals, ...]) -> None:
    with WebServer(_chain(500)) as site:
        process, pipe = crawl_process.start(plan_of(site.url(), max_depth=500, delay_s=0.05), settings_of(site.netloc))
        crawl_process.wait_until(lambda: "/p/3" in site.requested)
        for number in signals:
            crawl_process.kill(process, number)
        crawled = crawl_process.finish(process, pipe)
        assert crawled.counts.finish_reason == "stopped"
        assert 2 <= crawled.counts.stored < 400
        assert len(crawled.sent) == crawled.counts.stored


def test_a_crawl_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    log, job = tmp_path / "stored.jsonl", tmp_path / "job"
    with WebServer(_chain(12)) as site:
        plan = plan_of(site.url(), max_depth=50, delay_s=0.05, concurrency=1)
        process, _ = crawl_process.start(plan, settings_of(site.netloc), RecordingStore(log), job)
        crawl_process.wait_until(
            lambda: (job / JOURNAL_NAME).exists() and len(crawl_process.done_pages(job / JOURNAL_NAME)) >= 4
        )
        crawl_process.kill(process, signal.SIGKILL)
        process.join()
        done = crawl_process.done_pages(job / JOURNAL_NAME)
        (job / JOURNAL_NAME).open("ab").write(b"\x00" * 100)
        crawled = crawl(plan, settings_of(site.netloc), RecordingStore(log), job)
        stored = [json.loads(line) for line in log.read_text().splitlines()]
        assert {url.rpartition("/")[2] for url in stored} == {str(number) for number in range(1, 13)}
        assert crawled.counts.stored == 12 - len(done), "what was stored and not yet noted is stored again"
        assert any("is damaged; the crawl continues" in fault for fault in map(str, crawled.counts.faults))
        assert not (job / JOURNAL_NAME).exists()


def test_a_crawl_whose_site_may_be_anothers_asks_for_nothing_and_stores_nothing(tmp_path: Path) -> None:
    log, job, held = tmp_path / "stored.jsonl", tmp_path / "job", tmp_path / "held"
    held.touch()
    routes, is_given_away = _chain(60), Event()
    sixth = routes["/p/6"]

    def answered_then(_: str) -> Answer:
        is_given_away.wait(crawl_process.DEADLINE_S)
        assert isinstance(sixth, Answer)
        return sixth

    with WebServer({**routes, "/p/6": answered_then}) as site:
        plan = plan_of(site.url(), max_depth=100, delay_s=0.02, concurrency=1)
        process, pipe = crawl_process.start(plan, settings_of(site.netloc), RecordingStore(log), job, held_while=held)
        crawl_process.wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= 4)
        held.unlink()
        is_given_away.set()
        crawled = crawl_process.finish(process, pipe)
        stored, asked = len(log.read_text().splitlines()), len(site.requested)
        assert crawled.counts.finish_reason == "stopped"
        # A page that was stored when the site went to another, and whose message was not sent, is done again.
        assert stored - 1 <= crawled.counts.stored <= stored
        assert 4 <= stored <= 6
        assert asked < len(routes) / 2, "pages are asked for until the store's thread finds out; not many"
        assert "may have been given to another process" in str(crawled.counts.faults[-1])
        assert crawled.counts.stored <= len(crawled.sent) <= stored
        held.touch()
        process, pipe = crawl_process.start(plan, settings_of(site.netloc), RecordingStore(log), job, held_while=held)
        assert crawl_process.finish(process, pipe).counts.finish_reason == "finished"
    stored_urls = [json.loads(line).rpartition("/")[2] for line in log.read_text().splitlines()]
    assert set(stored_urls) == {str(number) for number in range(1, 61)}
    assert len(stored_urls) - 60 == stored - crawled.counts.stored


def test_a_second_crawl_in_one_process_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "twisted.internet.reactor", object())
    with pytest.raises(BrokenInvariant, match="its own process"):
        run_crawl(plan_of("http://a.example/"), recording_services(), CrawlSettings())


def test_a_plan_that_cannot_work_is_refused_with_every_fault_named() -> None:
    plan = replace(plan_of("http://a.example/"), start_urls=(), body_selector="p[[", deny_patterns=("(",))
    with pytest.raises(BadConfiguration) as caught:
        run_crawl(plan, recording_services(), CrawlSettings())
    assert len(caught.value.faults) == 3


def test_a_redirect_that_ends_badly_does_not_spoil_the_next_crawl(tmp_path: Path) -> None:
    links = "".join(f'<a href="/{name}">{name}</a>' for name in ("circle", "hop", "1.html"))
    routes: Routes = {
        "/": page("目录", f"<ul><li>{links}</li></ul>"),
        "/1.html": page("第一章 渡口", own_text(1)),
        "/circle": redirect("/circle2"),
        "/circle2": redirect("/circle"),
        "/hop": redirect("/gone"),
    }
    with WebServer(routes) as site:
        plan, settings = plan_of(site.url()), settings_of(site.netloc)
        fetched = [crawl(plan, settings, job_dir=tmp_path).counts.fetched for _ in range(2)]
    assert fetched == [2, 2]


def test_a_page_behind_a_redirect_is_kept_once_however_it_is_linked(tmp_path: Path) -> None:
    routes: Routes = {
        "/": page("目录", '<ul><li><a href="/old">旧址</a><a href="/new">新址</a></li></ul>'),
        "/old": redirect("/new"),
        "/new": page("第一章 渡口", own_text(1)),
    }
    with WebServer(routes) as site:
        crawled = crawl(plan_of(site.url()), settings_of(site.netloc), job_dir=tmp_path)
    assert crawled.has("/new")
    assert crawled.counts.stored == 1
    assert not (tmp_path / JOURNAL_NAME).exists(), "nothing is left to do"


# What is published of a crawl while it runs can be kept and read anywhere.


# A crawl fetches what a page cannot be read without, once, and nothing for pages that need nothing.

LINE = "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人，谁也不说话，只听见水声。"


def _page(body: str) -> Answer:
    head = '<meta charset="utf-8"><title>渡口</title><link rel="stylesheet" href="/css/read.css">'
    return Answer(f"<html><head>{head}</head><body>{body}</body></html>".encode())


def test_a_sheet_that_hides_is_fetched_once_for_a_site_and_undone_on_every_page() -> None:
    spoilt = "".join(f'{char}<i class="k">的</i>' if char in "雾渡等船" else char for char in LINE)
    index = '<a href="/1.html">第一章</a><a href="/2.html">第二章</a>'
    sheet = Answer(b".k{display:none}", "text/css")
    routes = {
        "/": _page(index),
        "/1.html": _page(f"<div><p>{spoilt}</p><p>{spoilt}</p></div>"),
        "/2.html": _page(f"<div><p>{LINE}</p><p>{spoilt}</p></div>"),
        "/css/read.css": sheet,
    }
    with WebServer(routes) as server:
        crawled = crawl(plan_of(server.url("/"), concurrency=1), settings_of(server.netloc))
        assert server.requested.count("/css/read.css") == 1
        kept = [(server.url("/css/read.css"), "text/css", sheet.body)]
    texts = {reading.text for _, reading in crawled.store.versions.values()}
    assert texts == {f"{LINE}\n{LINE}"}
    assert len(crawled.store.versions) == 2
    for fetched, reading in crawled.store.versions.values():
        assert "的雾的" in reading.raw_text
        assert [(each.url, each.content_type, each.body) for each in fetched.capture.resources] == kept
