"""Crawl runs as the pipeline carries them: delivered twice, given up, lost, put back."""

import os
import signal
import threading
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from core.messages import CrawlRequested
from core.pages import CrawlCounts
from pipeline import crawl_process, interruptions
from pipeline.memory import MemoryOutbox
from tests.support.embedded import wait_until
from webadmin import crawls
from webadmin.models import CrawlRun, RightsHolder, Site

pytestmark = pytest.mark.django_db
State = CrawlRun.State


@pytest.fixture
def site() -> Site:
    holder = RightsHolder.objects.create(name="甲")
    return Site.objects.create(rights_holder=holder, name="某站", start_urls="http://pirate.example/")


def running(site: Site, silent_for: timedelta = timedelta(0)) -> CrawlRun:
    run = crawls.request_run(site)
    assert crawls.mark_started(run, timezone.now() - silent_for)
    return run


def test_a_message_that_arrives_twice_leaves_the_living_run_alone(site: Site) -> None:
    run = running(site)
    assert crawl_process.main([str(run.pk)]) == crawl_process.NOT_OURS
    run.refresh_from_db()
    assert run.state == State.RUNNING


def test_a_run_that_nobody_knows_is_no_crash() -> None:
    assert crawl_process.main(["404"]) == crawl_process.UNKNOWN


def test_a_run_stopped_from_outside_is_queued_again_with_its_counts(site: Site) -> None:
    run = running(site)
    crawl_process._close(run, CrawlCounts(fetched=7, finish_reason="stopped"))
    run.refresh_from_db()
    assert (run.state, run.pages_fetched, run.started_at) == (State.QUEUED, 7, None)


@pytest.mark.parametrize(("reason", "state"), [("finished", State.FINISHED), ("page_limit", State.FINISHED)])
def test_a_run_that_came_to_its_end_is_finished(site: Site, reason: str, state: str) -> None:
    run = running(site)
    crawl_process._close(run, CrawlCounts(finish_reason=reason))
    run.refresh_from_db()
    assert run.state == state


def test_a_run_that_could_not_go_on_says_why_in_its_first_fault(site: Site) -> None:
    run = running(site)
    crawl_process._close(run, CrawlCounts(finish_reason="no_answer", faults=["http://pirate.example/ does not answer"]))
    run.refresh_from_db()
    assert (run.state, run.finish_reason) == (State.FAILED, "http://pirate.example/ does not answer")


def test_one_sign_of_life_that_fails_does_not_end_the_heartbeat(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    beats: list[int] = []

    def failing_first(*_: object) -> bool:
        beats.append(len(beats))
        if len(beats) == 1:
            raise OperationalError("database is locked")
        return True

    monkeypatch.setattr(crawl_process, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(crawls, "heartbeat", failing_first)
    with crawl_process._Heartbeat(running(site)):
        wait_until(lambda: len(beats) >= 3, "the heart beats on")


def test_a_crawl_that_was_given_up_is_told_to_stop(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    told = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: told.set())
    monkeypatch.setattr(crawl_process, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(crawls, "heartbeat", lambda *_: False)
    try:
        with crawl_process._Heartbeat(running(site)):
            wait_until(told.is_set, f"process {os.getpid()} gets SIGTERM")
    finally:
        signal.signal(signal.SIGTERM, before)


def test_after_a_power_cut_queued_and_running_runs_go_on(site: Site) -> None:
    other = Site.objects.create(rights_holder=site.rights_holder, name="另站", start_urls="http://b.example/")
    queued, dead, outbox = crawls.request_run(other), running(site), MemoryOutbox()
    assert interruptions.requeue_live_runs(outbox) == 2
    dead.refresh_from_db()
    assert (dead.state, dead.finish_reason) == (State.FAILED, interruptions.INTERRUPTED)
    successor = CrawlRun.objects.get(site=site, state=State.QUEUED)
    assert set(outbox.drain()) == {CrawlRequested(queued.pk), CrawlRequested(successor.pk)}


def test_a_silent_run_is_taken_up_once_a_day(site: Site) -> None:
    outbox = MemoryOutbox()
    running(site, silent_for=timedelta(minutes=20))
    assert interruptions.take_up_silent_runs(timezone.now(), outbox) == 1
    successor = CrawlRun.objects.get(state=State.QUEUED)
    assert crawls.mark_started(successor, timezone.now() - timedelta(minutes=20))
    assert interruptions.take_up_silent_runs(timezone.now(), outbox) == 0, "a site that ends its crawler each time"
    assert crawls.abandon_dead_runs(timezone.now()) == 1


def test_a_run_whose_message_was_lost_is_sent_again(site: Site) -> None:
    run, outbox = crawls.request_run(site), MemoryOutbox()
    assert interruptions.resend_lost_runs(timezone.now(), outbox) == 0
    assert interruptions.resend_lost_runs(timezone.now() + timedelta(minutes=3), outbox) == 1
    assert outbox.drain() == [CrawlRequested(run.pk)]
