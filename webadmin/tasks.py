"""The Celery shell around the steps: decode, call, and one rule for errors.

RetryLater is tried again with a growing pause; BadInput is written down and done with; anything else fails loudly.
What failed for good, or killed the worker again and again, stands in FailedMessage, where a person looks.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from typing import Any

from celery import Task
from celery.exceptions import CeleryError

from core.clock import SystemClock
from core.errors import BadInput, RetryLater, ZhuiwenError
from core.ids import VersionId, WorkTextId, digest
from core.messages import CrawlRequested, MatchesFound, matches_found
from core.wording import Message
from matcher.reworded.weights import is_installed
from pipeline import job_stats, steps
from pipeline.app import SETTINGS, app
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from pipeline.connections import redis_client
from pipeline.pending import pending
from pipeline.redis_lock import MAINTENANCE, SEARCH, STAMPING, redis_lock
from pipeline.search import Searched
from pipeline.search import search_pages as search
from pipeline.sweep import Swept, ask_for_rulings, ask_for_search
from webadmin import database_statistics as statistics
from webadmin.accounts.services import failures
from webadmin.backups.services import future_moments, store_checks
from webadmin.backups.services import schedule as backup_schedule
from webadmin.backups.services.checking import run as checking
from webadmin.backups.services.checking.damage import Part
from webadmin.backups.services.status_notes import note_backlog, note_evidence_status
from webadmin.cases.services.maintenance import sweep_all
from webadmin.cases.services.opinions import requests as opinion_requests
from webadmin.cases.services.opinions.requests import Subject
from webadmin.database import AWAY, is_away
from webadmin.evidence.services import bundles as evidence_book
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.authorities import authorities_of
from webadmin.evidence.services.making import live_evidence
from webadmin.notices.services import mails
from webadmin.notices.services.removals import following as removals
from webadmin.rewrites.services import owed as leads_owed
from webadmin.rewrites.services.searching.owing import owes_anything
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import crawlers, imports, look_ups, rechecks
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.interruptions import resend_lost_runs, take_up_silent_runs
from webadmin.stores import live

log = logging.getLogger("zhuiwen.pipeline")

MAX_BACKOFF_S = 600
SERVICE_AWAY = (RetryLater, *AWAY)  # tried again; some of it is a fault of ours: _is_service_away
PROGRESS_EVERY_S = 10.0
LOCK_WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds
DRAWING = "drawing of evidence"
OWED_BUNDLES = 500  # sent again by one sweep; a bundle takes some 20 ms
REMOVALS = "removals of pages"
CHECKING = "check of the stores"
DISCOVERY = "discovery"  # who asks the search endpoint
DRAWING_S = 20.0  # then other messages come first
DRAWING_BATCH = 100


class Step(Task):
    """A task that knows which errors pass and which stay."""

    autoretry_for = SERVICE_AWAY
    max_retries = SETTINGS.pipeline.max_retries
    retry_backoff = SETTINGS.pipeline.retry_backoff_s
    retry_backoff_max = MAX_BACKOFF_S
    retry_jitter = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """Put the message where a person looks. Called once, when no retry is left."""
        log.error("%s %s failed: %s", self.name, kwargs, exc)
        failures.note(self.name, str(next(iter(kwargs.values()), "")), exc)


class PeriodicTask(Step):
    """A step that comes again by the clock: what a service that is away has kept it from, the next one does."""

    abstract = True
    max_retries = 0

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        if _is_service_away(exc):
            log.warning("%s waits for its next turn: %s", self.name, exc)
        else:
            super().on_failure(exc, task_id, args, kwargs, einfo)


class PagesStep(Step):
    """A step on some page versions. One of them that fails, or ends its worker, does not keep the others from it.

    A message of several that fails, or comes back because its worker died, is sent again as one message each. A version
    that ends its worker is not tried for ever.
    """

    abstract = True

    def __call__(self, version_ids: Sequence[str]) -> Any:
        attempts = Attempts(redis_client(SETTINGS), self.name, digest("".join(version_ids).encode()))
        count = attempts.begin()
        try:
            if count > MAX_ATTEMPTS:
                failures.note(self.name, version_ids[0], failures.WORKER_DIED)
            elif count > 1 and len(version_ids) > 1:
                self._take_apart(version_ids)
            else:
                self._run(version_ids)
        finally:
            attempts.end()  # what is left standing is a worker that died

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """Put the version where a person looks. Called once, when no retry is left."""
        version_ids = kwargs["version_ids"]
        log.error("%s %s failed: %s", self.name, version_ids, exc)
        # Of several, and where a service is away for longer than retries last, the sweeper sends again what is owed.
        if len(version_ids) == 1 and not _is_service_away(exc):
            failures.note(self.name, version_ids[0], exc)

    def _run(self, version_ids: Sequence[str]) -> None:
        try:
            super().__call__(version_ids=version_ids)
        except CeleryError:
            raise
        except Exception as error:
            if _is_service_away(error):
                raise
            if len(version_ids) == 1 and isinstance(error, BadInput):
                log.warning("%s: %s", self.name, error)
            elif len(version_ids) == 1:
                raise
            else:
                log.info(
                    "%s: one of %d pages is at fault (%s); each is tried alone", self.name, len(version_ids), error
                )
                self._take_apart(version_ids)

    def _take_apart(self, version_ids: Sequence[str]) -> None:
        for version in version_ids:
            self.apply_async(kwargs={"version_ids": [version]}, retry=False)


class OpinionsStep(Step):
    """A step on one page version of a case. What failed for good may be asked for again at once."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        subject = Subject(**kwargs)
        log.error("%s %s failed: %s", self.name, subject, exc)
        failures.note(self.name, str(subject), exc)
        opinion_requests.close(subject)


