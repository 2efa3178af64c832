"""Celery tasks for sites: crawls, discovery and look-ups."""

import logging
from typing import Any

from core.clock import SystemClock
from core.errors import ZhuiwenError
from core.messages import CrawlRequested
from core.wording import Message
from pipeline.app import SETTINGS, app
from pipeline.connections import redis_client
from pipeline.redis_lock import redis_lock
from webadmin.base_tasks import PeriodicTask, StepTask
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import crawlers, look_ups, rechecks
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.interruptions import requeue_silent_runs, resend_lost_runs
from webadmin.sites.services.runs import set_clock_back
from webadmin.stores import live

log = logging.getLogger("zhuiwen.pipeline")
DISCOVERY = "discovery"  # the name of the lock for querying the search endpoint


class LookUpStep(StepTask):
    """A task for one look-up. A permanent failure ends the look-up, so that it can be requested again immediately."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        super().on_failure(exc, task_id, args, kwargs, einfo)
        look_ups.end_failed_look_up(kwargs["look_up_id"], SystemClock().now())


@app.task(name="sites.crawl_site", base=StepTask)
def crawl_site(run_id: int) -> None:
    """Start a crawler for a waiting run if a slot is free. Otherwise, the next free crawler takes the run."""
    if crawls.has_waiting(SystemClock().now(), run_id):
        crawlers.start_crawler(SETTINGS)


@app.task(name="sites.look_up_contacts", base=LookUpStep)
def look_up_contacts(look_up_id: int) -> None:
    """Carry out a look-up in the registries that a user requested, unless it has ended."""
    look_ups.carry_out_look_up(look_up_id, SETTINGS, SystemClock())


@app.task(name="sites.start_due_crawls", base=PeriodicTask)
def start_due_crawls() -> None:
    """Queue a run for each due site, requeue dead and lost runs, record missed runs, and resume rechecks."""
    now, outbox = SystemClock().now(), live(SETTINGS).outbox
    if crawls.has_upcoming_crawls(now):
        log.warning("%s", Message("start.set-back", count=set_clock_back(now)))
    requeue_silent_runs(now, outbox)
    crawls.abandon_dead_runs(now)
    crawls.record_missed_runs(now)
    for site in rechecks.waiting_sites():
        rechecks.resume_rechecks(site, now, outbox)
    for site in crawls.due_sites(now):
        try:
            run = crawls.request_run(site, trigger=CrawlRun.Trigger.SCHEDULE, due_at=now)
        except crawls.AlreadyRunning as error:
            log.info("%s", error)
        else:
            outbox.send(CrawlRequested(run.pk))
    resend_lost_runs(now, outbox)


@app.task(name="sites.discover", base=PeriodicTask, acks_late=False)
def discover() -> None:
    """Run one round of discovery, which takes a few minutes, if a search endpoint is set and no other round runs."""
    if not SETTINGS.discovery.search_url:
        return
    # Imported here, because it loads the libraries that read pages.
    from webadmin.sites.services.discovery_round import discover as discover_copies

    with redis_lock(redis_client(SETTINGS), DISCOVERY) as is_ours:
        if not is_ours:
            return
        try:
            done = discover_copies(live(SETTINGS), SETTINGS)
        except ZhuiwenError as error:  # The next round tries again.
            log.warning("discovery ended: %s", error)
            return
        if done.queries:
            log.info("discovery: %s", done)
