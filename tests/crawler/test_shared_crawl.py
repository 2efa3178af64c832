"""Several processes crawl one real site from a real Redis; some are killed at any moment."""

import hashlib
import json
import random
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from core.errors import BadConfiguration, ServiceUnavailable
from core.ids import SiteId
from core.pages import CrawlPlan, SpiderKind
from core.politeness import Budget, Politeness
from crawler.frontier import PAGE, ROBOTS, Target
from crawler.shared.budget import SharedUsage
from crawler.shared.frontier import SharedFrontier
from crawler.shared.link import SharedLink
from crawler.shared.scheduler import MAX_IN_HAND
from crawler.visits.visiting import CASE_PRIORITY, DUE_PRIORITY, LIST_PRIORITY, NEW_PRIORITY
from tests.crawler.crawl_process import RecordingStore, finish, kill, plan_of, settings_of, start, wait_until
from tests.crawler.texts import own_text
from tests.support.redis_server import own_redis
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

LISTS, PAGES_A_LIST = 8, 25
LEASE_S = 5.0  # a process may stand still for a second or two where others need the processor


def _site() -> Routes:
    """A start page, lists, and on each list pages; every tenth page has moved, and all pages link home."""
    numbers = range(LISTS * PAGES_A_LIST)
    routes: Routes = {"/": page("目录", _links(f"/list/{number}" for number in range(LISTS)))}
    for number in range(LISTS):
        listed = numbers[number * PAGES_A_LIST : (number + 1) * PAGES_A_LIST]
        routes[f"/list/{number}"] = page("目录", _links(f"/old/{n}" if n % 10 == 0 else f"/p/{n}" for n in listed))
    for number in numbers:
        routes[f"/p/{number}"] = page(f"第{number}章", own_text(number) + _links(["/", "/list/0", f"/p/{number // 2}"]))
        if number % 10 == 0:
            routes[f"/old/{number}"] = redirect(f"/p/{number}")
    return routes


def _links(paths: Iterator[str] | list[str]) -> str:
    return "<ul>" + "".join(f'<li><a href="{path}">{path}号链接</a></li>' for path in paths) + "</ul>"


PAGES = {f"/p/{number}" for number in range(LISTS * PAGES_A_LIST)}


@pytest.fixture
def site_plan(request: pytest.FixtureRequest) -> Iterator[tuple[WebServer, CrawlPlan]]:
    with WebServer(_site()) as site:
        name = SiteId(request.node.name)
        yield site, replace(plan_of(site.url(), max_depth=50, concurrency=8), site_id=name)


def _stored(log: Path) -> Counter[str]:
    return Counter(json.loads(line).partition("/p/")[2] for line in log.read_text().splitlines() if "/p/" in line)


def test_two_processes_fetch_each_page_once_and_share_the_work(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str, tmp_path: Path
) -> None:
    site, plan = site_plan
    settings, log = settings_of(site.netloc), tmp_path / "stored"
    running = [start(plan, settings, RecordingStore(log), None, redis_url) for _ in range(2)]
    crawled = [finish(*each) for each in running]
    assert [each.counts.finish_reason for each in crawled] == ["finished", "finished"]
    asked = Counter(site.requested)
    assert asked.pop("/robots.txt") <= 2
    assert set(asked.values()) == {1}, "an address was fetched twice"
    assert asked.keys() >= PAGES | {"/"}
    assert set(_stored(log).values()) == {1}
    assert len(_stored(log)) == len(PAGES)
    assert min(each.counts.stored for each in crawled) > 0, "one process did all the work"
    assert sum(each.counts.stored for each in crawled) == len(PAGES)


