"""A clock that was ahead once and was set right: nothing waits for the moments that it wrote down."""

import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from core.settings_loading import load
from pipeline.app import app
from tests.support.memory_cases import MemoryOutbox
from webadmin import clock as beat
from webadmin.accounts.models import RightsHolder
from webadmin.backups.models import BackupPlan, BackupRun
from webadmin.backups.services import schedule as backup_schedule
from webadmin.preparation import ensure_schedule
from webadmin.sites import tasks as sites_tasks
from webadmin.sites.models import ArchiveImport, CrawlRun, DiscoveryQuery, Site
from webadmin.sites.services import imports
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.runs import set_clock_back
from webadmin.ui.services import future_moments
from webadmin.works.models import Work

pytestmark = pytest.mark.django_db
YEAR = timedelta(days=365)


@pytest.fixture
def site() -> Site:
    holder = RightsHolder.objects.create(name="甲")
    site = Site.objects.create(rights_holder=holder, name="某站", start_urls="http://pirate.example/")
    Site.objects.filter(pk=site.pk).update(added_at=timezone.now() - timedelta(days=3))
    site.refresh_from_db()
    return site


def test_runs_ahead_of_the_clock_do_not_stop_a_site(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    now, outbox = timezone.now(), MemoryOutbox()
    run = crawls.request_run(site, trigger=CrawlRun.Trigger.SCHEDULE, due_at=now + YEAR)
    CrawlRun.objects.filter(pk=run.pk).update(state=CrawlRun.State.FINISHED, finished_at=now + YEAR)
    CrawlRun.objects.create(site=site, state=CrawlRun.State.MISSED, due_at=now + YEAR)
    later = now + timedelta(days=1, minutes=1)
    assert site not in crawls.due_sites(later), "what stood still"
    monkeypatch.setattr(sites_tasks, "live", lambda _: SimpleNamespace(outbox=outbox))
    sites_tasks.start_due_crawls()
    assert CrawlRun.objects.filter(due_at__gt=now + timedelta(minutes=1)).count() == 0
    assert CrawlRun.objects.get(pk=run.pk).finished_at <= timezone.now()
    assert not CrawlRun.objects.filter(state=CrawlRun.State.MISSED, due_at__gt=now - timedelta(minutes=1)).exists()
    assert crawls.due_sites(later) == [site]


def test_what_counts_from_a_moment_ahead_counts_from_now(site: Site) -> None:
    now = timezone.now()
    Site.objects.filter(pk=site.pk).update(added_at=now + YEAR)
    BackupPlan.objects.create(is_on=True, destination="/nowhere", at=(now - timedelta(hours=1)).time())
    BackupRun.objects.create(is_scheduled=True, destination="/nowhere", started_at=now + YEAR, ended_at=now + YEAR)
    row = ArchiveImport.objects.create(rights_holder=site.rights_holder, path="a.warc", state="running", size_bytes=1)
    ArchiveImport.objects.filter(pk=row.pk).update(heartbeat_at=now + YEAR)
    work = Work.objects.create(rights_holder=site.rights_holder, title="夜航")
    DiscoveryQuery.objects.create(work=work, chapter_number=1, asked_at=now + YEAR)
    counted = future_moments.count_ahead(now)
    assert sum(counted.values()) == set_clock_back(now) == 5
    assert future_moments.count_ahead(now) == {}
    assert set_clock_back(now) == 0
    assert backup_schedule.due_backup(now + timedelta(days=2)) is not None
    assert not imports.is_importing(now + timedelta(minutes=11))
    site.refresh_from_db()
    assert crawls.next_due(site, now) <= now + timedelta(days=2)  # type: ignore[operator]


@pytest.mark.django_db(transaction=True)  # as the scheduler looks, it closes a connection with a transaction open
def test_the_clock_sends_again_what_it_sent_while_it_was_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beat, "call_this_process", lambda name: None)
    monkeypatch.setattr(beat.Scheduler, "producer", None)  # which would connect
    ensure_schedule(load({}))
    PeriodicTask.objects.update(last_run_at=timezone.now() + YEAR)
    sent: list[str] = []
    scheduler = beat.Scheduler(app=app)
    monkeypatch.setattr(scheduler, "apply_entry", lambda entry, producer=None: sent.append(entry.name))
    scheduler.tick()
    assert not PeriodicTask.objects.filter(last_run_at__gt=timezone.now()).exists()
    # As the clock is turned back while it runs: what is due next was reckoned by the wrong one.
    for entry in scheduler.schedule.values():
        entry.last_run_at = timezone.now() + YEAR
    scheduler.populate_heap()
    scheduler.tick()
    assert scheduler._heap
    assert scheduler._heap[0][0] < time.time() + 61
    for entry in scheduler.schedule.values():
        entry.last_run_at = timezone.now() - timedelta(minutes=2)
    scheduler.populate_heap()
    scheduler.tick()
    assert sent
