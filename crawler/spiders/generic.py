"""The spider for any site, and the base class of the other spiders. Its parts discover URLs, read pages and count."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from core.pages import Reading
from core.politeness import BrowserMode
from core.states import Rejection
from core.wording import Message
from crawler.browsing.chromium import missing_browser
from crawler.browsing.on_demand import BROWSER_META
from crawler.context import CrawlContext
from crawler.frontier import PAGE, PROBE, ROBOTS, SITEMAP, CrawlTarget
from crawler.items import NotThere, ReadPage, Unchanged, Unread
from crawler.middlewares.browser_requests import BrowserMiddleware
from crawler.politeness.refusals import Postponed
from crawler.readers.messages import Call
from crawler.readers.pages import WholePage
from crawler.recrawl.recrawl import RECRAWLED
from crawler.sources.novel_pages import MAX_PARTS, announces_continuation, chapter_title, is_continuation, part_number
from crawler.sources.sitemaps import Sitemap, read_sitemap
from crawler.spiders.crawl_signals import CrawlSignals, Failures
from crawler.spiders.link_discovery import LinkDiscovery
from crawler.spiders.page_handler import PageHandler, PartedText
from crawler.stats import BYTE_LIMIT, NEEDS_BROWSER, PAGE_LIMIT, STOPPED


def is_quiet(engine: Any) -> bool:
    """Return True if no request is in progress or waiting, and no response is being read. engine: Scrapy's, or None."""
    if engine is None:
        return True
    slot, scraper = engine._slot, engine.scraper.slot
    is_idle = slot is None or not (slot.inprogress or slot.scheduler.has_pending_requests())
    return is_idle and (scraper is None or bool(scraper.is_idle()))


SpiderOutput = Request | ReadPage | NotThere | Unchanged | Unread  # what a callback yields
PART_PRIORITY = 10
_PRIORITIES = {ROBOTS: 30, SITEMAP: 20, PROBE: 20}


