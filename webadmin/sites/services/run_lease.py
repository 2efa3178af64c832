"""The lease of a crawl run by this process, renewed in the admin database while the process lives.

After `crawls.DEAD_AFTER_SILENCE` without a sign of life, another process crawls the run. A process that was suspended,
or whose database is down, therefore holds its run for at most half of that time; the other half allows for differing
clocks. After that, it fetches and stores nothing until it knows that it still has the run.
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
    """A context manager that renews the lease in a thread, with the newest counts, and stops a crawl that lost it."""

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
        """Return True if no other process can have the run."""
        return not self._is_lost and _now_s() - self._confirmed_at_s < MAX_UNCONFIRMED_S

    def note(self, counts: CrawlCounts) -> None:
        """Store a copy of the current counts; call it in the thread that counts."""
        self.counts = self.total(counts)

    @property
    def has_moved(self) -> bool:
        """True if this process has stored pages for the run."""
        return self.counts is not None and self.counts.kept_pages > self._earlier.kept_pages

    def total(self, counts: CrawlCounts) -> CrawlCounts:
        """Return the counts including those from before the run was stopped or waited."""
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
    """Return a clock in seconds that also advances while the process or the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