def test_processes_killed_at_any_moment_lose_no_page(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str, tmp_path: Path
) -> None:
    site, plan = site_plan
    settings, log = settings_of(site.netloc, lease_s=LEASE_S), tmp_path / "stored"
    plan = replace(plan, concurrency=6, delay_s=0.005)
    survivor = start(plan, settings, RecordingStore(log), None, redis_url)
    chance, kills, in_hand = random.Random(20_261_121), 3, set[str]()
    for _ in range(kills):
        victim, _ = start(plan, settings, RecordingStore(log), None, redis_url)
        _wait_for_the_moment(redis_url, plan, victim.pid or 0, site, chance.randrange(40))
        kill(victim, signal.SIGKILL)
        victim.join()
        in_hand |= _leased(redis_url, plan)
    crawled = finish(*survivor)
    assert crawled.counts.finish_reason == "finished"
    asked = Counter(site.requested)
    asked.pop("/robots.txt")
    assert asked.keys() >= PAGES, "a page was lost"
    twice = {path for path, count in asked.items() if count > 1}
    assert twice <= in_hand, "something was fetched twice that no killed process had in hand"
    assert len(twice) <= 2 * kills * MAX_IN_HAND * plan.concurrency
    assert _stored(log).keys() == {path.removeprefix("/p/") for path in PAGES}
    assert not _keys_left(redis_url, plan)


def test_a_crawl_whose_processes_were_all_killed_goes_on_with_the_next_run(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str, tmp_path: Path
) -> None:
    site, plan = site_plan
    settings, log = settings_of(site.netloc, lease_s=LEASE_S), tmp_path / "stored"
    victims = [start(replace(plan, concurrency=4), settings, RecordingStore(log), None, redis_url) for _ in range(2)]
    wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= 40)
    for victim, _ in victims:
        kill(victim, signal.SIGKILL)
        victim.join()
    before, in_hand = Counter(site.requested), _leased(redis_url, plan)
    crawled = finish(*start(replace(plan, run_id="second"), settings, RecordingStore(log), None, redis_url))
    assert crawled.counts.finish_reason == "finished"
    after = Counter(site.requested) - before
    assert {path for path in after if path in before} <= in_hand | {"/robots.txt"}
    assert _stored(log).keys() == {path.removeprefix("/p/") for path in PAGES}


def test_a_process_that_is_stopped_in_order_leaves_its_pages_to_the_others_at_once(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str, tmp_path: Path
) -> None:
    site, plan = site_plan
    settings, log = settings_of(site.netloc, lease_s=3600.0), tmp_path / "stored"
    stopped, other = (start(plan, settings, RecordingStore(log), None, redis_url) for _ in range(2))
    wait_until(lambda: len(site.requested) > 60)
    kill(stopped[0], signal.SIGTERM)
    assert finish(*stopped).counts.finish_reason in ("stopped", "finished")
    assert finish(*other).counts.finish_reason == "finished"
    assert set(Counter(site.requested) - Counter(["/robots.txt"] * 2)) >= PAGES
    assert set(_stored(log).values()) == {1}


def test_all_processes_together_keep_the_pace_and_the_number_at_once(redis_url: str) -> None:
    routes: Routes = {"/": page("目录", _links(f"/p/{n}" for n in range(12)))}
    routes |= {f"/p/{n}": page(f"第{n}章", own_text(n)) for n in range(12)}
    with WebServer(routes) as site:
        plan = replace(plan_of(site.url(), delay_s=0.2, concurrency=4), site_id=SiteId("pace"))
        running = [start(plan, settings_of(site.netloc), None, None, redis_url) for _ in range(2)]
        stored = sum(finish(*each).counts.stored for each in running)
    assert stored == 12
    gaps = sorted(later - earlier for earlier, later in pairwise(site.requested_at_s))
    # A request may be late, so that the next one seems early; two processes of their own pace would halve the sum.
    assert sum(gaps) >= 0.2 * 0.9 * len(gaps)


def test_all_processes_together_keep_the_limit_of_pages(site_plan: tuple[WebServer, CrawlPlan], redis_url: str) -> None:
    site, plan = site_plan
    plan = replace(plan, max_pages=40)
    running = [start(plan, settings_of(site.netloc), None, None, redis_url) for _ in range(2)]
    crawled = [finish(*each) for each in running]
    assert sum(each.counts.fetched for each in crawled) == 40
    assert {each.counts.finish_reason for each in crawled} <= {"page_limit", "finished"}
    assert "page_limit" in {each.counts.finish_reason for each in crawled}
    assert not _keys_left(redis_url, plan)


