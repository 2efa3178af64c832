"""Counts a running crawl: every refusal by its reason, with a message for each problem that can be solved."""

import time
from collections.abc import Callable
from dataclasses import replace

from core.pages import MAX_FAULTS, CrawlCounts
from core.states import Rejection
from core.wording import Message

_PROGRESS_INTERVAL_S = 0.5  # enough for a terminal or a row of the admin database


class CrawlStats:
    """Counts one crawl, and publishes the counts regularly to `on_progress`."""

    def __init__(self, on_progress: Callable[[CrawlCounts], None] | None = None) -> None:
        self.counts = CrawlCounts()
        self._on_progress = on_progress
        self._published_at = 0.0

    def reject(self, reason: Rejection, fault: Message | None = None) -> None:
        """Count a refusal. fault: the message to add to `faults`, or None."""
        self.counts.rejected[reason.value] = self.counts.rejected.get(reason.value, 0) + 1
        if fault is not None:
            self.add_fault(fault)

    def fail(self, fault: Message) -> None:
        """Count a failure that should not occur."""
        self.counts.failed += 1
        self.add_fault(fault)

    def count_bytes(self, count: int) -> None:
        """Count the bytes of a resource."""
        self.counts.bytes_fetched += count

    def add_fault(self, fault: Message) -> None:
        if len(self.counts.faults) < MAX_FAULTS and fault not in self.counts.faults:
            self.counts.faults.append(fault)

    def add_first(self, fault: Message) -> None:
        """Put a message first, where other messages cannot displace it."""
        if fault not in self.counts.faults:
            self.counts.faults[:] = [fault, *self.counts.faults][:MAX_FAULTS]

    def add_once(self, fault: Message) -> None:
        """Put a message first, unless there is one with the same code. Pages with the same problem need only one."""
        if all(each.code != fault.code for each in self.counts.faults):
            self.add_first(fault)

    def note_refusal(self, fault: Message) -> None:
        """Record that the site refused a request."""
        self.add_fault(fault)
        if fault in self.counts.faults and fault not in self.counts.refusals:
            self.counts.refusals.append(fault)

    def publish(self, is_last: bool = False) -> None:
        """Pass the counts to `on_progress` if the interval has passed. is_last: True to pass them in any case."""
        now = time.monotonic()
        if self._on_progress is not None and (is_last or now - self._published_at >= _PROGRESS_INTERVAL_S):
            self._published_at = now
            # A copy that is made in the counting thread, so that receivers can store it and read it in any thread.
            self._on_progress(
                replace(
                    self.counts,
                    rejected=dict(self.counts.rejected),
                    faults=list(self.counts.faults),
                    refusals=list(self.counts.refusals),
                )
            )


# The reasons for the end of a crawl, one word each, for `CrawlCounts.finish_reason`. Scrapy's is "finished".

PAGE_LIMIT, BYTE_LIMIT = "page_limit", "byte_limit"  # the limit of one crawl, which then counts as complete
STOPPED = "stopped"  # by a signal; the crawl resumes later
BUDGET, OUTSIDE_WINDOW, ASKED_TO_WAIT, NO_PROXY = "budget", "outside_window", "asked_to_wait", "no_proxy"
BANNED, LOGIN_FAILED, NO_ANSWER = "banned", "login_failed", "no_answer"
STORE_AWAY, FAULT = "store_unavailable", "fault"
# No reasons for the end, but codes of messages about pages that were left out.
NEEDS_BROWSER, NEEDS_OCR, REPEATED_TEXTS = "page.needs-browser", "page.needs-ocr", "page.repeated-texts"
# Codes of messages about the site's own rules.
SLOW_RULES, SLOW_PATTERN = "site.slow-rules", "site.slow-pattern"
