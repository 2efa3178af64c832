"""The lease of a crawl run by this process: renewed in the admin database while it lives, lost when it is given up.

A run without a sign of life for `crawls.DEAD_AFTER_SILENCE` is crawled by another process. One that was stopped and
wakes again, or whose database is away, therefore holds its run for half of that at most; the other half allows for
clocks that differ between machines. After it, the process asks the site for nothing and stores nothing until it knows
whose the run is.
"""

import logging
import os
import signal
import threading
import time

from django.db import Error as DatabaseFailure

from core.pages import CrawlCounts
from webadmin.database import fresh
from webadmin.sites.models import CrawlRun
from webadmin.sites.services import runs as crawls

log = logging.getLogger("zhuiwen.crawl")

HEARTBEAT_S = 5.0
MAX_UNCONFIRMED_S = crawls.DEAD_AFTER_SILENCE.total_seconds() / 2


class RunLease:
    """A context: it renews the lease beside the reactor, with the newest counts, and ends a crawl that was given up."""

    def __init__(self, run: CrawlRun) -> None:
        self._run = run
        self._earlier = crawls.stored_counts(run)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="run-lease", daemon=True)
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
        """Return true if no other process can have the run."""
        return not self._is_lost and _now_s() - self._confirmed_at_s < MAX_UNCONFIRMED_S

    def note(self, counts: CrawlCounts) -> None:
        """Take over the counts so far: a copy, made on the thread that counts."""
        self.counts = self.total(counts)

    @property
    def has_moved(self) -> bool:
        """True if this process has kept pages for the run."""
        return self.counts is not None and self.counts.kept > self._earlier.kept

    def total(self, counts: CrawlCounts) -> CrawlCounts:
        """Counts with those of the run before it was stopped, or waited."""
        return counts.plus(self._earlier)

    def _renew(self) -> None:
        while not self._stop.wait(HEARTBEAT_S):
            asked_at_s = _now_s()
            fresh()  # the connection may have ended since the last sign of life
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


def _now_s() -> float:
    """Seconds that pass while the process, or the whole machine, sleeps as well."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
