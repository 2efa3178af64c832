"""Receives Scrapy's signals during a crawl: requests sent, headers received, errors in callbacks."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, StopDownload
from scrapy.http import Response
from twisted.python.failure import Failure

from core.errors import RetryLater
from core.states import Rejection
from core.wording import Message
from crawler.context import CrawlContext
from crawler.frontier import PROBE, ROBOTS, CrawlTarget, asks_for_page
from crawler.items import ReadPage
from crawler.opening import is_attachment, is_no_text_type, is_page_type
from crawler.politeness.refusals import BEYOND_FILES, KnownText, Postponed, explain
from crawler.stats import NO_ANSWER

# Counts failed requests by reason, and ends the crawl of a site that no longer responds.

# The site is down: it is no coincidence that 10 pages in a row, each tried three times, get no response.
MAX_SILENCES_IN_A_ROW = 10


class Failures:
    """The failures of one crawl. give_up: called with each target that is not requested again."""

    def __init__(self, context: CrawlContext, give_up: Callable[[CrawlTarget], None]) -> None:
        self._context, self._give_up = context, give_up
        self._silences = 0

    def note_answer(self) -> None:
        """Record that the site has responded, whatever the status code is."""
        self._silences = 0

    def note(self, failure: Failure) -> None:
        """Count a failed request. Failures of probes and of robots.txt are not counted.

        Raises CloseSpider after MAX_SILENCES_IN_A_ROW requests in a row without a response.
        """
        if isinstance(failure.value, Postponed):
            return  # its URL remains pending in the journal
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
        """Return True if another message of this kind would add nothing."""
        is_known = reason.value in self._context.stats.counts.rejected
        return (reason is Rejection.ROBOTS and target.depth > 0) or (reason is Rejection.TOO_MANY_FILES and is_known)

    def explain(self, failure: Failure, url: str) -> tuple[Rejection | None, Message]:
        """Return why a request to a URL failed: a reason, or None if the failure is not counted, and a message."""
        settings = self._context.settings
        return explain(failure, url, settings.timeout_s, settings.max_body_bytes)

    def count_lost_page(self, failure: Failure) -> str:
        """Count a lost page of a text or a catalogue that continues without it. Return the URL of the page."""
        url: str = failure.request.url  # type: ignore[attr-defined]
        reason, fault = self.explain(failure, url)
        if reason is not None:
            self._context.stats.reject(reason, fault)
        return url


IS_FILE = "is_file"  # key in the meta of a request whose response was counted as a file


class CrawlSignals:
    """Counts the requests and files of one crawl.

    Scrapy refers to receivers weakly, so the caller stores a reference.
    """

    def __init__(self, context: CrawlContext) -> None:
        self._context = context

    def connect(self, crawler: Any) -> None:
        """Connect the receivers to the signals of a scrapy.crawler.Crawler."""
        crawler.signals.connect(self.count_request, signal=signals.request_reached_downloader)
        crawler.signals.connect(self.refuse_by_headers, signal=signals.headers_received)
        crawler.signals.connect(self.take_back_file, signal=signals.response_received)
        crawler.signals.connect(self.note_fault, signal=signals.spider_error)
        crawler.signals.connect(self.note_item_fault, signal=signals.item_error)

    def count_request(self, request: Request) -> None:
        self._context.stats.counts.requested += asks_for_page(request)

    def refuse_by_headers(self, headers: Any, request: Request) -> None:
        """Stop the download of a body whose content type has no text, and of files beyond the limit per run."""
        if not asks_for_page(request):
            return
        content_type = (headers.get("Content-Type") or b"").decode("latin-1")
        is_attached = is_attachment((headers.get("Content-Disposition") or b"").decode("latin-1"))
        if is_no_text_type(content_type) and not is_attached:
            raise StopDownload(fail=True)
        if is_attached or not is_page_type(content_type):
            counts = self._context.stats.counts
            if counts.files >= self._context.settings.max_files:
                request.meta[BEYOND_FILES] = self._context.settings.max_files
                raise StopDownload(fail=True)
            counts.files += 1
            request.meta[IS_FILE] = True

    def take_back_file(self, response: Response, request: Request) -> None:
        """Subtract a response that was counted as a file but is an error, because some sites send errors as JSON."""
        self._context.stats.counts.files -= request.meta.pop(IS_FILE, False) and response.status >= 300

    def note_fault(self, failure: Failure, response: Response) -> None:
        fault = failure.value
        if isinstance(fault, RetryLater):
            self._context.stats.fail(Message("crawl.stored-later", url=response.url, fault=fault))
            return
        self._context.stats.fail(Message("crawl.unread", url=response.url, kind=type(fault).__name__))

    def note_item_fault(self, item: ReadPage, failure: Failure) -> None:
        fault = failure.value
        url, kind = item.fetched.canonical_url, type(fault).__name__
        self._context.stats.fail(Message("crawl.unstored", url=url, kind=kind, fault=fault))
