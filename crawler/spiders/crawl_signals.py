"""Receivers of Scrapy's signals of a crawl: requests sent, headers received, errors of a callback."""

from typing import Any

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http import Response
from twisted.python.failure import Failure

from core.errors import RetryLater
from core.wording import Message
from crawler.context import CrawlContext
from crawler.frontier import asks_for_page
from crawler.items import ReadPage
from crawler.opening import is_attachment, is_no_text_type, is_page_type
from crawler.politeness.refusals import BEYOND_FILES

IS_FILE = "is_file"  # of a request's meta: its answer was counted as a file


class CrawlSignals:
    """Counts for one crawl. Scrapy holds its receivers weakly: the caller of `connect` keeps a reference."""

    def __init__(self, context: CrawlContext) -> None:
        self._context = context

    def connect(self, crawler: Any) -> None:
        """Connect to the signals of a scrapy.crawler.Crawler."""
        crawler.signals.connect(self.count_request, signal=signals.request_reached_downloader)
        crawler.signals.connect(self.refuse_by_headers, signal=signals.headers_received)
        crawler.signals.connect(self.take_back_file, signal=signals.response_received)
        crawler.signals.connect(self.note_fault, signal=signals.spider_error)
        crawler.signals.connect(self.note_item_fault, signal=signals.item_error)

    def count_request(self, request: Request) -> None:
        self._context.stats.counts.requested += asks_for_page(request)

    def refuse_by_headers(self, headers: Any, request: Request) -> None:
        """Stop the download of a body whose type has no text, and of files beyond what a run fetches."""
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
        """Subtract a file that was counted by its headers and is an error: some sites answer an error in JSON."""
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
