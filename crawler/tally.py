"""The counts of a crawl while it runs: every refusal under its reason, a sentence for what can be mended."""

import time
from collections.abc import Callable
from dataclasses import replace

from core.pages import CrawlCounts
from core.states import Rejection

MAX_FAULTS = 50
_PROGRESS_INTERVAL_S = 0.5  # a terminal or a row of the admin database needs no more


class Tally:
    """Counts one crawl and tells `on_progress` of it now and then."""

    def __init__(self, on_progress: Callable[[CrawlCounts], None] | None = None) -> None:
        self.counts = CrawlCounts()
        self._on_progress = on_progress
        self._told_at = 0.0

    def reject(self, reason: Rejection, sentence: str = "") -> None:
        """Count a refusal; an empty sentence leaves the faults alone."""
        self.counts.rejected[reason.value] = self.counts.rejected.get(reason.value, 0) + 1
        if sentence:
            self.add_fault(sentence)

    def fail(self, sentence: str) -> None:
        """Count something that should have worked."""
        self.counts.failed += 1
        self.add_fault(sentence)

    def add_fault(self, sentence: str) -> None:
        if len(self.counts.faults) < MAX_FAULTS and sentence not in self.counts.faults:
            self.counts.faults.append(sentence)

    def tell(self, is_last: bool = False) -> None:
        """Let the caller see the counts."""
        now = time.monotonic()
        if self._on_progress is not None and (is_last or now - self._told_at >= _PROGRESS_INTERVAL_S):
            self._told_at = now
            # A copy, made by the thread that counts: whoever gets it may read it in another one and keep it.
            self._on_progress(
                replace(self.counts, rejected=dict(self.counts.rejected), faults=list(self.counts.faults))
            )
