"""The counts of a crawl while it runs: every refusal under its reason, a message for what can be mended."""

import time
from collections.abc import Callable
from dataclasses import replace

from core.pages import MAX_FAULTS, CrawlCounts
from core.states import Rejection
from core.wording import Message

_PROGRESS_INTERVAL_S = 0.5  # a terminal or a row of the admin database needs no more


class CrawlStats:
    """Counts one crawl and publishes the counts to `on_progress` now and then."""

    def __init__(self, on_progress: Callable[[CrawlCounts], None] | None = None) -> None:
        self.counts = CrawlCounts()
        self._on_progress = on_progress
        self._published_at = 0.0

    def reject(self, reason: Rejection, fault: Message | None = None) -> None:
        """Count a refusal; without a message the faults stay as they are."""
        self.counts.rejected[reason.value] = self.counts.rejected.get(reason.value, 0) + 1
        if fault is not None:
            self.add_fault(fault)

    def fail(self, fault: Message) -> None:
        """Count something that should have worked."""
        self.counts.failed += 1
        self.add_fault(fault)

    def count_bytes(self, count: int) -> None:
        """Count the bytes of what pages refer to."""
        self.counts.bytes_fetched += count

    def add_fault(self, fault: Message) -> None:
        if len(self.counts.faults) < MAX_FAULTS and fault not in self.counts.faults:
            self.counts.faults.append(fault)

    def add_first(self, fault: Message) -> None:
        """Put a message first, so that no number of other faults keeps it out."""
        if fault not in self.counts.faults:
            self.counts.faults[:] = [fault, *self.counts.faults][:MAX_FAULTS]

    def add_once(self, fault: Message) -> None:
        """Put a message first, and for one page alone, where many have it in common."""
        if all(each.code != fault.code for each in self.counts.faults):
            self.add_first(fault)

    def note_refusal(self, fault: Message) -> None:
        """Note how the site refused."""
        self.add_fault(fault)
        if fault in self.counts.faults and fault not in self.counts.refusals:
            self.counts.refusals.append(fault)

    def publish(self, is_last: bool = False) -> None:
        """Pass the counts to `on_progress`, if it is time for that."""
        now = time.monotonic()
        if self._on_progress is not None and (is_last or now - self._published_at >= _PROGRESS_INTERVAL_S):
            self._published_at = now
            # A copy, made by the thread that counts: whoever gets it may read it in another one and keep it.
            self._on_progress(
                replace(
                    self.counts,
                    rejected=dict(self.counts.rejected),
                    faults=list(self.counts.faults),
                    refusals=list(self.counts.refusals),
                )
            )


# Reasons for the end of a crawl, in one word each, for `CrawlCounts.finish_reason`; Scrapy's is "finished".

PAGE_LIMIT, BYTE_LIMIT = "page_limit", "byte_limit"  # of one crawl: it is complete
STOPPED = "stopped"  # from outside: it goes on later
BUDGET, OUTSIDE_WINDOW, ASKED_TO_WAIT, NO_PROXY = "budget", "outside_window", "asked_to_wait", "no_proxy"
BANNED, LOGIN_FAILED, NO_ANSWER = "banned", "login_failed", "no_answer"
STORE_AWAY, FAULT = "store_unavailable", "fault"
# No reasons to end: the codes of what is said where pages were left out.
NEEDS_BROWSER, NEEDS_OCR, REPEATED_TEXTS = "page.needs-browser", "page.needs-ocr", "page.repeated-texts"
# And of what is said of the site's own rules.
SLOW_RULES, SLOW_PATTERN = "site.slow-rules", "site.slow-pattern"
