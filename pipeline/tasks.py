"""The Celery shell around the steps: decode, call, and one rule for errors.

RetryLater is tried again with a growing pause; BadInput is written down and done with; anything else fails loudly.
What failed for good, or killed the worker again and again, stands in FailedMessage, where a person looks.
"""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import redis
from celery import Task
from django.db import OperationalError

from core.clock import SystemClock
from core.errors import BadInput, RetryLater, ZhuiwenError
from core.ids import VersionId, WorkTextId
from core.messages import CrawlRequested, MatchFound
from pipeline import evidence, rounds, steps
from pipeline.app import SETTINGS, app
from pipeline.attempts import Attempts
from pipeline.crawl_process import start_crawl
from pipeline.discovery import discover as discover_copies
from pipeline.imports import run_import
from pipeline.interruptions import resend_lost_runs, take_up_silent_runs
from pipeline.pending import pending
from pipeline.search import Searched
from pipeline.search import search_pages as search
from pipeline.sweep import Swept, ask_for_search
from pipeline.turns import SEARCH, UPKEEP, turn
from pipeline.upkeep import sweep_all
from pipeline.wiring import live, live_evidence, redis_client
from webadmin import crawls, evidence_book, failures, imports, second_opinions
from webadmin.evidence_authorities import authorities_of
from webadmin.models import CrawlRun

log = logging.getLogger("zhuiwen.pipeline")

MAX_BACKOFF_S = 600
PROGRESS_EVERY_S = 10.0
TURN_WAIT_S = 120.0  # a sweep of 100,000 pages takes seconds
DRAWING, STAMPING = "drawing of evidence", "upkeep of evidence"
OWED_BUNDLES = 500  # sent again by one sweep; a bundle takes some 20 ms
OPINIONS = "opinions"  # whose turn it is to ask the published engines
DISCOVERY = "discovery"  # whose turn it is to ask the search endpoint
ASKING_S = 20.0  # then other messages come first; one page version takes .15 to 6 s
ASKING_BATCH = 100


class Step(Task):
    """A task that knows which errors pass and which stay."""

    autoretry_for = (RetryLater, OperationalError)
    max_retries = SETTINGS.pipeline.max_retries
    retry_backoff = SETTINGS.pipeline.retry_backoff_s
    retry_backoff_max = MAX_BACKOFF_S
    retry_jitter = True

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """Put the message where a person looks. Called once, when no retry is left."""
        log.error("%s %s failed: %s", self.name, kwargs, exc)
        failures.note(self.name, kwargs, f"{type(exc).__name__}: {exc}")


class Round(Step):
    """A step that comes again by the clock: what a service that is away has kept it from, the next one does."""

    abstract = True
    max_retries = 0

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        if isinstance(exc, (RetryLater, OperationalError)):
            log.warning("%s waits for its next turn: %s", self.name, exc)
        else:
            super().on_failure(exc, task_id, args, kwargs, einfo)


class PageStep(Step):
    """A step on one page. A page that ends its worker is not tried for ever."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        attempts = Attempts(redis_client(SETTINGS), self.name, kwargs["version_id"])
        if attempts.begin():
            result = super().__call__(*args, **kwargs)
            attempts.end()
            return result
        failures.note(self.name, kwargs, "the worker that took this page up died, again and again")
        return None


def _recorded(name: str, call: Callable[[], object]) -> None:
    """Call a step; input that is at fault is logged and does not come back."""
    try:
        call()
    except BadInput as error:
        log.warning("%s: %s", name, error)


@app.task(name="pipeline.fingerprint_page", base=PageStep)
def fingerprint_page(version_id: str) -> None:
    _recorded("fingerprint_page", lambda: steps.fingerprint_page(VersionId(version_id), live(SETTINGS)))


@app.task(name="pipeline.match_page", base=PageStep)
def match_page(version_id: str) -> None:
    _recorded("match_page", lambda: _matched(VersionId(version_id)))


@app.task(name="pipeline.bundle_evidence", base=PageStep)
def bundle_evidence(version_id: str) -> None:
    """Bundle the evidence of a page version that became a match."""
    _recorded("bundle_evidence", lambda: evidence.bundle_version(VersionId(version_id), live_evidence(SETTINGS)))


@app.task(name="pipeline.register_work", base=Step)
def register_work(text_id: str) -> None:
    _recorded("register_work", lambda: steps.register_work(WorkTextId(text_id), live(SETTINGS)))


@app.task(name="pipeline.withdraw_work", base=Step)
def withdraw_work(text_id: str) -> None:
    _recorded("withdraw_work", lambda: steps.withdraw_work(WorkTextId(text_id), live(SETTINGS)))


# A crawl takes as long as it takes. Acknowledged early: the run's row and its heartbeat say whether it lives.
@app.task(name="pipeline.crawl_site", base=Step, acks_late=False, soft_time_limit=None, time_limit=None)
def crawl_site(run_id: int) -> None:
    _recorded("crawl_site", lambda: start_crawl(run_id))


# As long as there are pages. Delivered again after a while, it meets its own turn and ends.
@app.task(name="pipeline.search_pages", base=Step, soft_time_limit=None, time_limit=None)
def search_pages() -> None:
    """Search the stored pages for texts that are new, all of them at once: while works still come in, it waits."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    if pending(client).waiting["works"]:
        return  # the sweeper sends for it again
    with turn(client, SEARCH) as is_ours:
        if is_ours:
            searched = search(ports, _Progress().tell)
            if not searched.found_nothing:
                log.info("%s: %s", rounds.SEARCH, _noted(rounds.SEARCH, searched))


