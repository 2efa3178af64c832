"""Counts failed requests under their reasons, and ends the crawl of a site that has stopped answering."""

from collections.abc import Callable
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import CloseSpider
from twisted.python.failure import Failure

from core.states import Rejection
from core.wording import Message
from crawler.context import CrawlContext
from crawler.frontier import PROBE, ROBOTS, CrawlTarget
from crawler.politeness.refusals import KnownText, Postponed, explain
from crawler.stats import NO_ANSWER

# A site that was there and is gone: 10 pages in a row, each tried three times, are no accident.
MAX_SILENCES_IN_A_ROW = 10


class Failures:
    """For one crawl. give_up: called with each address that is not requested again."""

    def __init__(self, context: CrawlContext, give_up: Callable[[CrawlTarget], None]) -> None:
        self._context, self._give_up = context, give_up
        self._silences = 0

    def note_answer(self) -> None:
        """Note that the site has answered, with whatever status."""
        self._silences = 0

    def note(self, failure: Failure) -> None:
        """Count a failed request; errors of a probe are not counted.

        Raises CloseSpider after many silences in a row.
        """
        if isinstance(failure.value, Postponed):
            return  # the journal keeps it as pending
        request: Request = failure.request  # type: ignore[attr-defined]
        target: CrawlTarget = request.cb_kwargs["target"]
        if isinstance(failure.value, KnownText):
            self._give_up(target)
            self._context.recrawl.order.settle(target)
            return
        reason, fault = self.explain(failure, target.url)
        self._give_up(target)
        self._context.recrawl.note_failure(target, reason, fault)
        if target.kind in (PROBE, ROBOTS) or reason is None:
            return
        stats = self._context.stats
        stats.reject(reason, None if self._is_repeated(reason, target) else fault)
        stats.publish()
        self._silences = self._silences + 1 if reason is Rejection.NO_ANSWER else 0
        if self._silences >= MAX_SILENCES_IN_A_ROW:
            stats.add_fault(Message("crawl.silent", url=urlsplit(target.url).netloc))
            raise CloseSpider(NO_ANSWER)

    def _is_repeated(self, reason: Rejection, target: CrawlTarget) -> bool:
        """Return True if one more message of this kind says nothing new."""
        is_known = reason.value in self._context.stats.counts.rejected
        return (reason is Rejection.ROBOTS and target.depth > 0) or (reason is Rejection.TOO_MANY_FILES and is_known)

    def explain(self, failure: Failure, url: str) -> tuple[Rejection | None, Message]:
        """Return why a request to `url` failed: the reason, None for one that is not counted, and a message."""
        settings = self._context.settings
        return explain(failure, url, settings.timeout_s, settings.max_body_bytes)