def test_a_process_that_comes_too_late_for_a_run_does_not_crawl_it_again(redis_url: str) -> None:
    with WebServer({"/": page("第一章", own_text(1))}) as site:
        plan = replace(plan_of(site.url()), site_id=SiteId("late"))
        first = finish(*start(plan, settings_of(site.netloc), None, None, redis_url))
        late = finish(*start(plan, settings_of(site.netloc), None, None, redis_url))
        next_run = finish(*start(replace(plan, run_id="next"), settings_of(site.netloc), None, None, redis_url))
    assert [each.counts.stored for each in (first, late, next_run)] == [1, 0, 1]
    assert late.counts.finish_reason == "finished"


def test_a_redis_that_is_not_there_is_one_sentence_without_its_password() -> None:
    with pytest.raises(ServiceUnavailable, match=r"redis://127.0.0.1:1") as caught:
        SharedFrontier(plan_of("http://127.0.0.1:9/"), "redis://:secret@127.0.0.1:1/0")
    assert "secret" not in str(caught.value)


def test_a_page_that_could_not_be_read_does_not_keep_the_processes_waiting(redis_url: str, tmp_path: Path) -> None:
    with WebServer({"/": page("第一章", own_text(1))}) as site:
        plan = replace(plan_of(site.url()), site_id=SiteId("away"))
        settings = settings_of(site.netloc, lease_s=3600.0)
        failed = finish(*start(plan, settings, RecordingStore(away_calls=1_000), None, redis_url))
        assert failed.counts.finish_reason == "store_unavailable"
        again = finish(*start(plan, settings, None, None, redis_url))
    assert (again.counts.stored, again.counts.finish_reason) == (1, "finished")


# The frontier by itself.


@pytest.fixture
def plan(request: pytest.FixtureRequest) -> CrawlPlan:
    return CrawlPlan(SiteId(request.node.name), "r", ("http://a.example/",), ())


def test_what_is_taken_comes_in_the_order_of_kind_and_depth_and_then_as_it_was_found(
    plan: CrawlPlan, redis_url: str
) -> None:
    frontier = SharedFrontier(plan, redis_url)
    frontier.add_all([Target(f"http://a.example/{n}", 1, PAGE) for n in range(3)])
    frontier.add("http://a.example/deep", 2)
    frontier.add("http://a.example/", 0)
    frontier.add("http://a.example/robots.txt", 0, ROBOTS)
    taken = [frontier.take()[1] for _ in range(6)]
    assert [each.url.rpartition("/")[2] for each in taken if each] == ["robots.txt", "", "0", "1", "2", "deep"]
    assert frontier.take() == ("wait", None)


def test_an_address_that_is_known_to_one_process_is_known_to_all(plan: CrawlPlan, redis_url: str) -> None:
    one, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    assert one.add("http://a.example/1", 1)
    assert not other.add("http://a.example/1?utm_source=x", 1)
    one.take()
    one.finish("http://a.example/1")
    assert not other.add("http://a.example/1", 1)
    assert other.take() == ("empty", None)


def test_what_a_silent_process_had_in_hand_is_taken_by_another(plan: CrawlPlan, redis_url: str) -> None:
    silent, other = SharedFrontier(plan, redis_url, lease_s=0.05), SharedFrontier(plan, redis_url)
    silent.add("http://a.example/1", 1)
    assert silent.take()[0] == "target"
    wait_until(lambda: other.take()[0] == "target")
    silent.finish("http://a.example/1")  # it was only slow, and has stored the page
    other.finish("http://a.example/1")
    assert other.take() == ("empty", None)


def test_a_redirect_may_go_the_same_way_again_after_a_kill_and_no_other_may(plan: CrawlPlan, redis_url: str) -> None:
    one, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    assert one.pass_by("http://a.example/new", "http://a.example/old")
    assert other.pass_by("http://a.example/new", "http://a.example/old")
    assert not other.pass_by("http://a.example/new", "http://a.example/other")
    assert not other.add("http://a.example/new", 1)
    one.add("http://a.example/known", 1)
    assert not other.pass_by("http://a.example/known", "http://a.example/old")


