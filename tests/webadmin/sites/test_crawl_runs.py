"""Crawl runs as the pipeline carries them: taken, held, given up, lost, put back."""

import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.db import OperationalError
from django.utils import timezone

from core.errors import ServiceUnavailable
from core.messages import CrawlRequested
from core.pages import CrawlCounts
from core.wording import Message
from crawler.frontier import JOURNAL_NAME
from pipeline import slots
from tests.support.embedded import wait_until
from tests.support.memory_cases import MemoryOutbox
from webadmin.accounts.models import RightsHolder
from webadmin.sites import tasks as sites_tasks
from webadmin.sites.models import CrawlRun, Site
from webadmin.sites.services import crawl_process, crawler, crawlers, interruptions, outages
from webadmin.sites.services import runs as crawls

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("processes")]
State = CrawlRun.State
FAULTS = [
    Message("core.not-fetched", url=f"http://pirate.example/{number}", reason=Message("search.robots"))
    for number in (1, 2)
]

A, B = Message("missing.site", key="a"), Message("missing.site", key="b")


@pytest.fixture
def site() -> Site:
    holder = RightsHolder.objects.create(name="甲")
    return Site.objects.create(rights_holder=holder, name="某站", start_urls="http://pirate.example/")


def running(site: Site, silent_for: timedelta = timedelta(0)) -> CrawlRun:
    run = crawls.request_run(site)
    assert crawls.mark_started(run, timezone.now() - silent_for)
    return run