@app.task(name="pipeline.sweep", base=Round, soft_time_limit=None, time_limit=None)
def sweep() -> None:
    """Send again what was left behind. While pages still wait in the queue, no page is sent again."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    if pending(client).waiting["pages"]:
        if not pending(client).waiting["works"]:
            ask_for_search(ports)
        return
    with turn(client, UPKEEP) as is_ours:
        if is_ours:
            swept = sweep_all(ports)
            _noted(rounds.SWEEP, swept)
            if not swept.found_nothing:
                log.warning("the sweeper found work left behind: %s", swept)
    if second_opinions.waiting(limit=1):
        ask_engines.apply_async(retry=False)
    _sweep_evidence(ports)


# Acknowledged early: what was not asked is asked after the next sweep, and nobody has to wait for it.
@app.task(name="pipeline.ask_engines", base=Round, acks_late=False)
def ask_engines() -> None:
    """Ask the published engines about the pages behind cases while nothing else waits; then, or after a while, end."""
    client, ports = redis_client(SETTINGS), live(SETTINGS)
    with turn(client, OPINIONS) as is_ours:
        is_left = is_ours and _ask_while_idle(client, ports)
    if is_left:
        ask_engines.apply_async(retry=False)


# Acknowledged early, as above: what was not drawn is drawn after the next sweep.
@app.task(name="pipeline.draw_evidence", base=Round, acks_late=False)
def draw_evidence() -> None:
    """Draw stored responses behind cases while nothing else waits; then, or after a while, end."""
    client, end = redis_client(SETTINGS), time.monotonic() + ASKING_S

    def may_go_on() -> bool:
        waits = pending(client).waiting
        return time.monotonic() < end and not (waits["pages"] or waits["works"])

    chromium, is_left = SETTINGS.crawl.chromium, False
    with turn(client, DRAWING) as is_ours:
        if is_ours:
            drawn = evidence.draw_waiting(live_evidence(SETTINGS), ASKING_BATCH, chromium, may_go_on)
            log.info("%d page versions were drawn", drawn)
            is_left = drawn > 0 and time.monotonic() >= end and bool(evidence_book.waiting_to_be_drawn(limit=1))
    if is_left:
        draw_evidence.apply_async(retry=False)


@app.task(name="pipeline.stamp_evidence", base=Round)
def stamp_evidence() -> None:
    """Close the days that ended and ask the authorities for what they have not stamped."""
    with turn(redis_client(SETTINGS), STAMPING) as is_ours:
        if is_ours:
            authorities = authorities_of(SETTINGS.evidence)
            log.info("evidence: %s", evidence.stamp_days(authorities, SystemClock()))


@app.task(name="pipeline.check_evidence", base=Step, soft_time_limit=None, time_limit=None)
def check_evidence() -> None:
    """Apply the retention policy, then read every stored bundle again."""
    with turn(redis_client(SETTINGS), STAMPING, wait_s=TURN_WAIT_S) as is_ours:
        if not is_ours:
            raise RetryLater("the evidence is being stamped; its check is tried again")
        ports = live_evidence(SETTINGS)
        removed = evidence.retain(SETTINGS.evidence.keep_years, ports)
        checked = evidence.check_bundles(ports)
    counts = {**asdict(checked), "removed": removed}
    done = rounds.note_round(redis_client(SETTINGS), rounds.EVIDENCE, SystemClock().now(), counts)
    log.info("%s: %s", rounds.EVIDENCE, done)


@app.task(name="pipeline.compare_daily", base=Step, soft_time_limit=None, time_limit=None)
def compare_daily() -> None:
    """Schedule what the mother corpus owes: new works, another algorithm, pages that came while a part was down."""
    client = redis_client(SETTINGS)
    with turn(client, UPKEEP, wait_s=TURN_WAIT_S) as is_ours:
        if not is_ours:
            raise RetryLater("the index is being swept or rebuilt; the daily comparison is tried again")
        swept = sweep_all(live(SETTINGS), with_fingerprints=True)
    log.info("%s: %s", rounds.DAILY, _noted(rounds.DAILY, swept))


@app.task(name="pipeline.start_due_crawls", base=Round)
def start_due_crawls() -> None:
    """Queue a run for every site that is due, take up runs that died, and write down those that did not happen."""
    now, outbox = SystemClock().now(), live(SETTINGS).outbox
    take_up_silent_runs(now, outbox)
    crawls.abandon_dead_runs(now)
    crawls.missed_runs(now)
    for site in crawls.due_sites(now):
        try:
            run = crawls.request_run(site, trigger=CrawlRun.Trigger.SCHEDULE, due_at=now)
        except crawls.AlreadyRunning as error:
            log.info("%s", error)
        else:
            outbox.send(CrawlRequested(run.pk))
    if not pending(redis_client(SETTINGS)).waiting["crawl"]:
        resend_lost_runs(now, outbox)


def _matched(version: VersionId) -> None:
    """Compare a page; what it took from some text is bundled next. A message that is lost, the sweeper sends again."""
    ports = live(SETTINGS)
    if steps.match_page(version, ports):
        with suppress(RetryLater):
            ports.outbox.send(MatchFound(version))


def _sweep_evidence(ports: steps.Ports) -> None:
    """Send for bundles that are owed, cases older than evidence among them, and for pictures."""
    owed = evidence_book.owed(OWED_BUNDLES)
    for version in sorted(set(owed) - failures.given_up(bundle_evidence.name, owed)):
        ports.outbox.send(MatchFound(version))
    if SETTINGS.evidence.draws and evidence_book.waiting_to_be_drawn(limit=1):
        draw_evidence.apply_async(retry=False)


# Acknowledged early: a row and its sign of life say whether an import lives. As long as the files take.
@app.task(name="pipeline.take_imports", base=Round, acks_late=False, soft_time_limit=None, time_limit=None)
def take_imports() -> None:
    """Take in the archives that wait, and those whose process died, one after the other."""
    ports = live(SETTINGS)
    for row in imports.waiting_imports(SystemClock().now()):
        if not imports.take(row, SystemClock().now()):
            continue
        try:
            run_import(row, ports.pages, ports.outbox, SETTINGS.crawl)
        except RetryLater as error:
            log.warning("import %s stopped, and is taken up again: %s", row.pk, error)
            return


@app.task(name="pipeline.discover", base=Round, acks_late=False)
def discover() -> None:
    """Spend what the budgets of the day have left, a few minutes at a time; where no endpoint is set, do nothing."""
    if not SETTINGS.discovery.search_url:
        return
    with turn(redis_client(SETTINGS), DISCOVERY) as is_ours:
        if not is_ours:
            return
        try:
            done = discover_copies(live(SETTINGS), SETTINGS)
        except ZhuiwenError as error:  # the queries it sent stand in the log of queries; the next round tries again
            log.warning("discovery ended: %s", error)
            return
        if done.queries:
            log.info("discovery: %s", done)


def _ask_while_idle(client: "redis.Redis", ports: steps.Ports) -> bool:
    """Whether some are left and nothing but the time was in the way."""
    end = time.monotonic() + ASKING_S
    for subject in second_opinions.waiting(ASKING_BATCH):
        waits = pending(client).waiting
        if waits["pages"] or waits["works"]:
            return False
        if time.monotonic() >= end:
            return True
        attempts = Attempts(client, ask_engines.name, str(subject))
        if attempts.begin():
            second_opinions.ask(subject, ports.pages, ports.works, ports.clock.now())
        else:
            second_opinions.give_up(subject, ports.clock.now())
        attempts.end()
    return bool(second_opinions.waiting(limit=1))


class _Progress:
    """Tells the log from time to time how far a search has come."""

    def __init__(self) -> None:
        self._told_at = time.monotonic()

    def tell(self, searched: Searched) -> None:
        if time.monotonic() - self._told_at >= PROGRESS_EVERY_S:
            self._told_at = time.monotonic()
            log.info("searching stored pages: %s", searched)


def _noted(name: str, done: Searched | Swept) -> rounds.Round:
    counts = {key: int(value) for key, value in asdict(done).items()}
    return rounds.note_round(redis_client(SETTINGS), name, SystemClock().now(), counts)
