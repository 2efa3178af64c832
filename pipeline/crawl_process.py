"""One crawl run in a process of its own: Scrapy's reactor starts once in a process and never again."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from copy import deepcopy
from datetime import datetime
from pathlib import Path

from django.db import DatabaseError
from django.utils.translation import gettext_noop

from core.clock import SystemClock
from core.errors import NotFound, ZhuiwenError
from core.ids import PageId, VersionId
from core.messages import PageStored
from core.pages import CrawlCounts, Fetched, Reading, Stored
from crawler.run import run_crawl
from pagestore.mongo import MongoPageStore, connect
from pipeline import companions
from pipeline.app import SETTINGS
from pipeline.outbox import CeleryOutbox
from pipeline.wiring import redis_client
from webadmin import crawls, identity, politeness
from webadmin.casebook import seen_again
from webadmin.models import CrawlRun
from webadmin.revisits import DjangoVisitBook

log = logging.getLogger("zhuiwen.crawl")

ENDED, UNKNOWN, NOT_OURS = 0, 1, 3  # exit codes of the child
COMPLETE = ("finished", "page_limit", "byte_limit")
STOPPED = "stopped"
SENTENCES = {
    "store_unavailable": gettext_noop("The page store or the broker did not answer; see zhuiwen status, crawl again."),
    "frontier_gone": gettext_noop("Redis lost what was left of the crawl; it is noted as found. Crawl the site again."),
}
DIED = gettext_noop("The crawl process died; the crawler's log says why. Crawl the site again.")
MODULE = "pipeline.crawl_process"
START_DEADLINE_S = 30.0  # a process that cannot start within it has failed
HEARTBEAT_S = 5.0  # a run without a sign of life for 120 of these is given up (webadmin.crawls)


class SeenAgainStore(MongoPageStore):
    """The page store of one run, which remembers what it has seen before."""

    def __init__(self, url: str) -> None:
        super().__init__(connect(url))
        self.seen_again: dict[PageId, VersionId] = {}

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        stored = super().put_many(pages)
        self.seen_again |= {each.page_id: each.version_id for each in stored if not each.is_new_version}
        return stored

    def seen(self, page_id: PageId, at: datetime) -> VersionId | None:
        version = super().seen(page_id, at)
        if version is not None:
            self.seen_again[page_id] = version
        return version


def start_crawl(run_id: int) -> None:
    """Run one crawl to its end in a child process. Whatever ends the child, the run's row says how it ended."""
    shares = SETTINGS.crawl.is_shared
    with companions.accompanied(MODULE, run_id, SETTINGS.crawl.processes - 1 if shares else 0):
        code = _run_child(run_id)
        for _ in range(companions.MAX_RESTARTS if shares else 0):
            if code in (ENDED, NOT_OURS, UNKNOWN):
                break
            log.warning("a process of crawl run %s ended with code %s; another one goes on", run_id, code)
            code = _run_child(run_id, companions.AGAIN)
    if code in (ENDED, NOT_OURS):
        return
    run = CrawlRun.objects.filter(pk=run_id, state=CrawlRun.State.RUNNING).first()
    if run is not None:
        log.error("the process of crawl run %s ended with code %s", run_id, code)
        crawls.fail(run, None, DIED)


def join_crawl(run_id: int) -> int:
    """Help with a run that is crawled elsewhere, in a further process on this machine, until it ends; its exit code."""
    process = companions.join(MODULE, run_id)
    try:
        return process.wait()
    except KeyboardInterrupt:  # which the process has met, too: it ends after the pages in flight
        return process.wait()


def _run_child(run_id: int, *flags: str) -> int:
    command = [sys.executable, "-m", MODULE, str(run_id), *flags]
    return subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode


def main(arguments: list[str]) -> int:
    """The child: crawl the run whose number is given, if nobody else does, or help whoever does."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    run = CrawlRun.objects.select_related("site").filter(pk=int(arguments[0])).first()
    if run is None:
        log.error("%s", NotFound("crawl run", arguments[0]))
        return UNKNOWN
    if companions.COMPANION in arguments:
        return _accompany(run, os.getppid() if companions.ATTENDED in arguments else 0)
    is_started = companions.AGAIN in arguments and run.state == CrawlRun.State.RUNNING
    if not is_started and not crawls.mark_started(run):
        log.info("crawl run %s is %s already", run.pk, run.state)
        return NOT_OURS
    store, outbox = SeenAgainStore(SETTINGS.mongo_url), CeleryOutbox()
    book = _book(run)
    with _Heartbeat(run, book) as heartbeat:
        try:
            plan = crawls.plan_of(run.site, run)
            visits = DjangoVisitBook()
            counts = run_crawl(plan, store, outbox, SETTINGS.crawl, _job_dir(run), heartbeat.take, visits, None, _url())
            if book is not None:
                counts = book.settled(counts) if counts.finish_reason in COMPLETE else book.total(counts)
        except ZhuiwenError as error:
            log.error("crawl run %s failed: %s", run.pk, error)
            crawls.fail(run, heartbeat.counts, str(error))
            return ENDED
    for version in seen_again(store.seen_again.items(), SystemClock().now()):
        outbox.send(PageStored(version))
    identity.propose(run.site, store, SystemClock().now())
    _close(run, counts)
    return ENDED


def _accompany(run: CrawlRun, attendant: int) -> int:
    """A further process of a run that another one, maybe on another machine, has started and will close."""
    book = _book(run)
    if book is None or not _is_running(run):
        return NOT_OURS
    store, outbox, plan = SeenAgainStore(SETTINGS.mongo_url), CeleryOutbox(), crawls.plan_of(run.site, run)
    with companions.watched(lambda: _goes_on(run.pk), book, attendant):
        try:
            visits = DjangoVisitBook()
            counts = run_crawl(plan, store, outbox, SETTINGS.crawl, _job_dir(run), book.write, visits, None, _url())
        except ZhuiwenError as error:
            log.error("a further process of crawl run %s failed: %s", run.pk, error)
            counts = CrawlCounts(finish_reason="fault")
            book.write(counts)
    for version in seen_again(store.seen_again.items(), SystemClock().now()):
        outbox.send(PageStored(version))
    politeness.keep_health(run.site, counts)
    return ENDED


def _goes_on(run_id: int) -> bool:
    """Whether the run is still running; an admin database that does not answer says nothing against it."""
    try:
        return CrawlRun.objects.filter(pk=run_id, state=CrawlRun.State.RUNNING).exists()
    except DatabaseError as error:
        log.warning("whether the run goes on is not known: %s", error)
        return True


def _is_running(run: CrawlRun) -> bool:
    """Whether the run is being crawled, as soon as that can be said."""
    deadline = time.monotonic() + START_DEADLINE_S
    while run.state == CrawlRun.State.QUEUED and time.monotonic() < deadline:
        time.sleep(0.2)
        run.refresh_from_db(fields=["state"])
    return bool(run.state == CrawlRun.State.RUNNING)


def _book(run: CrawlRun) -> companions.CountsBook | None:
    return companions.CountsBook(redis_client(SETTINGS), run.pk) if SETTINGS.crawl.is_shared else None


def _url() -> str:
    """Where crawls are shared; "" where they are not."""
    return SETTINGS.redis_url if SETTINGS.crawl.is_shared else ""


def _close(run: CrawlRun, counts: CrawlCounts) -> None:
    politeness.keep_health(run.site, counts)
    if counts.finish_reason in COMPLETE:
        crawls.finish(run, counts)
    elif counts.finish_reason == STOPPED or counts.resume_at:
        crawls.put_back(run, counts)
    else:
        told = counts.end_sentence or (counts.faults or [counts.finish_reason])[0]
        sentence = SENTENCES.get(counts.finish_reason) or told
        crawls.fail(run, counts, sentence)


def _job_dir(run: CrawlRun) -> Path:
    return SETTINGS.home / "crawls" / f"site-{run.site_id}"


class _Heartbeat:
    """Writes the newest counts of a run every few seconds, beside the reactor, and ends a crawl that was given up."""

    def __init__(self, run: CrawlRun, book: companions.CountsBook | None = None) -> None:
        self._run, self._book = run, book
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self.counts: CrawlCounts | None = None

    def take(self, counts: CrawlCounts) -> None:
        """Called on the reactor's thread, where the counts are still."""
        if self._book is not None:
            self._book.write(counts)
        self.counts = deepcopy(self._book.total(counts) if self._book is not None else counts)

    def __enter__(self) -> "_Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            try:
                is_ours = crawls.heartbeat(self._run, self.counts)
            except DatabaseError as error:
                log.warning("a sign of life could not be written: %s", error)
                continue
            if not is_ours:
                log.warning("crawl run %s was given up; stopping", self._run.pk)
                os.kill(os.getpid(), signal.SIGTERM)
                return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