def test_another_plan_is_refused_while_a_process_lives_and_starts_afresh_after(plan: CrawlPlan, redis_url: str) -> None:
    other = replace(plan, max_depth=9)
    living = SharedFrontier(plan, redis_url)
    living.add("http://a.example/1", 1)
    with pytest.raises(BadConfiguration, match="is being crawled with another plan"):
        SharedFrontier(other, redis_url)
    living.close(is_complete=False)
    fresh = SharedFrontier(other, redis_url)
    assert fresh.pending() == []
    assert "starts afresh" in fresh.notice


def test_a_redis_that_was_emptied_is_no_complete_crawl(plan: CrawlPlan, redis_url: str) -> None:
    frontier = SharedFrontier(plan, redis_url)
    frontier.add("http://a.example/1", 1)
    client = redis.Redis.from_url(redis_url)
    client.delete(*frontier._keys)
    assert frontier.take() == ("gone", None)


def _wait_for_the_moment(redis_url: str, plan: CrawlPlan, pid: int, site: WebServer, more: int) -> None:
    """Until the process has pages in hand and the site was asked for some more, or the others left it nothing."""
    wait_until(lambda: _has_taken(redis_url, plan, pid) or len(site.requested) > 2 * LISTS + len(PAGES))
    seen = len(site.requested)
    wait_until(lambda: len(site.requested) >= min(seen + more, LISTS + len(PAGES)))


def _has_taken(redis_url: str, plan: CrawlPlan, pid: int) -> bool:
    leases = redis.Redis.from_url(redis_url, decode_responses=True).hgetall(_key(plan, "leases"))
    return any(f":{pid}:" in worker for worker in leases.values())


def _leased(redis_url: str, plan: CrawlPlan) -> set[str]:
    """The paths that processes have in hand, those behind redirects among them."""
    client = redis.Redis.from_url(redis_url, decode_responses=True)
    keys = client.hkeys(_key(plan, "leases"))
    raw = [client.hget(_key(plan, "targets"), key) for key in keys]
    paths = {"/" + json.loads(str(value))[0].split("/", 3)[3] for value in raw if value}
    return paths | {path.replace("/old/", "/p/") for path in paths}


def _keys_left(redis_url: str, plan: CrawlPlan) -> list[str]:
    client = redis.Redis.from_url(redis_url, decode_responses=True)
    base = _key(plan, "")
    return [name for name in client.scan_iter(f"{base}*") if name != f"{base}state"]


def _key(plan: CrawlPlan, name: str) -> str:
    return f"zw:crawl:{{{hashlib.sha256(plan.site_id.encode()).hexdigest()[:24]}}}:{name}"


# Novels, feeds, budgets, and a Redis that fails.


def _novel(chapters: int, parts: int) -> Routes:
    """A catalogue, and chapters of several pages each."""
    listed = "".join(f'<dd><a href="/b/{n}.html">第{n}章 渡口的第{n}天</a></dd>' for n in range(1, chapters + 1))
    routes: Routes = {"/b/": page("江边的故事 目录", f"<h1>江边的故事</h1><dl>{listed}</dl>")}
    for n in range(1, chapters + 1):
        for part in range(1, parts + 1):
            path = f"/b/{n}.html" if part == 1 else f"/b/{n}_{part}.html"
            onward = (
                f'<a href="/b/{n}_{part + 1}.html">下一页</a>'
                if part < parts
                else f'<a href="/b/{n + 1}.html">下一章</a>'
            )
            text = f"<p>第{n}章的第{part}页从这里开始，江水慢慢涨起来了。</p>" + own_text(1_000 * n + part)
            routes[path] = page(f"第{n}章 渡口的第{n}天", f"<h1>第{n}章 渡口的第{n}天</h1>{text}{onward}")
    return routes


def _texts(log: Path) -> dict[str, str]:
    return dict(json.loads(line) for line in log.read_text().splitlines())


