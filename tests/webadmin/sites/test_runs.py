"""Crawl runs: never two of a site at once, none missed in silence, none dead for ever."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.clock import ManualClock
from core.errors import BadInput
from core.pages import CrawlCounts
from core.wording import Message
from tests.support import admin_data
from webadmin.sites.models import CrawlRun, Site
from webadmin.sites.services import runs as crawls

ADDED = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)  # noon in Shanghai
FIRST = datetime(2026, 3, 1, 19, 0, tzinfo=UTC)  # three in the morning of the second
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
ANSWERED_500 = Message("core.verbatim", text="https://x/ answered 500")
DISK_FULL = Message("core.verbatim", text="the disk is full")
State, Trigger = CrawlRun.State, CrawlRun.Trigger

pytestmark = pytest.mark.django_db


@pytest.fixture
def site() -> Site:
    made = admin_data.site(admin_data.holder(), crawl_at=time(3, 0))
    Site.objects.filter(pk=made.pk).update(added_at=ADDED)
    made.refresh_from_db()
    return made


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING])
def test_a_second_run_of_a_live_site_is_refused_with_its_name(site: Site, state: str) -> None:
    live = admin_data.run(site, state)
    with pytest.raises(crawls.AlreadyRunning, match=site.name) as caught:
        crawls.request_run(site)
    assert isinstance(caught.value, BadInput)
    assert caught.value.run == live
    assert CrawlRun.objects.count() == 1


def test_a_plan_carries_all_that_the_site_says(site: Site) -> None:
    site.start_urls = "https://a.example/\n\n https://b.example/list \n"
    site.deny_patterns = r"/login"
    site.max_pages, site.delay_s, site.obey_robots = 17, 0.5, False
    plan = crawls.crawl_plan(site, crawls.request_run(site))
    assert plan.start_urls == ("https://a.example/", "https://b.example/list")
    assert plan.allowed_hosts == ("luoxia.example.net",)
    assert plan.deny_patterns == ("/login",)
    assert (plan.max_pages, plan.delay_s, plan.obey_robots) == (17, 0.5, False)
    assert plan.site_id == str(site.pk)


def test_a_finished_run_keeps_its_counts_and_faults_and_lets_the_next_begin(site: Site) -> None:
    person = admin_data.user("manager", site.rights_holder)
    run = crawls.request_run(site, person)
    assert (run.state, run.trigger, run.requested_by) == (State.QUEUED, Trigger.PERSON, person)
    assert crawls.mark_started(run)
    assert not crawls.mark_started(CrawlRun.objects.get(pk=run.pk)), "it is taken up once"
    rejected = {"http_error": 2, "no_answer": 1, "robots": 5, "no_main_text": 7}
    counts = CrawlCounts(
        fetched=9,
        stored=7,
        new_versions=3,
        failed=1,
        faults=[ANSWERED_500],
        rejected=rejected,
        finish_reason="finished",
    )
    assert crawls.finish_run(run, counts)
    assert (run.state, run.pages_fetched, run.pages_stored) == (State.FINISHED, 9, 7)
    assert run.failed_requests == 1 + 3, "refused pages are no failures"
    assert run.counts["rejected"] == rejected
    assert run.faults == [ANSWERED_500]
    assert crawls.request_run(site).state == State.QUEUED


def test_a_failed_run_says_why_and_lets_the_next_begin(site: Site) -> None:
    run = crawls.request_run(site)
    crawls.mark_started(run)
    assert crawls.fail_run(run, CrawlCounts(fetched=2), DISK_FULL)
    assert (run.state, run.finish_reason, run.pages_fetched) == (State.FAILED, DISK_FULL, 2)
    assert not crawls.heartbeat(run)
    assert crawls.request_run(site).pk != run.pk


def test_a_site_is_due_at_its_time_and_not_before(site: Site) -> None:
    clock = ManualClock(FIRST - timedelta(seconds=1))
    assert crawls.due_sites(clock.now()) == []
    clock.advance(1)
    assert crawls.due_sites(clock.now()) == [site]


def test_a_site_that_was_crawled_since_is_not_due_until_the_next_time(site: Site) -> None:
    admin_data.run(site, State.FINISHED, due_at=FIRST + timedelta(minutes=1))
    assert crawls.due_sites(FIRST + timedelta(hours=20)) == []
    assert crawls.due_sites(FIRST + DAY) == [site]


def test_a_live_or_unwatched_site_is_not_due(site: Site) -> None:
    run = admin_data.run(site, State.RUNNING, due_at=FIRST - DAY)
    assert crawls.due_sites(FIRST) == []
    run.delete()
    Site.objects.update(is_active=False)
    assert crawls.due_sites(FIRST) == []
    assert crawls.record_missed_runs(FIRST + 9 * DAY) == []


def test_a_missed_time_is_written_down_once_and_made_up_for(site: Site) -> None:
    assert crawls.record_missed_runs(FIRST + timedelta(minutes=59)) == []
    later = FIRST + timedelta(hours=1, seconds=1)
    missed = crawls.record_missed_runs(later)
    assert [(run.state, run.due_at) for run in missed] == [(State.MISSED, FIRST)]
    assert missed[0].finish_reason
    assert crawls.record_missed_runs(later) == []
    assert crawls.due_sites(later) == [site]


def test_a_scheduled_run_that_comes_late_first_notes_what_was_missed(site: Site) -> None:
    late = FIRST + DAY + timedelta(hours=5)
    crawls.request_run(site, trigger=Trigger.SCHEDULE, due_at=late)
    assert list(CrawlRun.objects.filter(state=State.MISSED).order_by("due_at").values_list("due_at", flat=True)) == [
        FIRST,
        FIRST + DAY,
    ]
    assert crawls.record_missed_runs(late + timedelta(hours=1)) == []


def test_a_run_by_hand_within_the_hour_keeps_the_time_and_a_later_one_does_not(site: Site) -> None:
    admin_data.run(site, due_at=FIRST + timedelta(minutes=20), trigger=Trigger.PERSON)
    admin_data.run(site, due_at=FIRST + DAY + timedelta(hours=6), trigger=Trigger.PERSON)
    missed = crawls.record_missed_runs(FIRST + DAY + timedelta(hours=8))
    assert [run.due_at for run in missed] == [FIRST + DAY]


@pytest.mark.parametrize(
    ("of_site", "of_other", "given_up"),
    [
        ({"state": State.RUNNING, "started_at": DAY, "heartbeat_at": 2 * MINUTE}, {}, 0),
        ({"state": State.RUNNING, "started_at": DAY, "heartbeat_at": 4 * MINUTE}, {}, 1),
        ({"due_at": 5 * HOUR}, {}, 0),
        ({"due_at": 6 * HOUR + MINUTE}, {}, 1),
        ({"due_at": 30 * HOUR}, {"state": State.RUNNING, "started_at": 29 * HOUR, "heartbeat_at": 0 * HOUR}, 0),
        ({"due_at": 30 * HOUR}, {"state": State.FINISHED, "started_at": 29 * HOUR}, 1),
        ({"due_at": 30 * HOUR}, {"state": State.FINISHED, "started_at": 5 * HOUR}, 0),
        ({"due_at": 32 * HOUR}, {"state": State.FINISHED, "started_at": 7 * HOUR}, 1),
    ],
)
def test_a_run_that_beats_waits_its_turn_or_behind_others_is_left_alone(
    site: Site, of_site: dict[str, Any], of_other: dict[str, Any], given_up: int
) -> None:
    """Times are how long ago. A crawl of another site that runs, or was begun of late, says that crawlers are busy."""
    now = timezone.now()
    other = admin_data.site(site.rights_holder, "云笺阁", "yunjian.example")
    for of, values in ((site, of_site), (other, of_other)):
        if values:
            at = {name: now - ago for name, ago in values.items() if name != "state"}
            admin_data.run(of, values.get("state", State.QUEUED), **at)
    assert crawls.abandon_dead_runs(now) == given_up
    failed = CrawlRun.objects.filter(site=site, state=State.FAILED)
    assert [run.finish_reason == crawls.STOPPED_ANSWERING for run in failed] == [
        of_site.get("state") == State.RUNNING
    ] * given_up


def test_a_crawl_that_ends_after_it_was_given_up_is_still_finished(site: Site) -> None:
    run = crawls.request_run(site)
    crawls.mark_started(run)
    crawls.abandon_dead_runs(timezone.now() + timedelta(hours=1))
    assert crawls.finish_run(run, CrawlCounts(stored=5))
    assert (run.state, run.pages_stored) == (State.FINISHED, 5)
