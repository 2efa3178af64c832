"""Crawls one run in a process that `webadmin.sites.services.crawler` forks.

Each run needs its own process, because Scrapy's reactor can start only once in a process.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.db import Error as DatabaseFailure
from django.db import transaction
from django.db.models import Max

from core.clock import SystemClock
from core.errors import NotFound, RetryLater, ZhuiwenError
from core.pages import CrawlCounts
from core.ports import Outbox
from core.states import Rejection
from core.wording import Message
from crawler.contacts.reading import ContactGatherer
from crawler.frontier import drop_journal
from crawler.run import CrawlServices, run_crawl
from crawler.stats import BYTE_LIMIT, PAGE_LIMIT, STOPPED, STORE_AWAY
from pagestore.mongo import MongoPageStore
from pipeline.app import SETTINGS
from pipeline.outbox import CeleryOutbox
from webadmin.database import refresh_connections, retry_outages, time_limit
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import contacts, families, outages, politeness, rechecks
from webadmin.sites.services import domain_changes as identity
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.visit_repository import DjangoVisitRepository
from webadmin.stores import open_page_store

log = logging.getLogger("zhuiwen.crawl")
ENDED, UNKNOWN, NOT_OURS = 0, 1, 3  # exit codes
COMPLETE = ("finished", PAGE_LIMIT, BYTE_LIMIT)
DATABASE_FAULT = Message("crawl.database-fault")
HEARTBEAT_S = 5.0
MAX_UNCONFIRMED_S = crawls.DEAD_AFTER_SILENCE.total_seconds() / 2


class RunLease:
    """A context manager that renews the lease of a run in a thread, and stops the crawl if the lease is lost.

    Another process crawls the run after `crawls.DEAD_AFTER_SILENCE` without a heartbeat. A process that was suspended,
    or whose database is down, therefore holds its lease for at most half of that time; the other half allows for
    differing clocks. Afterwards, it fetches and stores nothing until a heartbeat has confirmed the lease.
    """

    def __init__(self, run: CrawlRun) -> None:
        self._run = run
        self._earlier = crawls.stored_counts(run)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew_lease, name="run-lease", daemon=True)
        self._confirmed_at_s = _now_s()
        self._is_lost = False
        self.counts: CrawlCounts | None = None

    def __enter__(self) -> "RunLease":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def is_held(self) -> bool:
        """Return True if no other process can be crawling the run."""
        return not self._is_lost and _now_s() - self._confirmed_at_s < MAX_UNCONFIRMED_S

    def note(self, counts: CrawlCounts) -> None:
        """Store the totals for the next heartbeat. Must be called in the thread that changes `counts`."""
        self.counts = self.total(counts)

    @property
    def has_moved(self) -> bool:
        """True if this process has stored pages for the run."""
        return self.counts is not None and self.counts.kept_pages > self._earlier.kept_pages

    def total(self, counts: CrawlCounts) -> CrawlCounts:
        """Return `counts` plus the counts of earlier attempts at the run."""
        return counts.plus(self._earlier)

    def _renew_lease(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            asked_at_s = _now_s()
            refresh_connections()  # The connection may have been closed since the last heartbeat.
            try:
                is_ours = crawls.heartbeat(self._run, self.counts)
            except DatabaseFailure as error:
                log.warning("a sign of life could not be written: %s", error)
                continue
            if not is_ours:
                self._is_lost = True
                log.warning("crawl run %s was given up; stopping", self._run.pk)
                os.kill(os.getpid(), signal.SIGTERM)
                return
            self._confirmed_at_s = asked_at_s


def crawl(number: int) -> int:
    """Crawl the run with the key `number`, record the result in its row, and return the exit code.

    Returns ENDED if the result was recorded, NOT_OURS if the run is not running, and UNKNOWN otherwise.
    """
    asked = CrawlRun.objects.select_related("site").filter(pk=number)
    run = retry_outages(asked.first, time_limit(MAX_UNCONFIRMED_S))
    if run is None:
        log.error("%s", NotFound("crawl-run", number))
        return UNKNOWN
    if run.state != CrawlRun.State.RUNNING:
        log.info("crawl run %s is %s", run.pk, run.state)
        return NOT_OURS
    with RunLease(run) as lease:
        return _crawl_run(run, lease)


def _crawl_run(run: CrawlRun, lease: RunLease) -> int:
    store, outbox = open_page_store(SETTINGS), CeleryOutbox()
    gathered = ContactGatherer(SystemClock().now)
    try:
        counts = run_crawl(
            crawls.crawl_plan(run.site, run),
            CrawlServices(store, outbox, DjangoVisitRepository(), is_held=lease.is_held),
            SETTINGS.crawl,
            _job_dir(run),
            on_progress=lease.note,
            on_read=lambda url, page: gathered.add_page(url, page.contacts),
        )
    except (ZhuiwenError, DatabaseFailure, OSError) as error:
        fault = outages.outage_message(error)
        if fault is None and isinstance(error, OSError):
            raise
        is_bug = fault is None and not isinstance(error, ZhuiwenError)
        log.error("crawl run %s ended: %s", run.pk, error, exc_info=is_bug)
        why = error
        return _write_result(lease, lambda: _fail_run(run, lease, why), run, outbox)
    _propose_moves(run, store)
    code = _write_result(lease, lambda: _close_run(run, lease.total(counts), has_moved=lease.has_moved), run, outbox)
    if code == ENDED:
        _read_family(run, store)
        _keep_contacts(run, gathered)
    return code


def _write_result(lease: RunLease, write: Callable[[], object], run: CrawlRun, outbox: Outbox) -> int:
    """Record the result of a run by calling `write`, and return the exit code.

    During an outage of the database, it is repeated as long as the lease is held.
    """
    try:
        retry_outages(write, lease.is_held)
    except DatabaseFailure as error:
        log.error("what became of crawl run %s could not be written, and it is taken up again: %s", run.pk, error)
        return UNKNOWN
    _resume_rechecks(run, outbox)
    return ENDED


def _fail_run(run: CrawlRun, lease: RunLease, error: Exception) -> None:
    """Requeue a run whose error is the outage of a service; fail it after any other error."""
    fault = outages.outage_message(error)
    if fault is not None:
        outages.wait_for_service(run, lease.counts, fault, SystemClock().now(), has_moved=lease.has_moved)
    else:
        crawls.fail_run(run, lease.counts, error.message if isinstance(error, ZhuiwenError) else DATABASE_FAULT)


def _propose_moves(run: CrawlRun, store: MongoPageStore) -> None:
    """Propose possible moves of the site. Errors are logged, because the next crawl repeats this."""
    refresh_connections()
    try:
        identity.propose_moves(run.site, store, SystemClock().now())
    except (ZhuiwenError, DatabaseFailure) as error:
        log.warning("whether site %s has moved was not looked into: %s", run.site_id, error)


def _resume_rechecks(run: CrawlRun, outbox: Outbox) -> None:
    """Complete the rechecks that this run fetched, and start the waiting ones.

    Errors are ignored, because the scheduler repeats this.
    """
    with suppress(RetryLater, DatabaseFailure):
        rechecks.resume_rechecks(run.site, SystemClock().now(), outbox)


def _read_family(run: CrawlRun, store: MongoPageStore) -> None:
    """Read the evidence of the site's operator. Errors are logged, because the next crawl repeats this."""
    try:
        families.read_site(run.site, store, SystemClock().now())
    except (ZhuiwenError, DatabaseFailure) as error:
        log.warning("what the pages of site %s have in common with others was not read: %s", run.site_id, error)