def test_a_novel_is_read_by_two_processes_and_no_chapter_is_cut_by_a_kill(redis_url: str, tmp_path: Path) -> None:
    chapters, parts = 12, 3
    with WebServer(_novel(chapters, parts)) as site:
        plan = replace(
            plan_of(site.url("/b/"), kind=SpiderKind.NOVEL, concurrency=2, delay_s=0.1), site_id=SiteId("novel")
        )
        settings, log = settings_of(site.netloc, lease_s=LEASE_S), tmp_path / "stored"
        victim, survivor = (start(plan, settings, RecordingStore(texts=log), None, redis_url) for _ in range(2))
        wait_until(lambda: _has_taken(redis_url, plan, victim[0].pid or 0) and "/b/1_2.html" in site.requested)
        kill(victim[0], signal.SIGKILL)
        crawled = finish(*survivor)
    asked = Counter(site.requested)
    assert crawled.counts.finish_reason == "finished"
    stored = _texts(log)
    assert stored.keys() == {f"/b/{n}.html" for n in range(1, chapters + 1)}
    for n in range(1, chapters + 1):
        found = re.findall(rf"第{n}章的第(\d)页从这里开始", stored[f"/b/{n}.html"])
        assert found == [str(part) for part in range(1, parts + 1)], "a chapter is cut, or in a wrong order"
    repeated = {path for path, count in asked.items() if count > 1 and path != "/robots.txt"}
    assert len(repeated) <= parts * MAX_IN_HAND * plan.concurrency + 1


def test_a_part_that_is_a_chapter_of_its_own_is_kept_by_who_has_it_and_waits_after_a_kill(
    plan: CrawlPlan, redis_url: str
) -> None:
    one, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    one.add("http://a.example/1", 1)
    one.take()
    assert one.pass_by("http://a.example/2", "http://a.example/1")
    assert other.knows(["http://a.example/1", "http://a.example/2"]) == {"http://a.example/1"}
    one.promote("http://a.example/2", 1)
    one.finish("http://a.example/1")
    assert one.is_open("http://a.example/2")
    one.close(is_complete=False)
    assert other.take() == ("target", Target("http://a.example/2", 1, PAGE))


def test_what_is_tied_to_a_feed_is_forgotten_with_the_process_that_read_it_and_what_is_done_is_not(
    plan: CrawlPlan, redis_url: str
) -> None:
    one, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    pages = [Target(f"http://a.example/{n}", 1, PAGE) for n in range(3)]
    one.add("http://a.example/feed", 0, "feed")
    assert one.take()[1] == Target("http://a.example/feed", 0, "feed")
    other.add_all(pages[:1])  # another feed lists it without its text, and it waits
    assert one.add_tied(pages) == ([], pages)
    assert other.take() == ("wait", None)
    one.finish(pages[1].url)
    one.close(is_complete=False)
    assert other.take()[1] == Target("http://a.example/feed", 0, "feed")
    assert other.add_tied(pages) == ([], [pages[0], pages[2]])
    for left in ("feed", "0", "2"):
        other.finish(f"http://a.example/{left}")
    assert other.take() == ("empty", None)


def test_while_a_feed_is_read_again_nobody_else_takes_what_it_carries(plan: CrawlPlan, redis_url: str) -> None:
    one, other, third = (SharedFrontier(plan, redis_url) for _ in range(3))
    one.add("http://a.example/feed", 0, "feed")
    one.take()
    one.add_tied([Target("http://a.example/1", 1, PAGE)])
    one.close(is_complete=False)
    assert other.take()[1] == Target("http://a.example/feed", 0, "feed")
    assert third.take() == ("wait", None)


def test_feeds_are_read_by_two_processes_and_a_page_that_fails_has_the_text_of_its_feed(
    redis_url: str, tmp_path: Path
) -> None:
    feeds, entries = 4, 5
    with WebServer({}) as site:
        for feed in range(feeds):
            urls = [site.url(f"/f{feed}/{n}") for n in range(entries)]
            site.routes[f"/feed{feed}"] = _rss([(url, own_text(100 * feed + n)) for n, url in enumerate(urls)])
            for n in range(1, entries):
                site.routes[f"/f{feed}/{n}"] = page(f"第{n}篇", own_text(100 * feed + n))
            site.routes[f"/f{feed}/0"] = Answer(b"not for you", status=403)
        start_urls = tuple(site.url(f"/feed{feed}") for feed in range(feeds))
        plan = replace(
            plan_of(site.url(), kind=SpiderKind.FEED, delay_s=0.05), site_id=SiteId("feeds"), start_urls=start_urls
        )
        log = tmp_path / "stored"
        running = [start(plan, settings_of(site.netloc), RecordingStore(texts=log), None, redis_url) for _ in range(2)]
        crawled = [finish(*each) for each in running]
    asked = Counter(site.requested)
    asked.pop("/robots.txt")
    assert [each.counts.finish_reason for each in crawled] == ["finished", "finished"]
    assert asked == Counter(
        [f"/feed{f}" for f in range(feeds)] + [f"/f{f}/{n}" for f in range(feeds) for n in range(entries)]
    )
    carried = [item for each in crawled for item in each.store.versions.values() if item[1].extractor == "feed"]
    assert sum(each.counts.stored for each in crawled) == feeds * entries
    assert len(carried) == feeds
    assert sum(each.counts.rejected.get("http_error", 0) for each in crawled) == feeds


