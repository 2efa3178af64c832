"""The process that crawls queued runs, one after the other: `python -m webadmin.process` with this module and a slot.

The queue is the table of runs; a message only wakes a crawler. Each run is crawled by a process of its own
(`webadmin.sites.services.crawl_process`), since Scrapy's reactor starts once in a process. It is forked from this one,
which has one thread and no connection then: a second is spared that importing all of it takes, and the memory that
both hold is there once.
"""

import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn, TypeVar

from django.db import Error as DatabaseFailure
from django.db import connections

from core.clock import SystemClock
from core.garbage import freeze_loaded_objects
from pipeline import slots
from pipeline.app import SETTINGS
from pipeline.process_name import call_this_process
from webadmin.database import patiently, time_limit
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import crawl_process, crawlers
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.interruptions import slot_task, take_up_dead, take_up_lost

T = TypeVar("T")
log = logging.getLogger("zhuiwen.crawl")

OUTAGE_S = 600.0  # chosen: a fail-over of the database takes one to two minutes, a restart with recovery some


class Crawler:
    """Holds one slot of this machine while it crawls."""

    def __init__(self, slot: slots.Slot) -> None:
        self._slot: slots.Slot | None = slot
        self._is_stopping = False
        self._crawl: int | None = None  # the number of a process that is not yet waited for

    def work(self) -> None:
        """Crawl what is queued.

        Raises the error of a database that stays away; a run that it leaves behind is taken up for its silence.
        """
        self._take_up_left()
        while self._slot is not None and not self._is_stopping:
            run = self._query_database(lambda: crawls.take_next(SystemClock().now()))
            if run is None:
                self._leave(self._slot)
            while run is not None and self._slot is not None:
                run = self._run(run, self._slot)

    def stop(self, *_: Any) -> None:
        """A signal handler: end after the pages in flight, and take no other run."""
        self._is_stopping = True
        self._stop_crawl()

    def _take_up_left(self) -> None:
        """Take up the runs of this machine whose crawlers and crawls were killed; a crawler for each is started."""
        left = [self._slot] if self._slot is not None else []
        tasks = [slot.take_note() for slot in left]
        for slot in slots.abandoned_slots(crawlers.slots_folder(SETTINGS.home)):
            tasks.append(slot.take_note())
            slot.free()
        for task in filter(None, tasks):
            if self._query_database(partial(take_up_lost, task, SystemClock().now())) is not None:
                crawlers.start(SETTINGS)

    def _run(self, run: CrawlRun, slot: slots.Slot) -> CrawlRun | None:
        """Crawl a run; where its process died, the run that goes on from its journal, which this machine has."""
        taken_at = run.started_at
        slot.note(slot_task(run))
        connections.close_all()  # none is held open for the hours that a crawl takes
        # The slot, an open file, stays taken as long as the crawl runs, whatever becomes of this process.
        self._crawl = _fork_crawl(run.pk)
        if self._is_stopping:
            self._stop_crawl()
        os.waitid(os.P_PID, self._crawl, os.WEXITED | os.WNOWAIT)
        crawl, self._crawl = self._crawl, None  # from here on nothing is sent to it; then its number may be another's
        code = os.waitstatus_to_exitcode(os.waitpid(crawl, 0)[1])
        self._query_database(run.refresh_from_db)
        slot.note("")  # what is to be done about the run is done from here on
        # A run that was put back goes into the queue under its number: it may run again by now, as another crawler's.
        is_left = run.state == CrawlRun.State.RUNNING and run.started_at == taken_at
        if not is_left or code in (crawl_process.ENDED, crawl_process.NOT_OURS):
            return None
        return self._query_database(lambda: self._taken_up(run, code))

    def _query_database(self, call: Callable[[], T]) -> T:
        """Query the admin database, and wait for its answer; others may have taken the run up meanwhile."""
        within_time = time_limit(OUTAGE_S)
        return patiently(call, lambda: within_time() and not self._is_stopping)

    def _stop_crawl(self) -> None:
        if self._crawl is not None:
            os.kill(self._crawl, signal.SIGTERM)

    def _taken_up(self, run: CrawlRun, code: int) -> CrawlRun | None:
        """Say what becomes of a run whose process could not say it; the run that takes its place."""
        if self._is_stopping:
            crawls.put_back(run)
            return None
        log.error("the process of crawl run %s ended with code %s", run.pk, code)
        now = SystemClock().now()
        again = take_up_dead(run, now)
        return again if again is not None and crawls.mark_started(again, now) else None

    def _leave(self, slot: slots.Slot) -> None:
        """Give the slot up, unless a run was queued meanwhile: its message found all slots taken."""
        slot.free()
        is_needed = self._query_database(lambda: crawls.has_waiting(SystemClock().now()))
        folder, number = crawlers.slots_folder(SETTINGS.home), SETTINGS.pipeline.crawlers
        self._slot = slots.take(folder, number) if is_needed else None


def _fork_crawl(run: int) -> int:
    """Return the number of a process that crawls a run."""
    ours = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ours)  # until the crawl no longer takes a signal as the crawler does
    try:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ours)
    if pid == 0:
        _crawl(run)
    return pid


def _crawl(run: int) -> NoReturn:
    """Crawl in a process that was forked for it, and end that as Python ends one."""
    code = 1
    call_this_process(f"crawl {run}")
    try:
        code = crawl_process.crawl(run)
    except Exception:
        log.exception("the process of crawl run %s", run)
    sys.exit(code)


def main(arguments: list[str]) -> int:
    """Crawl until nothing waits; 1 where the admin database does not answer."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    freeze_loaded_objects()
    crawler = Crawler(slots.inherit_slot(int(arguments[0])))
    signal.signal(signal.SIGTERM, crawler.stop)
    signal.signal(signal.SIGINT, crawler.stop)
    try:
        crawler.work()
    except DatabaseFailure as error:
        log.error("the crawler ends, as the admin database does not answer: %s", error)
        return 1
    return 0