class LookUpStep(Step):
    """A step on one look-up. What failed for good is said there, and may be asked for again at once."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        super().on_failure(exc, task_id, args, kwargs, einfo)
        look_ups.give_up(kwargs["look_up_id"], SystemClock().now())


class MailStep(Step):
    """A step on one mail of a notice. What failed for good is said there."""

    abstract = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        super().on_failure(exc, task_id, args, kwargs, einfo)
        mails.give_up(kwargs["mail_id"], SystemClock().now())


def _is_service_away(error: BaseException) -> bool:
    return isinstance(error, RetryLater) or is_away(error)


def _recorded(name: str, call: Callable[[], object]) -> None:
    """Call a step; input that is at fault is logged and does not come back."""
    try:
        call()
    except BadInput as error:
        log.warning("%s: %s", name, error)


@app.task(name="pipeline.compare_pages", base=PagesStep)
def compare_pages(version_ids: list[str]) -> None:
    """Compare pages; what they took from works is bundled next. A message that is lost, the sweeper sends again."""
    ports = live(SETTINGS)
    found = steps.compare_pages([VersionId(each) for each in version_ids], ports)
    if found:
        with suppress(RetryLater):
            ports.outbox.send(MatchesFound(tuple(found)))


@app.task(name="pipeline.bundle_evidence", base=PagesStep)
def bundle_evidence(version_ids: list[str]) -> None:
    """Bundle the evidence of page versions that became matches."""
    for version in version_ids:
        evidence.bundle_version(VersionId(version), live_evidence(SETTINGS))


@app.task(name="pipeline.register_work", base=Step)
def register_work(text_id: str) -> None:
    """Make a work findable; with the last one that waits, all that are new are searched for."""
    ports = live(SETTINGS)
    _recorded("register_work", lambda: steps.register_work(WorkTextId(text_id), ports))
    if not pending(redis_client(SETTINGS)).waiting["works"]:
        with suppress(RetryLater):  # the sweeper sends for it again
            ask_for_search(ports)


@app.task(name="pipeline.withdraw_work", base=Step)
def withdraw_work(text_id: str) -> None:
    _recorded("withdraw_work", lambda: steps.withdraw_work(WorkTextId(text_id), live(SETTINGS)))


@app.task(name="pipeline.crawl_site", base=Step)
def crawl_site(run_id: int) -> None:
    """Wake a crawler, and wait for none: where all are busy, the first that has ended its crawl takes the run."""
    if crawls.has_waiting(SystemClock().now(), run_id):
        crawlers.start(SETTINGS)


@app.task(name="pipeline.rule_again", base=Step)
def rule_again(rights_holder_id: int) -> None:
    """Rule the findings of a rights holder whose rights changed."""
    _recorded("rule_again", lambda: live(SETTINGS).cases.rule_again(rights_holder_id))


@app.task(name="pipeline.ask_engines", base=OpinionsStep)
def ask_engines(case_id: int, version_id: str) -> None:
    """Ask the published engines about a page; texts that ended the worker again and again are given up."""
    from webadmin.cases.services.opinions import (
        asking as second_opinions,  # loads all engines, 50 MB: only where somebody asks
    )

    subject, ports = Subject(case_id, version_id), live(SETTINGS)
    attempts = Attempts(redis_client(SETTINGS), ask_engines.name, str(subject))
    count = attempts.begin()
    try:
        if count > MAX_ATTEMPTS:
            second_opinions.give_up(subject, ports.clock.now())
        else:
            second_opinions.ask(subject, ports.pages, ports.works, ports.clock.now())
    finally:
        attempts.end()  # what is left standing is a worker that died


@app.task(name="pipeline.look_up_contacts", base=LookUpStep)
def look_up_contacts(look_up_id: int) -> None:
    """Ask the registries about a site, since somebody wants to know; one that is answered is not asked again."""
    look_ups.carry_out(look_up_id, SETTINGS, SystemClock())


@app.task(name="pipeline.send_mail", base=MailStep)
def send_mail(mail_id: int) -> None:
    """Hand the mail of a notice over, since a person pressed "Send"; one that was tried is not tried again."""
    mails.carry_out(mail_id, SETTINGS, SystemClock())


# As long as there are pages. Delivered again after a while, it meets its own lock and ends.
@app.task(name="pipeline.search_pages", base=Step, soft_time_limit=None, time_limit=None)
def search_pages() -> None:
    """Search the stored pages for texts that are new, all of them at once: while works still come in, it waits."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    if pending(client).waiting["works"]:
        return  # the last of them sends for it again
    with redis_lock(client, SEARCH) as is_ours:
        if is_ours:
            searched = search(ports, _Progress().tell)
            if not searched.found_nothing:
                log.info("%s: %s", job_stats.SEARCH, _noted(job_stats.SEARCH, searched))
    # What became findable meanwhile met a search that was under way, and nobody else asks for it before the clock does.
    if is_ours and not searched.found_nothing:
        ask_for_search(ports)