class GenericSpider(Spider):
    """Crawls one plan. A spider for another kind of site sets another discovery, or overrides public methods."""

    name = "generic"
    discovery_type: type[LinkDiscovery] = LinkDiscovery
    joins_parts = True  # whether to fetch the further pages of a text and join them to one page

    def __init__(self, context: CrawlContext) -> None:
        super().__init__()
        self.context = context
        self.discovery = self.discovery_type(context, self.make_request)
        self.pages = PageHandler(context, self.discovery.listed)
        self.failures = Failures(context, self.give_up)
        self.shells = Shells(context, lambda: self.crawler.get_downloader_middleware(BrowserMiddleware))
        self._signals = CrawlSignals(context)
        self._claimed: set[str] = set()  # URLs that are read as parts, whichever page links to them
        self._unfinished = 0  # number of texts of which a part is being fetched

    @classmethod
    def from_crawler(cls, crawler: Any, make_context: Callable[[Any], CrawlContext]) -> "GenericSpider":
        spider = super().from_crawler(crawler, make_context(crawler))
        spider._signals.connect(crawler)
        crawler.signals.connect(spider.failures.note_answer, signal=signals.response_received)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield requests for the start pages, or for the pending URLs of an interrupted run of the same plan."""
        recrawl, frontier = self.context.recrawl, self.context.frontier
        self.discovery.begin()
        for probe in recrawl.probes.requests():
            yield probe
        await recrawl.probes.await_answers()
        first, later = recrawl.order.split(frontier.pending())
        for target in first:
            yield self.make_request(target)
        await recrawl.order.await_lists(lambda: is_quiet(self.crawler.engine))
        for target in recrawl.order.still_due(later, frontier):
            yield self.make_request(target)

    def make_request(self, target: CrawlTarget) -> Request:
        """Make the request for a target in the frontier."""
        callback = {PAGE: self.parse_answer, ROBOTS: self.parse_robots}.get(target.kind, self.parse_sitemap)
        is_page = target.kind == PAGE
        priority = _PRIORITIES.get(target.kind, _PRIORITIES[SITEMAP]) - target.depth
        if is_page:
            priority = self.context.recrawl.visits.priority(target.url, target.depth)
        return Request(
            target.url,
            callback=callback,
            errback=self.note_failure,
            cb_kwargs={"target": target},
            priority=priority,
            dont_filter=True,  # the frontier already filters duplicates
            meta={"dont_obey_robotstxt": target.kind == ROBOTS, RECRAWLED: is_page},
        )

    async def parse_answer(self, response: Response, target: CrawlTarget) -> AsyncIterator[SpiderOutput]:
        """Parse a page, or handle a response which states that the page is unchanged or missing."""
        answer = self.pages.answer_without_page(response, target)
        if answer is None:
            async for found in self.parse_page(response, target):
                yield found
            self.context.recrawl.order.settle(target)
            return
        yield answer
        self.context.recrawl.order.settle(target)
        self.end_if_full()

    async def parse_page(
        self, response: Response, target: CrawlTarget, text: PartedText | None = None
    ) -> AsyncIterator[SpiderOutput]:
        """Read a page: its links become requests, and its text an item.

        text: the text that the page may continue, or None.
        """
        if text is None and target.url in self._claimed:
            self.context.frontier.finish(target.url)
            return
        if text is None and self.context.is_full():
            return
        page = await self.pages.read(response, is_kept=text is not None or self.pages.is_kept(response))
        again = self.shells.request_in_browser(response, page)
        if again is not None:
            yield again
            return
        if text is not None:
            self._unfinished -= 1
            if self.is_next_part(text, page, response.url):
                for step in self._request_next_part(text, page, response, target):
                    yield step
                self.end_if_full()
                return
            self.context.frontier.promote(response.url, target.depth)
            yield text.whole()
            target = CrawlTarget(response.url, target.depth, PAGE)
        async for found in self.begin_text(response, page, target):
            yield found
        self.end_if_full()

    async def begin_text(self, response: Response, page: WholePage, target: CrawlTarget) -> AsyncIterator[SpiderOutput]:
        """Yield the item and the requests for a page that does not continue another one."""
        if self.discovery.has_repeated(response.url, page, target):
            for request in self.follow_links(page, response.url, target):
                yield request
            self.context.frontier.finish(target.url)
            return
        item = await self.pages.item(response, page, target)
        if isinstance(item, ReadPage) and isinstance(page.reading, Reading) and page.reading.text:
            begun = PartedText(item, response.url, [item.reading], is_chapter=page.outline is not None)
            for found in self._request_next_part(begun, page, response, target):
                yield found
        else:
            requests = list(self.follow_links(page, response.url, target))
            if item is None:
                self.context.frontier.finish(target.url)
            else:
                yield item
            for request in requests:
                yield request

    def is_next_part(self, text: PartedText, page: WholePage, url: str) -> bool:
        """Return True if a page is the next part of a text and no separate page."""
        reading = page.reading
        return isinstance(reading, Reading) and is_continuation(text.readings, reading, text.first_url, url)

    def _request_next_part(
        self, text: PartedText, page: WholePage, response: Response, target: CrawlTarget
    ) -> Iterator[Request | ReadPage]:
        """Request the page that may continue a text, or yield the text if there is none.

        Then follow the links of the page.
        """
        if response.url != text.first_url and isinstance(page.reading, Reading):
            text.add_part(page.reading, self.pages.part(response))
        part = self._make_part_request(text, page, response.url)
        requests = list(self.follow_links(page, response.url, target))
        if part is None:
            yield text.whole()
        else:
            self._unfinished += 1
            yield part
        yield from requests

    def _claim_page(self, url: str) -> bool:
        """Claim an unread page as a part. Return False if another page has led to it before."""
        frontier = self.context.frontier
        if url in self._claimed or self.context.is_known_page(url):
            return False
        if not (frontier.claim(url) or frontier.is_open(url)):
            return False
        self._claimed.add(url)
        return True

    def _make_part_request(self, text: PartedText, page: WholePage, url: str) -> Request | None:
        """Make the request for the next part of a text, or return None if there is no part that is still unclaimed."""
        title = chapter_title(text.readings[-1].title)
        is_whole = 0 < title.parts <= title.part or len(text.readings) >= MAX_PARTS
        if not self.joins_parts or is_whole:
            return None
        address = next(filter(self.context.scope.allows, self.next_parts(text, page, url)), None)
        if address is None or address in text.urls or not self._claim_page(address):
            return None
        text.urls.add(address)
        return Request(
            address,
            callback=self.parse_page,
            errback=self.note_failure,
            cb_kwargs={"target": text.item.target, "text": text},
            priority=PART_PRIORITY,
            dont_filter=True,
        )

    def next_parts(self, text: PartedText, page: WholePage, url: str) -> Iterator[str]:
        """Yield the links of a page that may lead to the next part of a text. url: the URL of the page."""
        last, title = text.readings[-1], chapter_title(text.readings[-1].title)
        if page.links is None or last.extractor == "thread":
            return
        is_expected = title.part < title.parts or announces_continuation(last.text)
        at = part_number(text.first_url, url) or 1
        for address in page.links.next_pages:
            if is_expected or part_number(text.first_url, address) == at + 1:
                yield address

    def follow_links(self, page: WholePage, url: str, target: CrawlTarget) -> Iterator[Request]:
        """Yield requests for the links of the page at a URL. target: the first part of its text."""
        if page.links is not None:
            yield from self.discovery.requests_from_page(page.links, target.depth)

    async def parse_sitemap(self, response: Response, target: CrawlTarget) -> AsyncIterator[SpiderOutput]:
        """Yield requests for the pages and the further sitemaps that a sitemap lists."""
        task = Call(response.url, read_sitemap, (response.body, self.context.settings.max_body_bytes))
        sitemap = await self.pages.read_list(response, task)
        if sitemap is None and target.kind == SITEMAP:
            self.context.stats.reject(Rejection.NOT_HTML, Message("page.no-sitemap", url=response.url))
        if isinstance(sitemap, Sitemap) and sitemap.skipped_lines:
            skipped = Message("page.sitemap-lines", url=response.url, count=sitemap.skipped_lines)
            self.context.stats.add_fault(skipped)
        for request in self.discovery.requests_from_sitemap(sitemap) if isinstance(sitemap, Sitemap) else ():
            yield request
        self.finish_list(target)

    def parse_robots(self, response: Response, target: CrawlTarget) -> Iterator[Request]:
        """Yield requests for the sitemaps that robots.txt names."""
        yield from self.discovery.requests_from_robots(response.body, response.url)
        self.finish_list(target)

    def note_failure(self, failure: Failure) -> Any:
        """Count a failed request. Spiders for other kinds of sites may yield a substitute for the response."""
        text: PartedText | None = failure.request.cb_kwargs.get("text")  # type: ignore[attr-defined]
        if text is not None:
            return self._without_part(failure, text)
        self.failures.note(failure)
        return None

    def _without_part(self, failure: Failure, text: PartedText) -> Iterator[ReadPage]:
        """Yield the text without the part that could not be fetched, and report the missing part."""
        self._unfinished -= 1
        if isinstance(failure.value, Postponed):
            return  # the next run begins the text again
        url = self.failures.count_lost_page(failure)
        self.context.stats.fail(Message("page.left-out", url=text.first_url, part=url))
        yield text.whole()

    def give_up(self, target: CrawlTarget) -> None:
        """Mark a URL that failed as done."""
        self.context.frontier.finish(target.url)

    def finish_list(self, target: CrawlTarget) -> None:
        """Record that all targets of a sitemap, a feed or robots.txt are in the frontier."""
        self.context.frontier.finish(target.url)
        self.context.recrawl.order.settle(target)

    def end_if_full(self) -> None:
        """Publish the counts. Raises CloseSpider if the crawl has reached its page limit.

        A text that is already in progress is still read to its end.
        """
        self.context.stats.publish()
        if self.context.is_full() and not self._unfinished:
            raise CloseSpider(PAGE_LIMIT)

    def closed(self, reason: str) -> None:
        """Record why the crawl ended, and close its resources. reason: Scrapy's, or one of crawler.stats."""
        context, counts = self.context, self.context.stats.counts
        if reason == "finished" and not counts.fetched and counts.rejected:
            reason = max(counts.rejected, key=lambda name: counts.rejected[name])
        counts.finish_reason = STOPPED if reason == "shutdown" else reason
        context.reader.close()
        context.frontier.close(is_complete=context.frontier.is_empty() or reason in (PAGE_LIMIT, BYTE_LIMIT))
        context.stats.publish(is_last=True)