def test_a_message_for_a_run_that_is_taken_starts_no_crawler(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(crawlers, "start_crawler", started.append)
    run = crawls.request_run(site)
    sites_tasks.crawl_site(run.pk)
    assert len(started) == 1
    assert crawls.mark_started(run)
    sites_tasks.crawl_site(run.pk)
    assert len(started) == 1


@pytest.mark.parametrize(
    ("reason", "state"), [("finished", State.FINISHED), ("page_limit", State.FINISHED), ("no_answer", State.FAILED)]
)
def test_a_run_is_finished_at_its_end_and_else_says_why_not(site: Site, reason: str, state: str) -> None:
    run = running(site)
    crawl_process._close_run(run, CrawlCounts(finish_reason=reason, faults=FAULTS))
    run.refresh_from_db()
    assert (run.state, run.finish_reason == FAULTS[0]) == (state, state == State.FAILED)


def test_one_sign_of_life_that_fails_does_not_end_the_lease(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[int] = []

    def failing_first(*_: object) -> bool:
        beats.append(len(beats))
        if len(beats) == 1:
            raise OperationalError("database is locked")
        return True

    monkeypatch.setattr(crawl_process, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(crawls, "heartbeat", failing_first)
    with crawl_process.RunLease(running(site)) as lease:
        wait_until(lambda: len(beats) >= 3, "the heart beats on")
        assert lease.is_held()


def test_a_crawl_that_was_given_up_is_told_to_stop(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: told.set())
    monkeypatch.setattr(crawl_process, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(crawls, "heartbeat", lambda *_: False)
    try:
        with crawl_process.RunLease(running(site)) as lease:
            wait_until(told.is_set, f"process {os.getpid()} gets SIGTERM")
            assert not lease.is_held()
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_process_that_slept_lets_go_of_its_run(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [1_000.0]
    asked, may_answer = threading.Event(), threading.Event()

    def heartbeat(*_: object) -> bool:
        asked.set()
        assert may_answer.wait(60)
        return True

    monkeypatch.setattr(crawl_process, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(crawl_process, "_now_s", lambda: now_s[0])
    monkeypatch.setattr(crawls, "heartbeat", heartbeat)
    with crawl_process.RunLease(running(site)) as lease:
        assert asked.wait(60)
        assert lease.is_held()
        now_s[0] += crawls.DEAD_AFTER_SILENCE.total_seconds()  # by then another process may have the run
        assert not lease.is_held()
        may_answer.set()
        wait_until(lease.is_held, "the run is still its own")


def test_runs_are_taken_as_they_came_due_and_waiting_ones_left(site: Site) -> None:
    now = timezone.now()
    others = [
        Site.objects.create(rights_holder=site.rights_holder, name=f"站{n}", start_urls="http://b.example/")
        for n in range(3)
    ]
    late, early, waiting = (crawls.request_run(each) for each in others)
    CrawlRun.objects.filter(pk=early.pk).update(due_at=now - timedelta(hours=2))
    CrawlRun.objects.filter(pk=waiting.pk).update(resume_at=now + timedelta(hours=1))
    assert [run.pk for run in iter(lambda: crawls.take_next(now), None)] == [early.pk, late.pk]
    assert not crawls.has_waiting(now)
    taken = crawls.take_next(now + timedelta(hours=2))
    assert (taken.pk, taken.state, taken.resume_at) == (waiting.pk, State.RUNNING, None)


@pytest.fixture
def theirs(site: Site) -> Site:
    """A site of another rights holder on the same host."""
    other = RightsHolder.objects.create(name="乙")
    created = Site.objects.create(rights_holder=other, name="某站", start_urls="http://pirate.example/")
    for each in (site, created):
        each.domains.create(host="pirate.example")
    created.domains.create(host="m.pirate.example")
    return created


def test_a_host_is_crawled_for_one_of_those_who_watch_it_at_a_time(site: Site, theirs: Site) -> None:
    now = timezone.now()
    other = RightsHolder.objects.create(name="丙")
    elsewhere = Site.objects.create(rights_holder=other, name="某站", start_urls="http://other.example/")
    elsewhere.domains.create(host="other.example")
    first, second, third = (crawls.request_run(each) for each in (site, theirs, elsewhere))
    assert [run.pk for run in iter(lambda: crawls.take_next(now), None)] == [first.pk, third.pk]
    assert not crawls.has_waiting(now, second.pk)
    assert not crawls.mark_started(second, now)
    assert (second.state, second.resume_at, second.finish_reason) == (State.QUEUED, None, None)  # as behind any other
    assert crawls.finish_run(CrawlRun.objects.get(pk=first.pk), CrawlCounts(finish_reason="finished"))
    assert crawls.has_waiting(now, second.pk)
    assert crawls.take_next(now) == second


def test_a_host_that_wants_a_pause_is_left_alone_by_everybody(site: Site, theirs: Site) -> None:
    now = timezone.now()
    waits = CrawlCounts(finish_reason="asked_to_wait", resume_at=(now + timedelta(hours=1)).isoformat())
    crawl_process._close_run(running(site), waits)
    second = crawls.request_run(theirs)
    assert not crawls.has_waiting(now, second.pk)
    assert crawls.has_waiting(now + timedelta(hours=2), second.pk)


def test_a_machine_has_its_slots_and_takes_a_freed_one_again(tmp_path: Path) -> None:
    one, other = slots.take(tmp_path, 2), slots.take(tmp_path, 2)
    assert other is not None
    assert slots.take(tmp_path, 2) is None
    copy = slots.inherit_slot(os.dup(one.fileno()))  # of a process that was given it
    one.free()
    assert slots.take(tmp_path, 2) is None
    copy.free()
    assert slots.take(tmp_path, 2) is not None


def test_a_leaving_crawler_takes_a_late_run(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message finds all slots taken, and nobody else would come."""
    crawled: list[int] = []

    class LeavingSlot(slots.Slot):
        def free(self) -> None:
            if not crawled:
                crawls.request_run(site)
            super().free()

    def crawl(run: CrawlRun, slot: object) -> None:
        crawled.append(run.pk)
        assert crawls.finish_run(run, CrawlCounts(finish_reason="finished"))

    monkeypatch.setattr(crawlers, "slots_folder", lambda home: tmp_path)
    taken = slots.take(tmp_path, 2)
    leaving = crawler.Crawler(LeavingSlot(os.fdopen(os.dup(taken.fileno()), "ab")))
    taken.free()
    monkeypatch.setattr(leaving, "_crawl_run", crawl)
    leaving.work()
    assert crawled == [CrawlRun.objects.get(site=site).pk]


def test_a_run_that_was_stopped_keeps_what_it_had_counted(site: Site) -> None:
    run = running(site)
    crawl_process._close_run(
        run, CrawlCounts(fetched=7, rejected={"robots": 1}, faults=[FAULTS[0]], finish_reason="stopped")
    )
    run.refresh_from_db()
    assert (run.state, run.pages_fetched, run.started_at) == (State.QUEUED, 7, None)
    assert crawls.mark_started(run)
    lease = crawl_process.RunLease(run)
    lease.note(CrawlCounts(fetched=2, rejected={"robots": 1, "banned": 1}, faults=FAULTS))
    assert lease.counts is not None
    assert crawls.heartbeat(run, lease.counts)
    assert (run.pages_fetched, run.faults) == (9, FAULTS)
    assert run.counts["rejected"] == {"robots": 2, "banned": 1}


def test_a_journal_is_dropped_that_is_older_than_a_crawl_finished_elsewhere(site: Site, tmp_path: Path) -> None:
    journal = tmp_path / "crawls" / f"site-{site.pk}" / JOURNAL_NAME
    journal.parent.mkdir(parents=True)
    journal.write_text("{}\n")
    settings = replace(crawl_process.SETTINGS, home=tmp_path)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(crawl_process, "SETTINGS", settings)
        run = running(site)
        crawl_process._job_dir(run)
        assert journal.exists()
        os.utime(journal, (1_000_000, 1_000_000))
        crawls.finish_run(run, CrawlCounts(finish_reason="finished"))
        crawl_process._job_dir(running(site))
        assert not journal.exists()


def test_after_a_power_cut_queued_and_running_runs_go_on(site: Site) -> None:
    other = Site.objects.create(rights_holder=site.rights_holder, name="另站", start_urls="http://b.example/")
    queued, dead, outbox = crawls.request_run(other), running(site), MemoryOutbox()
    assert interruptions.requeue_live_runs(outbox) == 2
    dead.refresh_from_db()
    assert (dead.state, dead.finish_reason) == (State.FAILED, interruptions.INTERRUPTED)
    successor = CrawlRun.objects.get(site=site, state=State.QUEUED)
    assert set(outbox.drain()) == {CrawlRequested(queued.pk), CrawlRequested(successor.pk)}


def test_a_silent_run_is_taken_up_later_each_time_and_not_for_ever(site: Site) -> None:
    outbox, now = MemoryOutbox(), timezone.now()
    running(site, silent_for=timedelta(minutes=20))
    for pause in interruptions.PAUSES:
        assert interruptions.requeue_silent_runs(now, outbox) == 1
        again = CrawlRun.objects.get(state=State.QUEUED)
        assert again.resume_at == (now + pause if pause else None)
        CrawlRun.objects.filter(pk=again.pk).update(
            state=State.RUNNING, started_at=now, heartbeat_at=now - timedelta(minutes=20)
        )
    assert interruptions.requeue_silent_runs(now, outbox) == 0, "a site that ends its crawler each time"
    assert crawls.abandon_dead_runs(now) == 1
    assert interruptions.requeue_silent_runs(now, outbox) == 0


def test_a_run_that_died_after_it_had_kept_pages_goes_on_at_once_however_often(site: Site) -> None:
    now = timezone.now()
    running(site, silent_for=timedelta(minutes=20))
    for death in range(2 * len(interruptions.PAUSES)):
        assert interruptions.requeue_silent_runs(now, MemoryOutbox()) == 1
        again = CrawlRun.objects.get(state=State.QUEUED)
        assert again.resume_at is None, f"death {death}"
        assert crawls.mark_started(again, now)
        crawls.heartbeat(again, CrawlCounts(fetched=1, unchanged=1), now=now - timedelta(minutes=20))
    CrawlRun.objects.filter(state=State.RUNNING).update(counts={}, pages_stored=0)
    assert interruptions.requeue_silent_runs(now, MemoryOutbox()) == 1, "the first that kept nothing"
    assert CrawlRun.objects.get(state=State.QUEUED).resume_at is None


STORE = ServiceUnavailable(Message("service.page-store"), "ZHUIWEN_MONGO_URL").message


def test_a_run_whose_store_went_away_waits_and_says_for_what_and_until_when(site: Site) -> None:
    run = running(site)
    crawl_process._close_run(run, CrawlCounts(fetched=7, finish_reason="store_unavailable", end_sentence=STORE))
    run.refresh_from_db()
    assert (run.state, run.pages_fetched, run.outages) == (State.QUEUED, 7, 1)
    assert run.resume_at is not None
    until = f"{timezone.localtime(run.resume_at):%Y-%m-%d %H:%M:%S}"
    assert str(run.finish_reason) == f"the page store did not respond; the crawl continues automatically at {until}"
    assert not crawls.has_waiting(timezone.now())
    soon, outbox = timezone.now() + timedelta(minutes=3), MemoryOutbox()
    assert interruptions.resend_lost_runs(soon, outbox) == 1, "the clock takes it up within minutes"
    assert crawls.mark_started(run, soon)
    assert (run.resume_at, run.finish_reason) == (None, None)


def test_an_absent_service_fails_the_run_after_longer_waits(site: Site) -> None:
    run, now = running(site), timezone.now()
    for attempt, pause in enumerate(outages.PAUSES, 1):
        assert outages.wait_for_service(run, None, STORE, now, has_moved=False)
        assert (run.outages, run.resume_at) == (attempt, now + pause)
        now += pause
        assert crawls.mark_started(run, now)
    assert outages.wait_for_service(run, None, STORE, now, has_moved=False)
    assert run.state == State.FAILED
    assert str(run.finish_reason) == (
        f"the page store did not respond after {len(outages.PAUSES)} attempts; see zhuiwen status, then crawl again"
    )


def test_a_run_that_cannot_store_fails_after_longer_waits(site: Site) -> None:
    run = running(site)
    for state in (*[State.QUEUED] * len(outages.PAUSES), State.FAILED):
        lease = crawl_process.RunLease(run)
        lease.note(CrawlCounts(fetched=3))
        crawl_process._fail_run(run, lease, ServiceUnavailable(Message("service.page-store"), "mongo"))
        assert run.state == state
        assert crawls.mark_started(run, timezone.now() + timedelta(hours=1)) == (state == State.QUEUED)


@pytest.mark.parametrize("code", [crawl_process.ENDED, crawl_process.UNKNOWN])
def test_a_run_taken_since_is_left(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    run = running(site, timedelta(minutes=1))

    def crawled_elsewhere(number: int) -> int:
        other = CrawlRun.objects.get(pk=number)
        assert crawls.put_run_back(other)
        assert crawls.mark_started(other)
        return subprocess.Popen([sys.executable, "-c", f"raise SystemExit({code})"]).pid

    monkeypatch.setattr(crawler, "_fork_crawl", crawled_elsewhere)
    monkeypatch.setattr(crawler.connections, "close_all", lambda: None)  # the test's transaction
    slot = slots.take(tmp_path, 1)
    assert crawler.Crawler(slot)._crawl_run(run, slot) is None
    assert slot.take_note() == "", "nothing is left behind"
    assert (CrawlRun.objects.get().state, CrawlRun.objects.count()) == (State.RUNNING, 1)


def test_the_next_crawler_takes_a_killed_run(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(crawlers, "slots_folder", lambda home: tmp_path)
    monkeypatch.setattr(crawlers, "start_crawler", started.append)
    other = Site.objects.create(rights_holder=site.rights_holder, name="另站", start_urls="http://b.example/")
    done, killed = running(other), running(site)
    crawls.finish_run(done, CrawlCounts(finish_reason="finished"))
    for place, run in enumerate((killed, done), 1):
        slot = slots.take(tmp_path, place)
        slot.note(interruptions.slot_task(run))
        if place == 1:
            crawlers.restart_lost_crawler(sites_tasks.SETTINGS)
            assert started == [], "while its holder lives, nobody else is wanted"
            alive = slot
        else:
            alive.free()
            slot.free()
    crawlers.restart_lost_crawler(sites_tasks.SETTINGS)
    assert started == [sites_tasks.SETTINGS]
    taken = slots.take(tmp_path, 2)
    crawler.Crawler(taken)._requeue_left_runs()
    assert CrawlRun.objects.get(pk=killed.pk).finish_reason == interruptions.INTERRUPTED
    assert [run.site_id for run in CrawlRun.objects.filter(state=State.QUEUED)] == [site.pk]
    assert len(started) == 2, "a crawler is started for it; what had ended is left alone"
    taken.free()
    crawlers.restart_lost_crawler(sites_tasks.SETTINGS)
    assert len(started) == 2


def test_a_run_that_was_put_back_and_taken_elsewhere_is_not_taken_up_by_an_old_note(site: Site) -> None:
    run = running(site, timedelta(minutes=1))
    old = interruptions.slot_task(run)
    crawls.put_run_back(run)
    assert crawls.mark_started(run)
    for task in (old, "", "garbled", f"{run.pk}"):
        assert interruptions.requeue_lost_run(task, timezone.now()) is None
    assert interruptions.requeue_lost_run(interruptions.slot_task(run), timezone.now()) is not None


def test_a_lost_message_is_sent_again_behind_others(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    run, outbox = crawls.request_run(site), MemoryOutbox()
    assert interruptions.resend_lost_runs(timezone.now(), outbox) == 0
    CrawlRun.objects.filter(pk=run.pk).update(due_at=timezone.now() - timedelta(seconds=61))
    monkeypatch.setattr(sites_tasks, "live", lambda _: SimpleNamespace(outbox=outbox))
    sites_tasks.start_due_crawls()
    assert outbox.drain() == [CrawlRequested(run.pk)]