@app.task(name="pipeline.sweep", base=PeriodicTask, soft_time_limit=None, time_limit=None)
def sweep() -> None:
    """Send again what was left behind. While pages still wait in the queue, no page is sent again."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    note_evidence_status(client, SETTINGS)
    if pending(client).waiting["pages"]:
        if not pending(client).waiting["works"]:
            ask_for_search(ports)
            ask_for_rulings(ports)
        return
    with redis_lock(client, MAINTENANCE) as is_ours:
        if is_ours:
            swept = sweep_all(ports)
            _noted(job_stats.SWEEP, swept)
            if not swept.found_nothing:
                log.warning("the sweeper found work left behind: %s", swept)
    _sweep_evidence(ports)


# Acknowledged early: what was not drawn is drawn after the next sweep.
@app.task(name="pipeline.draw_evidence", base=PeriodicTask, acks_late=False)
def draw_evidence() -> None:
    """Draw stored responses behind cases while nothing else waits; then, or after a while, end."""
    client, end = redis_client(SETTINGS), time.monotonic() + DRAWING_S

    def may_go_on() -> bool:
        waits = pending(client).waiting
        return time.monotonic() < end and not (waits["pages"] or waits["works"])

    chromium, is_left = SETTINGS.crawl.chromium, False
    with redis_lock(client, DRAWING) as is_ours:
        if is_ours:
            drawn = evidence.draw_waiting(live_evidence(SETTINGS), DRAWING_BATCH, chromium, may_go_on)
            log.info("%d page versions were drawn", drawn)
            is_left = drawn > 0 and time.monotonic() >= end and bool(evidence_book.waiting_to_be_drawn(limit=1))
    if is_left:
        draw_evidence.apply_async(retry=False)


@app.task(name="pipeline.stamp_evidence", base=PeriodicTask)
def stamp_evidence() -> None:
    """Close the days that ended and ask the authorities for what they have not stamped."""
    with redis_lock(redis_client(SETTINGS), STAMPING) as is_ours:
        if is_ours:
            authorities = authorities_of(SETTINGS.evidence)
            log.info("evidence: %s", evidence.stamp_days(authorities, SystemClock()))


@app.task(name="pipeline.follow_removals", base=PeriodicTask)
def follow_removals() -> None:
    """Tell from what crawls saw which pages were removed or are back, prove it, and ask for the looks that are due."""
    with redis_lock(redis_client(SETTINGS), REMOVALS) as is_ours:
        if is_ours:
            done = removals.follow(live(SETTINGS), live_evidence(SETTINGS).store)
            if done.says_something:
                log.info("removals: %s", done)


@app.task(name="pipeline.refresh_statistics", base=Step)
def refresh_statistics() -> None:
    """Tell the database how large its tables have become."""
    statistics.refresh_statistics()


@app.task(name="pipeline.check_evidence", base=Step, soft_time_limit=None, time_limit=None)
def check_evidence() -> None:
    """Apply the retention policy, then read every stored bundle and kept file again."""
    with redis_lock(redis_client(SETTINGS), STAMPING, wait_s=LOCK_WAIT_S) as is_ours:
        if not is_ours:
            raise RetryLater("evidence.being-stamped")
        ports = live_evidence(SETTINGS)
        removed = evidence.retain(SETTINGS.evidence.keep_years, ports)
        checked = evidence.check_stored(ports)
    counts = {**asdict(checked), "removed": removed}
    done = job_stats.note_job_stats(redis_client(SETTINGS), job_stats.EVIDENCE, SystemClock().now(), counts)
    log.info("%s: %s", job_stats.EVIDENCE, done)


@app.task(name="pipeline.check_stores", base=Step, soft_time_limit=None, time_limit=None)
def check_stores() -> None:
    """Read the part of the stores whose turn it is against its digests; what can be made anew is made anew."""
    client = redis_client(SETTINGS)
    with redis_lock(client, CHECKING) as is_ours:
        if not is_ours:
            return
        part = Part(store_checks.next_part())
        report = checking.check_and_note(SETTINGS, lambda name, done, total: None, may_mend=True, part=part)
    for reason in report.unread:
        log.warning("check of the stores: %s", reason)
    for damage in report.damages:
        log.error("damaged: %s", damage)


@app.task(name="pipeline.compare_daily", base=Step, soft_time_limit=None, time_limit=None)
def compare_daily() -> None:
    """Schedule what the reference corpus owes: new works, another algorithm, pages that came while a part was down."""
    client = redis_client(SETTINGS)
    with redis_lock(client, MAINTENANCE, wait_s=LOCK_WAIT_S) as is_ours:
        if not is_ours:
            raise RetryLater("index.being-swept")
        swept = sweep_all(live(SETTINGS), with_fingerprints=True)
    log.info("%s: %s", job_stats.DAILY, _noted(job_stats.DAILY, swept))


@app.task(name="pipeline.start_due_crawls", base=PeriodicTask)
def start_due_crawls() -> None:
    """Queue a run for every site that is due, take up runs that died, and write down those that did not happen."""
    now, outbox = SystemClock().now(), live(SETTINGS).outbox
    if future_moments.has_crawls_ahead(now):
        log.warning("%s", Message("start.set-back", count=future_moments.set_back(now)))
    take_up_silent_runs(now, outbox)
    crawls.abandon_dead_runs(now)
    crawls.missed_runs(now)
    for site in rechecks.waiting_sites():
        rechecks.go_on(site, now, outbox)
    for site in crawls.due_sites(now):
        try:
            run = crawls.request_run(site, trigger=CrawlRun.Trigger.SCHEDULE, due_at=now)
        except crawls.AlreadyRunning as error:
            log.info("%s", error)
        else:
            outbox.send(CrawlRequested(run.pk))
    resend_lost_runs(now, outbox)


def _sweep_evidence(ports: steps.Ports) -> None:
    """Send for bundles that are owed, cases older than evidence among them, and for pictures."""
    waits = pending(redis_client(SETTINGS)).waiting["evidence"]
    owed = evidence_book.pending(OWED_BUNDLES) if not waits else []
    for message in matches_found(sorted(set(owed) - failures.given_up(bundle_evidence.name, owed))):
        ports.outbox.send(message)
    if SETTINGS.evidence.draws and evidence_book.waiting_to_be_drawn(limit=1):
        draw_evidence.apply_async(retry=False)


# Acknowledged early: a row and its sign of life say whether an import lives.
@app.task(name="pipeline.take_imports", base=PeriodicTask, acks_late=False)
def take_imports() -> None:
    """Start a process for archives that wait, and those whose process died, where a slot is free."""
    if imports.waiting_imports(SystemClock().now()).exists():
        crawlers.start_import(SETTINGS)


@app.task(name="pipeline.back_up", base=PeriodicTask, acks_late=False)
def back_up() -> None:
    """Start a process for the backup that the plan of the desk owes, where none runs."""
    if backup_schedule.due(SystemClock().now()) is not None:
        crawlers.start_backup(SETTINGS)


@app.task(name=leads_owed.TASK, base=PeriodicTask, acks_late=False)
def search_reworded() -> None:
    """Start a process for pages that owe a comparison by meaning, where none runs; where nobody watches, do nothing."""
    watches, has_encoder = leads_owed.watches(), is_installed()
    note_backlog(redis_client(SETTINGS), watches, SystemClock().now(), has_encoder=has_encoder)
    if not watches:
        return
    if not has_encoder:
        _say_what_is_missing(tuple(watch.name for watch in watches))
    elif owes_anything(live(SETTINGS)):
        crawlers.start_reworded(SETTINGS)


@cache
def _say_what_is_missing(holders: tuple[str, ...]) -> None:
    """Once in the life of a process, and not each minute."""
    log.warning("%s", Message("reworded.no-encoder", holders=list(holders)))


@app.task(name="pipeline.discover", base=PeriodicTask, acks_late=False)
def discover() -> None:
    """Spend what the budgets of the day have left, a few minutes at a time; where no endpoint is set, do nothing."""
    if not SETTINGS.discovery.search_url:
        return
    from webadmin.sites.services.discovery_round import (
        discover as discover_copies,  # loads what reads pages: only where one searches
    )

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


class _Progress:
    """Tells the log from time to time how far a search has come."""

    def __init__(self) -> None:
        self._told_at = time.monotonic()

    def tell(self, searched: Searched) -> None:
        if time.monotonic() - self._told_at >= PROGRESS_EVERY_S:
            self._told_at = time.monotonic()
            log.info("searching stored pages: %s", searched)


def _noted(name: str, done: Searched | Swept) -> job_stats.JobStats:
    counts = {key: int(value) for key, value in asdict(done).items()}
    return job_stats.note_job_stats(redis_client(SETTINGS), name, SystemClock().now(), counts)