def _keep_contacts(run: CrawlRun, gathered: ContactGatherer) -> None:
    """Store the contacts of the site. Errors are logged, because the next crawl repeats this."""
    try:
        contacts.note_read(run.site, gathered.site_contacts())
    except DatabaseFailure as error:
        log.warning("where site %s can be reached was not written: %s", run.site_id, error)


@transaction.atomic
def _close_run(run: CrawlRun, counts: CrawlCounts, *, has_moved: bool = False) -> None:
    politeness.keep_health(run.site, counts)
    # A crawl of single pages is complete even if all were refused: the recheck reports it.
    if counts.finish_reason in COMPLETE or (run.only_urls and counts.finish_reason in set(Rejection)):
        crawls.finish_run(run, counts)
    elif counts.finish_reason == STOPPED or counts.resume_at:
        crawls.put_run_back(run, counts)
    elif counts.finish_reason == STORE_AWAY:
        fault = counts.end_sentence or Message("service.page-store")
        outages.wait_for_service(run, counts, fault, SystemClock().now(), has_moved=has_moved)
    else:
        crawls.fail_run(run, counts, counts.end_sentence or next(iter(counts.faults), None))


def _job_dir(run: CrawlRun) -> Path:
    """Return the folder of this machine for the site's crawls.

    Its journal is deleted if another machine has finished a newer crawl.
    """
    folder = SETTINGS.home / "crawls" / f"site-{run.site_id}"
    finished = CrawlRun.objects.filter(site=run.site, state=CrawlRun.State.FINISHED, only_urls="")
    newest: datetime | None = finished.aggregate(newest=Max("finished_at"))["newest"]
    if newest is not None:
        drop_journal(folder, before=newest)
    return folder


def _now_s() -> float:
    """Return the seconds on a monotonic clock that also advances while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
