"""The process that crawls queued runs one by one: `python -m webadmin.process` with this module and a slot.

The queue is the table of runs; a message only wakes a crawler. The crawler forks a process for each run
(`webadmin.sites.services.crawl_process`), because Scrapy's reactor can start only once in a process. Forking saves a
second of imports and shares memory; at that time, the crawler has one thread and no connection.
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
from webadmin.database import retry_outages, time_limit
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import crawl_process, crawlers
from webadmin.sites.services import runs as crawls
from webadmin.sites.services.interruptions import requeue_lost_run, requeue_or_fail, slot_task

T = TypeVar("T")
log = logging.getLogger("zhuiwen.crawl")

OUTAGE_S = 600.0  # a fail-over of the database takes one to two minutes, a restart with recovery several


class Crawler:
    """A crawler, which occupies one of the slots of this machine."""

    def __init__(self, slot: slots.Slot) -> None:
        self._slot: slots.Slot | None = slot
        self._is_stopping = False
        self._crawl: int | None = None  # the id of a process that has not been waited for

    def work(self) -> None:
        """Crawl queued runs until none waits or `stop` was called.

        Raises the error of the database if it is down for OUTAGE_S; another crawler then resumes the interrupted run.
        """
        self._requeue_left_runs()
        while self._slot is not None and not self._is_stopping:
            run = self._query_database(lambda: crawls.take_next(SystemClock().now()))
            if run is None:
                self._free_slot(self._slot)
            while run is not None and self._slot is not None:
                run = self._crawl_run(run, self._slot)

    def stop(self, *_: Any) -> None:
        """Stop the current crawl after its requests in flight, and start no other run. A signal handler."""
        self._is_stopping = True
        self._stop_crawl()

    def _requeue_left_runs(self) -> None:
        """Requeue the runs whose crawlers on this machine were killed, and start a crawler for each."""
        left = [self._slot] if self._slot is not None else []
        tasks = [slot.take_note() for slot in left]
        for slot in slots.take_abandoned_slots(crawlers.slots_folder(SETTINGS.home)):
            tasks.append(slot.take_note())
            slot.free()
        for task in filter(None, tasks):
            if self._query_database(partial(requeue_lost_run, task, SystemClock().now())) is not None:
                crawlers.start_crawler(SETTINGS)

    def _crawl_run(self, run: CrawlRun, slot: slots.Slot) -> CrawlRun | None:
        """Crawl a run. Returns the started run that replaces it if its process died, else None."""
        taken_at = run.started_at
        slot.note(slot_task(run))
        connections.close_all()  # A crawl may take hours, and needs no connection here.
        # The slot is an open file that the crawl inherits, so it stays occupied even if this process dies.
        self._crawl = _fork_crawl(run.pk)
        if self._is_stopping:
            self._stop_crawl()
        os.waitid(os.P_PID, self._crawl, os.WEXITED | os.WNOWAIT)
        crawl, self._crawl = self._crawl, None  # It gets no more signals, because its id may be reused.
        code = os.waitstatus_to_exitcode(os.waitpid(crawl, 0)[1])
        self._query_database(run.refresh_from_db)
        slot.note("")  # The run is handled below.
        # A requeued run is the same row, so another crawler may be crawling it by now.
        is_left = run.state == CrawlRun.State.RUNNING and run.started_at == taken_at
        if not is_left or code in (crawl_process.ENDED, crawl_process.NOT_OURS):
            return None
        return self._query_database(lambda: self._replace_dead_run(run, code))

    def _query_database(self, call: Callable[[], T]) -> T:
        """Return the result of `call`, which is repeated during an outage of the database for at most OUTAGE_S."""
        within_time = time_limit(OUTAGE_S)
        return retry_outages(call, lambda: within_time() and not self._is_stopping)

    def _stop_crawl(self) -> None:
        if self._crawl is not None:
            os.kill(self._crawl, signal.SIGTERM)

    def _replace_dead_run(self, run: CrawlRun, code: int) -> CrawlRun | None:
        """Requeue or fail a run whose process died, and return the started run that replaces it, or None."""
        if self._is_stopping:
            crawls.put_run_back(run)
            return None
        log.error("the process of crawl run %s ended with code %s", run.pk, code)
        now = SystemClock().now()
        again = requeue_or_fail(run, now)
        return again if again is not None and crawls.mark_started(again, now) else None

    def _free_slot(self, slot: slots.Slot) -> None:
        """Free the slot. Take one again if a run was queued meanwhile, whose message found no free slot."""
        slot.free()
        is_needed = self._query_database(lambda: crawls.has_waiting(SystemClock().now()))
        folder, number = crawlers.slots_folder(SETTINGS.home), SETTINGS.pipeline.crawlers
        self._slot = slots.take(folder, number) if is_needed else None


def _fork_crawl(run: int) -> int:
    """Fork a process that crawls the run with the key `run`, and return the id of the process."""
    ours = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, ours)  # They are blocked until the child has reset the crawler's handlers.
    try:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ours)
    if pid == 0:
        _crawl_and_exit(run)
    return pid


def _crawl_and_exit(run: int) -> NoReturn:
    """Crawl the run with the key `run`, and exit the process with the resulting code."""
    code = 1
    call_this_process(f"crawl {run}")
    try:
        code = crawl_process.crawl(run)
    except Exception:
        log.exception("the process of crawl run %s", run)
    sys.exit(code)


def main(arguments: list[str]) -> int:
    """Crawl until no run waits. Returns the exit code: 0, or 1 if the admin database does not respond.

    arguments: the file descriptor of the slot.
    """
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
