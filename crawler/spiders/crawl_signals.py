"""What Scrapy tells of a crawl beside the answers: requests made, headers that came, faults of a callback."""

from typing import Any

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http import Response
from twisted.python.failure import Failure

from core.errors import RetryLater
from core.wording import Message
from crawler.context import CrawlContext
from crawler.frontier import PAGE, Target
from crawler.items import ReadPage

_PAGE_TYPES = ("text/", "application/xhtml", "application/xml", "application/octet-stream")


class CrawlSignals:
    """Counts for one crawl. Scrapy holds its receivers weakly: whoever connects this one keeps it."""

    def __init__(self, context: CrawlContext) -> None:
        self._context = context

    def connect(self, crawler: Any) -> None:
        """To the signals of a scrapy.crawler.Crawler."""
        crawler.signals.connect(self.count_request, signal=signals.request_reached_downloader)
        crawler.signals.connect(self.refuse_binary, signal=signals.headers_received)
        crawler.signals.connect(self.note_fault, signal=signals.spider_error)
        crawler.signals.connect(self.note_item_fault, signal=signals.item_error)

    def count_request(self, request: Request) -> None:
        self._context.stats.counts.requested += _asks_for_page(request)

    def refuse_binary(self, headers: Any, request: Request) -> None:
        """Stop the download of what says that it is no page before its body comes."""
        media_type = (headers.get("Content-Type") or b"text/html").decode("latin-1").strip().lower()
        if _asks_for_page(request) and not media_type.startswith(_PAGE_TYPES):
            raise StopDownload(fail=True)

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


def _asks_for_page(request: Request) -> bool:
    target = request.cb_kwargs.get("target")
    return isinstance(target, Target) and target.kind == PAGE
