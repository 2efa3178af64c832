"""Crawlers as the product starts them: real processes on one machine and on two, killed, stopped and woken again.

sites        S1  S2  S3  S4 ...          queued runs, one table
machines     a: crawler, crawler         b: crawler, crawler
each         takes the next run, crawls it in a process of its own, takes the next
"""

import hashlib
import json
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from threading import Event

import psutil
import pytest

from deploy.services.processes import worker_command
from tests.crawler.texts import own_text
from tests.support.installation import CRAWL, CRAWLER, DEADLINE_S, Crawl, Installation, installed, wait_until
from tests.support.small_disk import filled, mounted
from tests.support.web_server import Answer, Routes, WebServer, page
from webadmin.sites.services.runs import DEAD_AFTER_SILENCE

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.timeout(900),
]  # some ten interpreters a test, which others may hold up

PAGES, LISTS = 15, 3
SLOW = {"delay_s": 0.2}


def site_of(prefix: str) -> Routes:
    """A start page, lists, and texts; every page has a validator."""
    routes: Routes = {f"{prefix}/": _tagged("目录", [f"{prefix}/list/{n}" for n in range(LISTS)], "")}
    for number in range(LISTS):
        listed = [f"{prefix}/p/{n}" for n in range(number, PAGES, LISTS)]
        routes[f"{prefix}/list/{number}"] = _tagged("目录", listed, "")
    for number in range(PAGES):
        text = own_text(1_000 * len(prefix) + 100 * int(prefix[2:] or 0) + number)
        routes[f"{prefix}/p/{number}"] = _tagged(f"第{number}章", [f"{prefix}/"], text)
    return routes


def texts_of(prefix: str) -> set[str]:
    return {f"{prefix}/p/{n}" for n in range(PAGES)}


def all_of(prefix: str) -> set[str]:
    return texts_of(prefix) | {f"{prefix}/list/{n}" for n in range(LISTS)} | {f"{prefix}/"}


def _tagged(title: str, links: list[str], text: str) -> Answer:
    body = text + "<ul>" + "".join(f'<li><a href="{link}">{link}号链接</a></li>' for link in links) + "</ul>"
    plain = page(title, body)
    return Answer(plain.body, plain.content_type, headers={"ETag": f'"{hashlib.sha256(plain.body).hexdigest()[:12]}"'})