def _rss(items: list[tuple[str, str]]) -> Answer:
    entries = "".join(
        f"<item><title>第{n}篇</title><link>{url}</link><content:encoded><![CDATA[{text}]]></content:encoded></item>"
        for n, (url, text) in enumerate(items)
    )
    head = '<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">'
    return Answer(f"{head}<channel><title>报</title>{entries}</channel></rss>".encode(), "application/rss+xml")


def test_all_processes_together_keep_the_budget_of_a_day_to_the_page(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str
) -> None:
    site, plan = site_plan
    budget = 60
    plan = replace(plan, politeness=Politeness(budget=Budget(pages_a_day=budget)))
    running = [start(plan, settings_of(site.netloc), None, None, redis_url) for _ in range(3)]
    crawled = [finish(*each) for each in running]
    assert {each.counts.finish_reason for each in crawled} == {"budget"}
    assert all(each.counts.resume_at for each in crawled)
    assert len(site.requested) == budget
    again = finish(*start(replace(plan, run_id="again"), settings_of(site.netloc), None, None, redis_url))
    assert (again.counts.fetched, again.counts.finish_reason) == (0, "budget")


def test_bytes_exceed_the_budget_of_a_run_by_the_pages_in_flight_at_most(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str
) -> None:
    site, plan = site_plan
    largest = max(len(answer.body) for answer in site.routes.values() if isinstance(answer, Answer))
    budget = 40 * largest
    plan = replace(plan, politeness=Politeness(budget=Budget(bytes_a_run=budget)), concurrency=4)
    running = [start(plan, settings_of(site.netloc), None, None, redis_url) for _ in range(2)]
    crawled = [finish(*each) for each in running]
    assert "byte_limit" in {each.counts.finish_reason for each in crawled}
    assert budget <= sum(site.bytes_sent.values()) <= budget + plan.concurrency * largest


def test_places_of_a_budget_are_taken_in_one_step_and_those_of_a_dead_process_count_as_pages(redis_url: str) -> None:
    link = SharedLink(redis_url)
    budget, day = Budget(pages_a_day=5), "2026-11-21"
    dead = SharedUsage(budget, "r", link, "places", flight_s=0.02)
    living = SharedUsage(budget, "r", link, "places", flight_s=60)
    assert [dead.begin(day), living.begin(day), living.begin(day)] == ["", "", ""]
    living.add(day, 100)
    living.end(day)
    wait_until(lambda: link.call("ZCOUNT", dead._keys[1], "-inf", str(int(time.time() * 1000))) == 1)
    taken = [living.begin(day) for _ in range(4)]
    assert taken == ["", "", "", "pages_a_day"], "one page was spent, one is taken for spent, five are all"
    assert living.begin("2026-11-22") == ""


def test_a_redis_that_was_emptied_gives_no_new_budget(redis_url: str) -> None:
    link, day = SharedLink(redis_url), "2026-11-21"
    one = SharedUsage(Budget(pages_a_day=2), "r", link, "emptied", flight_s=60)
    for _ in range(2):
        assert one.begin(day) == ""
        one.add(day, 10)
    link.call("DEL", *one._keys)
    one.close()
    assert SharedUsage(Budget(pages_a_day=2), "r", link, "emptied", flight_s=60).begin(day) == "pages_a_day"


