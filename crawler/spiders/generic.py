"""The spider for any site, and Scrapy's rim of every other: what it finds, reads and counts is done by its parts."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from core.states import Rejection
from core.wording import Message
from crawler.context import CrawlContext
from crawler.end_reasons import BYTE_LIMIT, PAGE_LIMIT, STOPPED
from crawler.frontier import PAGE, PROBE, ROBOTS, SITEMAP, Target
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.recrawl.recrawl import RECRAWLED
from crawler.sources.sitemaps import Sitemap, SitemapToRead
from crawler.spiders.crawl_signals import CrawlSignals
from crawler.spiders.engine_state import is_quiet
from crawler.spiders.failures import Failures
from crawler.spiders.link_discovery import LinkDiscovery
from crawler.spiders.page_handler import PageHandler

Found = Request | ReadPage | NotThere | Unchanged | Unread  # what a callback yields
_PRIORITIES = {ROBOTS: 30, SITEMAP: 20, PROBE: 20}


class GenericSpider(Spider):
    """Crawls one plan. Another kind of site has another discovery, or overrides public methods."""

    name = "generic"
    discovery_type: type[LinkDiscovery] = LinkDiscovery

    def __init__(self, context: CrawlContext) -> None:
        super().__init__()
        self.context = context
        self.discovery = self.discovery_type(context, self.request_of)
        self.pages = PageHandler(context, self.discovery.listed)
        self.failures = Failures(context, self.give_up)
        self._signals = CrawlSignals(context)

    @classmethod
    def from_crawler(cls, crawler: Any, make_context: Callable[[Any], CrawlContext]) -> "GenericSpider":
        spider = super().from_crawler(crawler, make_context(crawler))
        spider._signals.connect(crawler)
        crawler.signals.connect(spider.failures.note_answer, signal=signals.response_received)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """The start pages, or what an earlier run of the same plan left to do."""
        recrawl, frontier = self.context.recrawl, self.context.frontier
        self.discovery.begin()
        for probe in recrawl.probes():
            yield probe
        await recrawl.await_probes()
        first, later = recrawl.in_order(frontier.pending())
        for target in first:
            yield self.request_of(target)
        await recrawl.await_lists(lambda: is_quiet(self.crawler.engine))
        for target in recrawl.still_due(later, frontier):
            yield self.request_of(target)

    def request_of(self, target: Target) -> Request:
        """The request for an address that the frontier keeps."""
        callback = {PAGE: self.parse_answer, ROBOTS: self.parse_robots}.get(target.kind, self.parse_sitemap)
        is_page = target.kind == PAGE
        kind_priority = _PRIORITIES.get(target.kind, _PRIORITIES[SITEMAP])
        return Request(
            target.url,
            callback=callback,
            errback=self.note_failure,
            cb_kwargs={"target": target},
            priority=self.context.recrawl.priority(target) if is_page else kind_priority - target.depth,
            dont_filter=True,  # the frontier knows what was asked for
            meta={"dont_obey_robotstxt": target.kind == ROBOTS, RECRAWLED: is_page},
        )

    async def parse_answer(self, response: Response, target: Target) -> AsyncIterator[Found]:
        """Tell a page from an answer that has none: nothing has changed, or the page is not there."""
        answer = self.pages.answer_without_page(response, target)
        if answer is None:
            async for found in self.parse_page(response, target):
                yield found
            self.context.recrawl.settle(target)
            return
        yield answer
        self.context.recrawl.settle(target)
        self.end_if_full()

    async def parse_page(self, response: Response, target: Target) -> AsyncIterator[Found]:
        """Read one page: its links become requests, its text an item."""
        if self.context.is_full():
            return
        page = await self.pages.read(response, is_kept=self.context.scope.keeps(response.url))
        requests = list(self.discovery.requests_from_page(page.links, target.depth)) if page.links else []
        item = await self.pages.item(response, page, target)
        if item is None:
            self.context.frontier.finish(target.url)
        else:
            yield item
        self.end_if_full()
        for request in requests:
            yield request

    async def parse_sitemap(self, response: Response, target: Target) -> AsyncIterator[Found]:
        """The pages that a sitemap lists, and the sitemaps that it names."""
        task = SitemapToRead(response.url, response.body, self.context.settings.max_body_bytes)
        sitemap = await self.pages.read_list(response, task)
        if sitemap is None and target.kind == SITEMAP:
            self.context.stats.reject(Rejection.NOT_HTML, Message("page.no-sitemap", url=response.url))
        for request in self.discovery.requests_from_sitemap(sitemap) if isinstance(sitemap, Sitemap) else ():
            yield request
        self.finish_list(target)

    def parse_robots(self, response: Response, target: Target) -> Iterator[Request]:
        """The sitemaps that robots.txt names."""
        yield from self.discovery.requests_from_robots(response.body, response.url)
        self.finish_list(target)

    def note_failure(self, failure: Failure) -> Any:
        """A request that came to nothing. A kind of site may yield what it has in place of the answer."""
        self.failures.note(failure)

    def give_up(self, target: Target) -> None:
        """Nothing more is asked of an address that failed."""
        self.context.frontier.finish(target.url)

    def finish_list(self, target: Target) -> None:
        """All that a sitemap, a feed or robots.txt names is in the frontier."""
        self.context.frontier.finish(target.url)
        self.context.recrawl.settle(target)

    def end_if_full(self) -> None:
        """Publish the counts. Raises CloseSpider where the crawl has as many pages as it may."""
        self.context.stats.publish()
        if self.context.is_full():
            raise CloseSpider(PAGE_LIMIT)

    def closed(self, reason: str) -> None:
        """Scrapy's last call: why the crawl ended, in one word."""
        context, counts = self.context, self.context.stats.counts
        if reason == "finished" and not counts.fetched and counts.rejected:
            reason = max(counts.rejected, key=lambda name: counts.rejected[name])
        counts.finish_reason = STOPPED if reason == "shutdown" else reason
        context.reader.close()
        context.recrawl.close()
        context.frontier.close(is_complete=context.frontier.is_empty() or reason in (PAGE_LIMIT, BYTE_LIMIT))
        context.stats.publish(is_last=True)