def _honour_validators(server: WebServer) -> None:
    """Answer 304 to whoever has the page."""
    for path, answer in list(server.routes.items()):
        assert isinstance(answer, Answer)

        def answered(path: str, whole: Answer = answer) -> Answer:
            has_it = server.headers[path].get("If-None-Match") == whole.headers["ETag"]
            return Answer(b"", "", 304, whole.headers) if has_it else whole

        server.routes[path] = answered


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An admin database with all its tables, made once."""
    return tmp_path_factory.mktemp("database") / "admin.sqlite3"


@pytest.fixture
def installation(tmp_path: Path, database: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    with WebServer({}) as server, installed(tmp_path, database, mongo_url, redis_url, server) as made:
        yield made


def watched(installation: Installation, number: int, **values: object) -> dict[str, tuple[int, int]]:
    """So many sites with a queued run each: what their paths begin with, and their numbers and runs."""
    prefixes = [f"/s{each}" for each in range(number)]
    for prefix in prefixes:
        installation.server.routes |= site_of(prefix)
    name = os.environ["PYTEST_CURRENT_TEST"]
    given = [
        {"name": f"{name}{prefix}"[-200:], "start_urls": installation.server.url(f"{prefix}/"), **values}
        for prefix in prefixes
    ]
    return dict(zip(prefixes, installation.sites(*given), strict=True))


def hold_after(count: int, installation: Installation, run: int) -> Event:
    """The site answers so many requests of a run, and further ones when the event is set: the crawl cannot end."""
    server, released = installation.server, Event()

    def held(whole: Answer | Callable[[str], Answer]) -> Callable[[str], Answer]:
        def answered(path: str) -> Answer:
            of_run = f" run {run} "
            asked = sum(of_run in each.user_agent for each in list(server.log))
            if asked > count and of_run in server.headers[path]["User-Agent"]:
                released.wait(DEADLINE_S)
            return whole(path) if callable(whole) else whole

        return answered

    server.routes |= {path: held(answer) for path, answer in server.routes.items()}
    return released


def overlap(one: list[float], other: list[float]) -> bool:
    return one[0] <= other[-1] and other[0] <= one[-1]


def at_once(crawls: dict[Crawl, list[float]]) -> int:
    """The most crawls that were under way at one moment, from the first request of each to its last."""
    moments = sorted([(times[0], 1) for times in crawls.values()] + [(times[-1], -1) for times in crawls.values()])
    running = most = 0
    for _, change in moments:
        running += change
        most = max(most, running)
    return most


_SEND = """
from pipeline.outbox import CeleryOutbox
from core.messages import CrawlRequested
CeleryOutbox().send(CrawlRequested(int(sys.argv[1])))
"""


def test_two_machines_crawl_each_site_once_and_a_kill_loses_nothing(installation: Installation) -> None:
    one, other = installation.machine("a", CRAWLERS=2), installation.machine("b", CRAWLERS=1)
    sites = watched(installation, 5, **SLOW)
    runs = [run for _, run in sites.values()]
    hold_after(8, installation, runs[0])
    one.wake(*runs[::2])
    other.wake(*runs[1::2])
    assert any(installation.state(run) == "queued" for run in runs), "whoever wakes a crawler waits for none"

    prefix = next(iter(sites))

    def victims() -> list[Crawl]:
        return [crawl for crawl, times in installation.crawls(prefix + "/").items() if len(times) > 8]

    wait_until(victims, "a crawl is in its midst")
    (victim,) = victims()
    psutil.Process(victim.pid).kill()
    wait_until(lambda: installation.ended([site for site, _ in sites.values()]), "all sites are crawled")

    for each, (site, run) in sites.items():
        assert installation.pages(site) == texts_of(each), "a page was lost"
        crawls = installation.crawls(each + "/")
        assert not any(overlap(a, b) for a, b in combinations(crawls.values(), 2)), "two processes asked one site"
        states = [row["state"] for row in installation.runs(site)]
        if each == prefix:
            assert (states, len(crawls)) == (["failed", "finished"], 2)
            assert installation.asked()[f"{each}/"] == 1, "the crawl began anew in place of going on"
        else:
            assert (states, {crawl.run for crawl in crawls}) == (["finished"], {run})
            assert installation.asked(each + "/") == Counter(all_of(each))
    for name, limit in (("a", 2), ("b", 1)):
        mine = {crawl: times for crawl, times in installation.crawls().items() if crawl.machine == name}
        assert mine, "a machine took nothing"
        assert at_once(mine) <= limit, "a machine crawled more sites at once than it may"
    for machine in (one, other):
        wait_until(lambda machine=machine: not machine.processes(CRAWLER), "crawlers end when nothing waits")


def test_a_killed_crawl_goes_on_from_its_journal(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=1)
    ((site, run),) = watched(installation, 1, **SLOW).values()
    released = hold_after(8, installation, run)
    with machine.worker(worker_command(1)):
        machine.run(_SEND, run)
        wait_until(lambda: len(installation.asked("/s0/")) > 8, "the crawl is in its midst")
        killed = (*machine.processes(CRAWLER), *machine.processes(CRAWL))
        for each in killed:
            each.kill()
        silent_since = installation.outcome(run)["heartbeat_at"]
        released.set()
        wait_until(lambda: installation.ended([site]), "the run that took its place ends")
        (taken_up,) = [row for row in installation.runs(site) if row["id"] != run]
        assert taken_up["state"] == "finished"
        noticed = datetime.fromisoformat(installation.outcome(run)["finished_at"])
        assert noticed - datetime.fromisoformat(silent_since) < DEAD_AFTER_SILENCE, "nobody waited for its silence"
    assert installation.pages(site) == texts_of("/s0")
    assert installation.asked()["/s0/"] == 1, "the crawl began anew in place of going on"


def test_on_a_full_disk_a_crawl_has_not_died_but_waits_for_room(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=1)
    ((site, run),) = watched(installation, 1).values()
    with mounted(machine.home / "crawls", 1) as folder:
        filled(folder)
        machine.wake(run)
        wait_until(lambda: installation.outcome(run)["outages"], "the run waits")
    waits = installation.outcome(run)
    assert (waits["state"], "service.full-disk" in waits["finish_reason"]) == ("queued", True)
    installation.change("UPDATE watched_sites_crawlrun SET resume_at = NULL WHERE id = ?", run)
    machine.wake(run)
    wait_until(lambda: installation.ended([site]), "there is room again, and the same run is crawled")
    assert installation.state(run) == "finished"
    assert installation.pages(site) == texts_of("/s0")


def test_a_process_given_up_for_dead_wakes_and_harms_nothing(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=2)
    ((site, run),) = watched(installation, 1, **SLOW).values()
    released = hold_after(8, installation, run)
    machine.wake(run)
    wait_until(lambda: len(installation.asked("/s0/")) > 8, "the crawl is in its midst")
    (sleeper,) = machine.processes(CRAWL)
    sleeper.suspend()
    assert installation.take_up_silent(run) == 1
    (taken_up,) = [row["id"] for row in installation.runs(site) if row["state"] == "queued"]
    machine.wake(taken_up)
    wait_until(lambda: any(crawl.run == taken_up for crawl in installation.crawls("/s0/")), "another process crawls")
    asked = len([each for each in installation.server.log if Crawl.of(each).run == run])
    sleeper.resume()
    wait_until(lambda: f"crawl run {run} was given up" in machine.log(), "it learns that the run is another's")
    released.set()
    wait_until(lambda: not sleeper.is_running() or sleeper.status() == psutil.STATUS_ZOMBIE, "it ends by itself")
    wait_until(lambda: installation.ended([site]), "the other one ends")
    more = len([each for each in installation.server.log if Crawl.of(each).run == run]) - asked
    assert more <= 2, "who had lost the run went on asking the site"
    assert [row["state"] for row in installation.runs(site)] == ["failed", "finished"]
    assert "crawl.interrupted" in installation.outcome(run)["finish_reason"]
    assert installation.pages(site) == texts_of("/s0")
    assert not list(machine.home.rglob("frontier.jsonl")), "the journal of a complete crawl is gone"


def test_a_stopped_worker_ends_crawls_that_go_on_as_one_run(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=1)
    ((site, run),) = watched(installation, 1, **SLOW).values()
    released = hold_after(8, installation, run)
    with machine.worker(worker_command(1)) as worker:
        machine.run(_SEND, run)
        wait_until(lambda: len(installation.asked("/s0/")) > 8, "the crawl is in its midst")
        worker.send_signal(signal.SIGTERM)
        released.set()
        assert worker.wait(DEADLINE_S) == 0
    assert not machine.processes(CRAWLER), "a crawler outlived its worker"
    assert not machine.processes(CRAWL), "a crawl outlived its worker"
    half = installation.outcome(run)
    assert (half["state"], 0 < half["pages_fetched"] < len(all_of("/s0"))) == ("queued", True)
    machine.wake(run)
    wait_until(lambda: installation.ended([site]), "the run goes on")
    whole = installation.outcome(run)
    asked = {path: count for path, count in installation.asked("/s0/").items() if path in all_of("/s0")}
    assert asked == Counter(all_of("/s0")), "a page was lost, or fetched twice"
    assert (whole["state"], whole["pages_fetched"], whole["pages_stored"]) == ("finished", len(all_of("/s0")), PAGES)


def test_a_worker_that_is_killed_with_its_group_leaves_its_crawls_alone(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=1)
    ((site, run),) = watched(installation, 1, **SLOW).values()
    released = hold_after(8, installation, run)
    with machine.worker(worker_command(1)) as worker:
        machine.run(_SEND, run)
        wait_until(lambda: len(installation.asked("/s0/")) > 8, "the crawl is in its midst")
        os.killpg(worker.pid, signal.SIGKILL)  # as the watch does with one that hangs
        worker.wait(DEADLINE_S)
        released.set()
        wait_until(lambda: installation.ended([site]), "the crawl has ended")
    assert [row["state"] for row in installation.runs(site)] == ["finished"]
    assert installation.asked("/s0/") == Counter(all_of("/s0"))


def test_a_site_visited_again_notes_what_became_of_its_addresses(installation: Installation) -> None:
    machine, server = installation.machine(), installation.server
    ((site, first),) = watched(installation, 1).values()
    _honour_validators(server)
    machine.wake(first)
    wait_until(lambda: installation.ended([site]), "the first run ends")
    outcome, counts = installation.outcome(first), json.loads(installation.outcome(first)["counts"])
    assert (outcome["state"], json.loads(outcome["finish_reason"])["code"]) == ("finished", "run.finished"), (
        machine.log()
    )
    assert installation.asked() == Counter(all_of("/s0"))
    assert installation.pages(site) == texts_of("/s0")
    assert outcome["pages_fetched"] == len(all_of("/s0"))
    assert counts["stored"] == outcome["pages_stored"] == outcome["new_versions"] == PAGES
    visits = installation.rows("SELECT * FROM watched_sites_address WHERE site_id = ?", site)
    assert len(visits) == len(all_of("/s0"))
    assert all(visit["seen_at"] for visit in visits)

    server.routes["/s0/p/7"] = Answer(b"gone", status=404)
    server.routes["/s0/p/8"] = Answer(b"broken", status=500)
    server.log.clear()
    installation.change("UPDATE watched_sites_address SET due_at = '2026-01-01 00:00:00' WHERE site_id = ?", site)
    second = installation.ask(site)
    machine.wake(second)
    wait_until(lambda: installation.ended([site]), "the second run ends")
    outcome, counts = installation.outcome(second), json.loads(installation.outcome(second)["counts"])
    assert outcome["state"] == "finished", machine.log()
    probes = {path for path in installation.asked() if path not in all_of("/s0")}
    assert len(probes) <= 3, "what is not there is asked for a few times"
    asked = {path: count for path, count in installation.asked().items() if path in all_of("/s0")}
    assert asked.keys() == all_of("/s0")
    assert {path for path, count in asked.items() if count > 1} == {"/s0/p/8"}, "an error is tried again, no other is"
    assert counts["unchanged"] == len(all_of("/s0")) - 2
    assert outcome["failed_requests"] == 2
    failing = installation.rows("SELECT url FROM watched_sites_address WHERE site_id = ? AND failures > 0", site)
    assert [row["url"] for row in failing] == [server.url("/s0/p/8")]
    absent = installation.rows(
        "SELECT url FROM watched_sites_address WHERE site_id = ? AND absent_since IS NOT NULL", site
    )
    assert [row["url"] for row in absent] == [server.url("/s0/p/7")]
    assert "scrapy" not in machine.log(), "pages and requests do not belong into the log"


def test_what_a_crawl_saw_again_until_it_was_killed_is_noted(installation: Installation) -> None:
    machine, server = installation.machine(CRAWLERS=1), installation.server
    ((site, first),) = watched(installation, 1).values()
    _honour_validators(server)
    machine.wake(first)
    wait_until(lambda: installation.ended([site]), "the first run ends")
    installation.compare_all()
    before = {page.id: page.last_seen for page in installation.stored(site)}

    def seen_since() -> set[str]:
        return {page.id for page in installation.stored(site) if page.last_seen > before[page.id]}

    installation.change("UPDATE watched_sites_site SET delay_s = 0.2, concurrency = 1 WHERE id = ?", site)
    installation.change("UPDATE watched_sites_address SET due_at = '2026-01-01 00:00:00' WHERE site_id = ?", site)
    second = installation.ask(site)
    hold_after(12, installation, second)
    machine.wake(second)
    wait_until(lambda: len(seen_since()) >= 4, "the second run has seen pages again")
    for each in (*machine.processes(CRAWLER), *machine.processes(CRAWL)):
        each.kill()
    installation.change("UPDATE watched_sites_crawlrun SET state = 'failed' WHERE id = ?", second)  # it is not to go on
    seen = seen_since()
    assert 4 <= len(seen) < PAGES

    def noted() -> set[str]:
        rows = installation.rows("SELECT page_id, last_seen FROM watched_sites_pagerecord WHERE site_id = ?", site)
        moments = {row["page_id"]: datetime.fromisoformat(row["last_seen"]).replace(tzinfo=UTC) for row in rows}
        return {page for page, at in moments.items() if at > before[page]}

    assert not noted()
    with machine.worker(worker_command(1)):
        # Of the page that was being noted at the kill the message may be missing: its address is done again.
        wait_until(lambda: len(seen - noted()) <= 1, "what was seen is noted")
    assert noted() <= seen


def test_outside_its_hours_a_run_waits_in_the_queue_and_asks_for_nothing(installation: Installation) -> None:
    machine = installation.machine()
    hour = (datetime.now(UTC).hour + 3) % 24
    rules = {"windows": f"{hour:02d}:00-{hour:02d}:30", "zone": "UTC"}
    ((_, run),) = watched(installation, 1, rules=rules).values()
    machine.wake(run)
    wait_until(lambda: installation.outcome(run)["resume_at"], "the run waits")
    wait_until(lambda: not machine.processes(CRAWLER), "the crawler has nothing to do")
    assert (installation.state(run), installation.server.log) == ("queued", [])