# Requests pages that are empty shells for scripts in the browser. A missing browser is reported.


class Shells:
    """Requests the shells of one crawl in the browser.

    browser: returns the middleware that does so, or None if there is no browser
    """

    def __init__(self, context: CrawlContext, browser: Callable[[], BrowserMiddleware | None]) -> None:
        self._context, self._browser = context, browser
        self._is_reported = False

    def request_in_browser(self, response: Response, page: WholePage) -> Request | None:
        """Return the request for a shell in the browser, or None for any other page or without a browser."""
        if BROWSER_META in response.meta:
            return None
        browser = self._browser()
        if browser is None:
            if page.is_shell:
                self._report_missing(response.url)
            return None
        is_shell = page.is_shell and response.status == 200
        browser.note_read(is_shell=is_shell)
        if not is_shell or response.request is None:
            return None
        self._context.stats.counts.fetched -= 1  # the page is still to be fetched
        return browser.in_browser(response.request)

    def _report_missing(self, url: str) -> None:
        """Report once per crawl that pages are left out, and what must be installed to read them."""
        settings, mode = self._context.settings, self._context.plan.politeness.browser
        missing = missing_browser(settings) if mode is not BrowserMode.NEVER else None
        if missing is not None and not self._is_reported:
            self._is_reported = True
            self._context.stats.add_first(Message(NEEDS_BROWSER, url=url, missing=missing))
