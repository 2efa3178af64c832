"""Counts the responses of hosts. A budget belongs to a host, whichever of its sites is crawled."""

import sqlite3
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from core.hosts import Host, host_key
from core.politeness import CrawlBudget

USAGE_NAME = "usage.sqlite"
PAGES_A_DAY, BYTES_A_DAY, BYTES_A_RUN = "pages_a_day", "bytes_a_day", "bytes_a_run"
# Days begin in the time zone of each site. The offset of every time zone is a multiple of this.
_STEP_S = 15 * 60
# Chosen: longer than a day in any time zone, and than a crawl that repeatedly waits for its crawl hours and its budget.
_KEPT = timedelta(days=31)


class HostUsage:
    """The number and size of the responses to all crawls on this machine.

    A response is counted before its page is read.
    """

    def __init__(self, budget: CrawlBudget, run_id: str, hosts: Sequence[Host], folder: Path | None = None) -> None:
        """Open the counts.

        hosts: the hosts of the site. folder: the folder of all crawls on this machine; None to count only this crawl
        """
        self._budget, self._run_id = budget, run_id
        self._hosts = {str(Host(host.bare, host.port)): host for host in hosts}
        self._unwritten: deque[tuple[int, str, str, int]] = deque()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        # Many crawls write to it concurrently. Each waits for the others, whose writes take less than 1 ms.
        self._rows = sqlite3.connect(folder / USAGE_NAME if folder else ":memory:", timeout=30, isolation_level=None)
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.execute("PRAGMA synchronous = NORMAL")  # nothing is lost if a process is killed
        self._rows.execute(
            "CREATE TABLE IF NOT EXISTS usage (begun INTEGER, host TEXT, run TEXT, pages INTEGER, bytes INTEGER,"
            " PRIMARY KEY (begun, host, run)) WITHOUT ROWID"
        )
        (self._bytes_of_run,) = self._rows.execute(
            "SELECT COALESCE(SUM(bytes), 0) FROM usage WHERE run = ?", [run_id]
        ).fetchone()

    def add_response(self, url: str, at: datetime, size: int) -> None:
        """Count a response of `size` bytes.

        A response of another host, such as a style sheet, counts for the site's first host.
        """
        name, port = host_key(url)
        own = (key for key, host in self._hosts.items() if host.equals(name, port))
        counted_for = next(own, next(iter(self._hosts)))
        self._bytes_of_run += size
        begun = int(at.timestamp()) // _STEP_S * _STEP_S
        self._unwritten.append((begun, counted_for, self._run_id, size))
        with suppress(sqlite3.OperationalError):  # the disk is full; the count is written with a later response
            while self._unwritten:
                self._rows.execute(
                    "INSERT INTO usage VALUES (?, ?, ?, 1, ?)"
                    " ON CONFLICT DO UPDATE SET pages = pages + 1, bytes = bytes + excluded.bytes",
                    self._unwritten[0],
                )
                self._unwritten.popleft()

    def reached_limit(self, day_began: datetime, in_flight: int = 0) -> str:
        """Return the limit that is reached, BYTES_A_RUN, PAGES_A_DAY or BYTES_A_DAY, or "".

        day_began: the start of the site's day. in_flight: the number of requests whose responses are not counted yet
        """
        budget = self._budget
        if budget == CrawlBudget():
            return ""
        begun = int(day_began.timestamp())
        pages = size = 0
        for name in self._hosts:
            used = "SELECT COALESCE(SUM(pages), 0), COALESCE(SUM(bytes), 0) FROM usage WHERE begun >= ? AND host = ?"
            pages_of_host, bytes_of_host = self._rows.execute(used, [begun, name]).fetchone()
            pages, size = pages + pages_of_host, size + bytes_of_host
        reached = (
            (BYTES_A_RUN, budget.bytes_a_run, self._bytes_of_run),
            (PAGES_A_DAY, budget.pages_a_day, pages + in_flight),
            (BYTES_A_DAY, budget.bytes_a_day, size),
        )
        return next((name for name, limit, used in reached if limit and used >= limit), "")

    def close(self, now: datetime) -> None:
        """Delete the entries that count for no budget any longer, and close the database."""
        with suppress(sqlite3.OperationalError):  # the disk is full; the next crawl deletes them
            self._rows.execute("DELETE FROM usage WHERE begun < ?", [int((now - _KEPT).timestamp())])
        self._rows.close()
