"""What a process does that `pipeline.crawler` forks for one run: it crawls that to its end.

A process of its own: Scrapy's reactor starts once in a process and never again.
"""

import logging
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from django.db import DatabaseError
from django.db.models import Max

from core.clock import SystemClock
from core.errors import NotFound, RetryLater, ZhuiwenError
from core.pages import CrawlCounts
from core.ports import Outbox
from core.states import Rejection
from core.wording import Message
from crawler.contacts.gathering import ContactGatherer
from crawler.end_reasons import BYTE_LIMIT, PAGE_LIMIT, STOPPED, STORE_AWAY
from crawler.frontier import drop_journal
from crawler.run import run_crawl
from pagestore.mongo import MongoPageStore
from pipeline.app import SETTINGS
from pipeline.outbox import CeleryOutbox
from pipeline.run_lease import RunLease
from records.models import CrawlRun
from records.sites import contacts, families, politeness, rechecks
from records.sites import domain_changes as identity
from records.sites import runs as crawls
from records.sites.visit_repository import DjangoVisitRepository
from records.stores import open_page_store

log = logging.getLogger("zhuiwen.crawl")

ENDED, UNKNOWN, NOT_OURS = 0, 1, 3  # exit codes
COMPLETE = ("finished", PAGE_LIMIT, BYTE_LIMIT)
SERVICE_AWAY = Message("crawl.service-away")


def crawl(number: int) -> int:
    """Crawl the run of that number, whose row then says how it ended; an exit code."""
    run = CrawlRun.objects.select_related("site").filter(pk=number).first()
    if run is None:
        log.error("%s", NotFound("crawl-run", number))
        return UNKNOWN
    if run.state != CrawlRun.State.RUNNING:
        log.info("crawl run %s is %s", run.pk, run.state)
        return NOT_OURS
    store, outbox = open_page_store(SETTINGS), CeleryOutbox()
    gathered = ContactGatherer(SystemClock().now)
    with RunLease(run) as lease:
        try:
            plan, visits = crawls.plan_of(run.site, run), DjangoVisitRepository()
            counts = run_crawl(
                plan,
                store,
                outbox,
                SETTINGS.crawl,
                _job_dir(run),
                lease.note,
                visits,
                is_held=lease.is_held,
                on_read=lambda url, page: gathered.add(url, page.contacts),
            )
        except ZhuiwenError as error:
            log.error("crawl run %s failed: %s", run.pk, error)
            crawls.fail(run, lease.counts, error.message)
            _go_on_with_rechecks(run, outbox)
            return ENDED
    try:
        identity.propose(run.site, store, SystemClock().now())
        _close(run, lease.total(counts))
        _go_on_with_rechecks(run, outbox)
        _read_family(run, store)
        _keep_contacts(run, gathered)
    except DatabaseError as error:
        log.error("what became of crawl run %s could not be written, and it is taken up again: %s", run.pk, error)
        return UNKNOWN
    return ENDED


def _go_on_with_rechecks(run: CrawlRun, outbox: Outbox) -> None:
    """Say what came of pages that people asked for, and begin with those that waited; the clock does so too."""
    with suppress(RetryLater, DatabaseError):
        rechecks.go_on(run.site, SystemClock().now(), outbox)


def _read_family(run: CrawlRun, store: MongoPageStore) -> None:
    """Learn who operates the site, behind everything that matters more; the next crawl makes up for it."""
    try:
        families.read_site(run.site, store, SystemClock().now())
    except (ZhuiwenError, DatabaseError) as error:
        log.warning("what the pages of site %s have in common with others was not read: %s", run.site_id, error)


def _keep_contacts(run: CrawlRun, gathered: ContactGatherer) -> None:
    """Keep where the site says that it can be reached, as behind the others; the next crawl makes up for it."""
    try:
        contacts.note_read(run.site, gathered.found())
    except DatabaseError as error:
        log.warning("where site %s can be reached was not written: %s", run.site_id, error)


def _close(run: CrawlRun, counts: CrawlCounts) -> None:
    politeness.keep_health(run.site, counts)
    # A crawl of some pages that could have none of them has done what it was asked for: the check says so.
    if counts.finish_reason in COMPLETE or (run.only_urls and counts.finish_reason in set(Rejection)):
        crawls.finish(run, counts)
    elif counts.finish_reason == STOPPED or counts.resume_at:
        crawls.put_back(run, counts)
    else:
        why = counts.end_sentence or next(iter(counts.faults), None)
        crawls.fail(run, counts, SERVICE_AWAY if counts.finish_reason == STORE_AWAY else why)


def _job_dir(run: CrawlRun) -> Path:
    """This machine's folder of the site; a journal that is older than a crawl that another machine finished is gone."""
    folder = SETTINGS.home / "crawls" / f"site-{run.site_id}"
    finished = CrawlRun.objects.filter(site=run.site, state=CrawlRun.State.FINISHED, only_urls="")
    newest: datetime | None = finished.aggregate(newest=Max("finished_at"))["newest"]
    if newest is not None:
        drop_journal(folder, before=newest)
    return folder