def test_known_texts_wait_for_lists_and_new_pages_go_before_them(plan: CrawlPlan, redis_url: str) -> None:
    frontier, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    order = {"list": LIST_PRIORITY, "due": DUE_PRIORITY, "case": CASE_PRIORITY, "new": NEW_PRIORITY}
    frontier.priority = lambda target: order[target.url.rpartition("/")[2]]
    urls = {name: f"http://a.example/{name}" for name in order}
    frontier.add_all([Target(urls[name], 1, PAGE) for name in ("due", "case", "list")])
    assert frontier.take()[1] == Target(urls["list"], 1, PAGE)
    assert other.take() == ("wait", None), "the list may name new pages"
    frontier.add(urls["new"], 1)
    frontier.finish(urls["list"])
    taken = [other.take()[1] for _ in range(3)]
    assert [each.url.rpartition("/")[2] for each in taken if each] == ["new", "case", "due"]


def test_what_a_site_asked_one_process_to_wait_for_all_wait_for(plan: CrawlPlan, redis_url: str) -> None:
    one, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    one.add("http://a.example/1", 1)
    one.hold(0.1)
    assert other.take() == ("wait", None)
    wait_until(lambda: other.take()[0] == "target")


def test_who_leaves_last_tells_what_is_left_and_two_at_once_both_do(plan: CrawlPlan, redis_url: str) -> None:
    one, other = SharedFrontier(plan, redis_url), SharedFrontier(plan, redis_url)
    left = [Target(f"http://a.example/{n}", 1, PAGE) for n in range(3)]
    one.add_all(left)
    one.take()
    other.take()
    assert one.left_over() == [], "the other has a page in hand and goes on"
    assert other.left_over() == left
    one.close(is_complete=True)
    assert other.pending() == left, "who has not told what is left clears nothing"
    other.close(is_complete=True)
    assert SharedFrontier(replace(plan, run_id="next"), redis_url).is_empty()


def test_a_failed_address_takes_nothing_of_the_limit_of_pages(plan: CrawlPlan, redis_url: str) -> None:
    frontier = SharedFrontier(replace(plan, max_pages=1), redis_url)
    frontier.add_all([Target(f"http://a.example/{n}", 1, PAGE) for n in range(3)])
    frontier.take()
    frontier.finish("http://a.example/0", is_counted=False)
    assert frontier.take()[0] == "target"
    frontier.finish("http://a.example/1")
    assert frontier.take() == ("full", None)


def test_an_older_state_of_redis_is_told_from_a_crawl_that_goes_on(plan: CrawlPlan, redis_url: str) -> None:
    frontier, client = SharedFrontier(plan, redis_url), redis.Redis.from_url(redis_url)
    frontier.add_all([Target("http://a.example/1", 1, PAGE)])
    older = {key: client.dump(key) for key in frontier._keys if client.exists(key)}
    frontier.add_all([Target("http://a.example/2", 1, PAGE)])
    assert frontier.take()[0] == "target"
    client.delete(*frontier._keys)
    for key, value in older.items():
        client.restore(key, 0, value)
    assert frontier.take() == ("gone", None)
    assert {target.url for target in frontier.left_over()} == {"http://a.example/1", "http://a.example/2"}


def test_links_that_were_found_when_redis_had_lost_the_crawl_are_left_over(plan: CrawlPlan, redis_url: str) -> None:
    frontier = SharedFrontier(plan, redis_url)
    frontier.add("http://a.example/", 0)
    frontier.take()
    redis.Redis.from_url(redis_url).delete(*frontier._keys)
    frontier.add("http://a.example/found", 1)
    frontier.finish("http://a.example/")
    assert frontier.take() == ("gone", None)
    assert frontier.left_over() == [Target("http://a.example/found", 1, PAGE)]


def test_a_wrong_password_is_one_sentence_and_the_right_one_crawls(tmp_path: Path) -> None:
    with own_redis(tmp_path, []) as port, WebServer({"/": page("第一章", own_text(1))}) as site:
        redis.Redis(port=port).config_set("requirepass", "s3cret-gate")
        plan = replace(plan_of(site.url()), site_id=SiteId("gate"))
        with pytest.raises(ServiceUnavailable, match="refuses the password") as caught:
            SharedFrontier(plan, f"redis://:wrong-one@127.0.0.1:{port}/0")
        assert "wrong-one" not in str(caught.value)
        with pytest.raises(ServiceUnavailable, match="refuses the password"):
            SharedFrontier(plan, f"redis://127.0.0.1:{port}/0")
        url = f"redis://:s3cret-gate@127.0.0.1:{port}/0"
        crawled = finish(*start(plan, settings_of(site.netloc), None, None, url))
        assert (crawled.counts.stored, crawled.counts.finish_reason) == (1, "finished")
        assert "s3cret-gate" not in crawled.output


