"""Several processes crawl one real site from a real Redis; some are killed at any moment."""

import hashlib
import json
import random
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from core.errors import BadConfiguration, ServiceUnavailable
from core.ids import SiteId
from core.pages import CrawlPlan
from crawler.frontier import PAGE, ROBOTS, Target
from crawler.shared.frontier import SharedFrontier
from crawler.shared.scheduler import MAX_IN_HAND
from tests.crawler.crawl_process import RecordingStore, finish, kill, plan_of, settings_of, start, wait_until
from tests.crawler.texts import own_text
from tests.support.web_server import Routes, WebServer, page, redirect

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
