"""The tasks of sites: crawls, imports, discovery, look-ups."""

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
from webadmin.sites.services import crawlers, imports, look_ups, rechecks
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.interruptions import resend_lost_runs, take_up_silent_runs
from webadmin.sites.services.runs import set_clock_back
from webadmin.stores import live

log = logging.getLogger("zhuiwen.pipeline")
DISCOVERY = "discovery"  # who asks the search endpoint


class LookUpStep(StepTask):
    """A step on one look-up. What failed for good is said there, and may be asked for again at once."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        super().on_failure(exc, task_id, args, kwargs, einfo)
        look_ups.give_up(kwargs["look_up_id"], SystemClock().now())


@app.task(name="sites.crawl_site", base=StepTask)
def crawl_site(run_id: int) -> None:
    """Wake a crawler, and wait for none: where all are busy, the first that has ended its crawl takes the run."""
    if crawls.has_waiting(SystemClock().now(), run_id):
        crawlers.start(SETTINGS)


@app.task(name="sites.look_up_contacts", base=LookUpStep)
def look_up_contacts(look_up_id: int) -> None:
    """Ask the registries about a site, since somebody wants to know; one that is answered is not asked again."""
    look_ups.carry_out(look_up_id, SETTINGS, SystemClock())


@app.task(name="sites.start_due_crawls", base=PeriodicTask)
def start_due_crawls() -> None:
    """Queue a run for every site that is due, take up runs that died, and write down those that did not happen."""
    now, outbox = SystemClock().now(), live(SETTINGS).outbox
    if crawls.has_crawls_ahead(now):
        log.warning("%s", Message("start.set-back", count=set_clock_back(now)))
    take_up_silent_runs(now, outbox)
    crawls.abandon_dead_runs(now)
    crawls.missed_runs(now)
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


# Acknowledged early: a row and its sign of life say whether an import lives.
@app.task(name="sites.take_imports", base=PeriodicTask, acks_late=False)
def take_imports() -> None:
    """Start a process for archives that wait, and those whose process died, where a slot is free."""
    if imports.waiting_imports(SystemClock().now()).exists():
        crawlers.start_import(SETTINGS)


@app.task(name="sites.discover", base=PeriodicTask, acks_late=False)
def discover() -> None:
    """Spend what the budgets of the day have left, a few minutes at a time; where no endpoint is set, do nothing."""
    if not SETTINGS.discovery.search_url:
        return
    # Loads what reads pages: only where one searches.
    from webadmin.sites.services.discovery_round import discover as discover_copies

    with redis_lock(redis_client(SETTINGS), DISCOVERY) as is_ours:
        if not is_ours:
            return
        try:
            done = discover_copies(live(SETTINGS), SETTINGS)
        except ZhuiwenError as error:  # the queries it sent stand in the log of queries; the next round tries again
            log.warning("discovery ended: %s", error)
            return
        if done.queries:
            log.info("discovery: %s", done)