def test_a_redis_that_goes_away_in_mid_crawl_costs_no_page_once_it_is_back(
    site_plan: tuple[WebServer, CrawlPlan], tmp_path: Path
) -> None:
    site, plan = site_plan
    plan, log = replace(plan, delay_s=0.02), tmp_path / "stored"
    settings = settings_of(site.netloc, lease_s=LEASE_S)  # nobody could say goodbye: the next run waits for so long
    kept = ["--appendonly", "yes", "--appendfsync", "always"]
    with own_redis(tmp_path, kept) as port:
        url = f"redis://127.0.0.1:{port}/0"
        running = [start(plan, settings, RecordingStore(log), None, url) for _ in range(2)]
        wait_until(lambda: log.exists() and len(log.read_text().splitlines()) >= 30)
    crawled = [finish(*each) for each in running]
    assert [each.counts.finish_reason for each in crawled] == ["store_unavailable"] * 2
    for each in crawled:
        assert (
            f"Redis, which keeps the shared crawl, does not answer at redis://127.0.0.1:{port}"
            in each.counts.end_sentence
        )
        assert "Traceback" not in each.output
    with own_redis(tmp_path, kept, port):
        again = finish(*start(replace(plan, run_id="again"), settings, RecordingStore(log), None, url))
    assert again.counts.finish_reason == "finished"
    assert _stored(log).keys() == {path.removeprefix("/p/") for path in PAGES}


def test_a_process_whose_clock_is_hours_off_keeps_its_leases_and_loses_them_when_it_dies(
    site_plan: tuple[WebServer, CrawlPlan], redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, plan = site_plan
    plan, log = replace(plan, delay_s=0.01), tmp_path / "stored"
    settings = settings_of(site.netloc, lease_s=LEASE_S)
    right = start(plan, settings, RecordingStore(log), None, redis_url)
    wrong = []
    for name, hours in (("ahead", 5), ("behind", -5)):
        (tmp_path / name).mkdir()
        shifted = f"import time\n_right = time.time\ntime.time = lambda: _right() + {hours * 3600}\n"
        (tmp_path / name / "sitecustomize.py").write_text(shifted)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / name))
        wrong.append(start(plan, settings, RecordingStore(log), None, redis_url, is_fresh=True))
    wait_until(lambda: _has_taken(redis_url, plan, wrong[0][0].pid or 0) or len(site.requested) > 180)
    kill(wrong[0][0], signal.SIGKILL)
    wrong[0][0].join()
    in_hand = _leased(redis_url, plan)
    assert [finish(*each).counts.finish_reason for each in (right, wrong[1])] == ["finished", "finished"]
    asked = Counter(site.requested)
    asked.pop("/robots.txt")
    assert asked.keys() >= PAGES
    assert {path for path, count in asked.items() if count > 1} <= in_hand


def test_no_more_requests_are_under_way_at_once_than_the_site_allows(redis_url: str) -> None:
    """The server answers when as many as may be are there and no more have come after another round of asking."""
    at_once, most, lock, is_full = 0, 0, threading.Lock(), threading.Event()

    def counted(path: str) -> Answer:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
            if at_once >= 3:
                is_full.set()
        is_full.wait(20)
        with lock:
            at_once -= 1
        return page(path, own_text(int(path.rpartition("/")[2])))

    routes: Routes = {"/": page("目录", _links(f"/p/{n}" for n in range(40)))}
    routes |= {f"/p/{n}": counted for n in range(40)}
    with WebServer(routes) as site:
        plan = replace(plan_of(site.url(), concurrency=3), site_id=SiteId("at once"))
        running = [start(plan, settings_of(site.netloc), None, None, redis_url) for _ in range(3)]
        stored = sum(finish(*each).counts.stored for each in running)
    assert (stored, most) == (40, 3)
