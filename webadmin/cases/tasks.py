"""Celery tasks for cases: comparisons, rulings, opinions, searches and the sweep."""

import logging
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from core.clock import SystemClock
from core.errors import RetryLater
from core.ids import VersionId
from core.messages import MatchesFound
from pipeline import job_stats, steps
from pipeline.app import SETTINGS, app
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from pipeline.connections import redis_client
from pipeline.pending import pending
from pipeline.redis_lock import MAINTENANCE, SEARCH, redis_lock
from pipeline.search import SearchCounts
from pipeline.search import search_pages as search
from pipeline.sweep import SweepCounts, ask_for_rulings, ask_for_search
from webadmin.accounts.services import failures
from webadmin.base_tasks import PagesStep, PeriodicTask, StepTask, log_bad_input
from webadmin.cases.services.maintenance import sweep_all
from webadmin.cases.services.opinions import requests as opinion_requests
from webadmin.cases.services.opinions.requests import OpinionSubject
from webadmin.cases.signals import sweep_began, sweep_ended
from webadmin.stores import live

log = logging.getLogger("zhuiwen.pipeline")
LOCK_WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds


class OpinionsStep(StepTask):
    """A task for one page version of a case. After a permanent failure, it can be requested again immediately."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        subject = OpinionSubject(**kwargs)
        log.error("%s %s failed: %s", self.name, subject, exc)
        failures.note_failure(self.name, str(subject), exc)
        opinion_requests.close_request(subject)


@app.task(name="cases.compare_pages", base=PagesStep)
def compare_pages(version_ids: list[str]) -> None:
    """Compare page versions, and request the evidence bundles of the cases found. The sweeper resends lost messages."""
    ports = live(SETTINGS)
    found = steps.compare_pages([VersionId(each) for each in version_ids], ports)
    if found:
        with suppress(RetryLater):
            ports.outbox.send(MatchesFound(tuple(found)))


@app.task(name="cases.rule_again", base=StepTask)
def rule_again(rights_holder_id: int) -> None:
    """Rule again on the findings of a rights holder whose rights changed."""
    log_bad_input("rule_again", lambda: live(SETTINGS).cases.rule_again(rights_holder_id))


@app.task(name="cases.ask_engines", base=OpinionsStep)
def ask_engines(case_id: int, version_id: str) -> None:
    """Run the published engines on a page version. Texts that killed the worker MAX_ATTEMPTS times are given up."""
    # Imported here, because it loads all engines (50 MB).
    from webadmin.cases.services.opinions import asking as second_opinions

    subject, ports = OpinionSubject(case_id, version_id), live(SETTINGS)
    attempts = Attempts(redis_client(SETTINGS), ask_engines.name, str(subject))
    count = attempts.begin()
    try:
        if count > MAX_ATTEMPTS:
            second_opinions.record_failure(subject, ports.clock.now())
        else:
            second_opinions.ask_engines(subject, ports.pages, ports.works, ports.clock.now())
    finally:
        attempts.end()  # The count remains only if the worker died.


# The task runs as long as there are pages. If its message is delivered again, that task finds the lock taken and ends.
@app.task(name="cases.search_pages", base=StepTask, soft_time_limit=None, time_limit=None)
def search_pages() -> None:
    """Search the stored pages for all new texts together. Does nothing while works are waiting to be added."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    if pending(client).waiting["works"]:
        return  # The last one requests the search again.
    with redis_lock(client, SEARCH) as is_ours:
        if is_ours:
            searched = search(ports)
            if not searched.found_nothing:
                log.info("%s: %s", job_stats.SEARCH, _note_stats(job_stats.SEARCH, searched))
    # The message about texts indexed during the search found the lock taken, so the search is requested again.
    if is_ours and not searched.found_nothing:
        ask_for_search(ports)


@app.task(name="cases.sweep", base=PeriodicTask, soft_time_limit=None, time_limit=None)
def sweep() -> None:
    """Resend lost work. If pages wait in the queue, only searches and rulings are requested."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    sweep_began.send(sender=None)
    if pending(client).waiting["pages"]:
        if not pending(client).waiting["works"]:
            ask_for_search(ports)
            ask_for_rulings(ports)
        return
    with redis_lock(client, MAINTENANCE) as is_ours:
        if is_ours:
            swept = sweep_all(ports)
            _note_stats(job_stats.SWEEP, swept)
            if not swept.found_nothing:
                log.warning("the sweeper found work left behind: %s", swept)
    sweep_ended.send(sender=None)


@app.task(name="cases.compare_daily", base=StepTask, soft_time_limit=None, time_limit=None)
def compare_daily() -> None:
    """Sweep with all fingerprints: request the comparisons due for new works, a new algorithm or missed pages.

    Raises RetryLater while another sweep runs.
    """
    client = redis_client(SETTINGS)
    with redis_lock(client, MAINTENANCE, wait_s=LOCK_WAIT_S) as is_ours:
        if not is_ours:
            raise RetryLater("index.being-swept")
        swept = sweep_all(live(SETTINGS), with_fingerprints=True)
    log.info("%s: %s", job_stats.DAILY, _note_stats(job_stats.DAILY, swept))


def _note_stats(name: str, done: SearchCounts | SweepCounts) -> job_stats.JobStats:
    counts = {key: int(value) for key, value in asdict(done).items()}
    return job_stats.note_job_stats(redis_client(SETTINGS), name, SystemClock().now(), counts)
