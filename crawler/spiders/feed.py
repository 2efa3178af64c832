"""The spider for feeds. It fetches the pages that feeds list, and stores a feed's text if its page cannot be fetched.

The evidence of such a text is the response that contained the feed.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from core.ids import CanonicalUrl
from core.pages import FROM_FEED, Fetched
from core.states import Rejection
from core.wording import Message
from crawler.context import CrawlContext
from crawler.fetching.capture import make_capture
from crawler.frontier import FEED, PAGE, CrawlTarget
from crawler.items import ReadPage
from crawler.links import Links
from crawler.opening import Rejected
from crawler.politeness.refusals import Postponed
from crawler.readers.messages import Call
from crawler.readers.pages import SinglePage
from crawler.sources.feeds import Feed, FeedEntry, parse_feed_or_urls
from crawler.sources.sitemaps import complete_reading
from crawler.spiders.generic import GenericSpider, SpiderOutput
from crawler.spiders.link_discovery import LinkDiscovery
from crawler.urls import identity

PRIORITY = 20


@dataclass(frozen=True, slots=True)
class _Carried:
    """The text of a feed entry, and the response that contained the feed."""

    entry: FeedEntry
    fetched: Fetched


class FeedDiscovery(LinkDiscovery):
    """Discovers feeds, the feeds that pages name, and the pages that feeds list."""

    def seed(self) -> None:
        for url in self.safe_urls(self.context.plan.start_urls):
            self.context.frontier.add_address(url, 0, FEED)

    def requests_from_page(self, found: Links, depth: int) -> Iterator[Request]:
        return self.requests_for_downloads(found, depth)


class FeedSpider(GenericSpider):
    """Crawls feeds. A start URL is that of a feed, or of a page that names feeds."""

    name = "feed"
    discovery_type = FeedDiscovery
    joins_parts = False

    def __init__(self, context: CrawlContext) -> None:
        super().__init__(context)
        self._carried: dict[str, _Carried] = {}  # by the URL of a page that has not been read
        self._read_feeds: set[str] = set()

    def make_request(self, target: CrawlTarget) -> Request:
        request = super().make_request(target)
        return request if target.kind != FEED else request.replace(callback=self.parse_feed, priority=PRIORITY)

    async def parse_feed(self, response: Response, target: CrawlTarget) -> AsyncIterator[SpiderOutput]:
        """Yield requests for the pages that a feed lists, and for further feeds."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        given = response.body, content_type, response.url, self.context.plan.encoding
        task = Call(response.url, parse_feed_or_urls, given)
        feed = await self.pages.read_list(response, task)
        if not isinstance(feed, Feed):
            for request in self._requests_for_feeds(response, feed) if isinstance(feed, tuple) else ():
                yield request
            self.finish_list(target)
            return
        further = list(self.discovery.requests_for_lists((feed.next_page,), FEED)) if feed.next_page else []
        for request in (*self._requests_for_entries(feed, response, target), *further):
            yield request
        # An interrupted crawl reads the feed again, because pages may still need the texts in it.
        self._read_feeds.add(target.url)
        self.context.recrawl.order.settle(target)

    async def note_failure(self, failure: Failure) -> AsyncIterator[ReadPage]:
        """Count a failed request. If a page cannot be fetched but the feed contains its text, yield that text."""
        super().note_failure(failure)
        target: CrawlTarget = failure.request.cb_kwargs["target"]  # type: ignore[attr-defined]
        carried = self._carried.get(target.url)
        if target.kind == PAGE and carried is not None and not isinstance(failure.value, Postponed):
            async for item in self._read_entry(carried, target):
                yield item

    def give_up(self, target: CrawlTarget) -> None:
        """Leave a target pending if its text in the feed is still to be stored."""
        if target.url not in self._carried:
            super().give_up(target)

    def _requests_for_feeds(self, response: Response, named: tuple[str, ...]) -> Iterator[Request]:
        if not named:
            self.context.stats.reject(Rejection.NOT_HTML, Message("page.no-feed", url=response.url))
        yield from self.discovery.requests_for_lists(named, FEED)

    def _requests_for_entries(self, feed: Feed, response: Response, target: CrawlTarget) -> list[Request]:
        fetched = self.pages.make_fetched(response, target, CanonicalUrl(response.url), make_capture(response))
        self._note_off_site_url(feed, response.url)
        listed = {entry.url for entry in self.discovery.keep_followed([entry.listed for entry in feed.entries])}
        followed = [entry for entry in feed.entries if entry.listed.url in listed]
        requests = list(self.discovery.new_requests([entry.listed.url for entry in followed], 1, PAGE))
        texts = self._carried | {entry.listed.url: _Carried(entry, fetched) for entry in followed if entry.content}
        self._carried = {url: text for url, text in texts.items() if self.context.frontier.is_open(url)}
        return requests

    def _note_off_site_url(self, feed: Feed, url: str) -> None:
        scope = self.context.scope
        hosts = [urlsplit(e.listed.url).netloc for e in feed.entries if not scope.is_on_site(e.listed.url)]
        if hosts:
            count, host = len(hosts), Counter(hosts).most_common(1)[0][0]
            self.context.stats.reject(
                Rejection.OFF_SITE, Message("page.feed-off-site", url=url, count=count, host=host)
            )

    async def _read_entry(self, carried: _Carried, target: CrawlTarget) -> AsyncIterator[ReadPage]:
        entry = carried.entry
        markup = f"<!doctype html><html><body><article>{entry.content}</article></body></html>"
        headers = {"Content-Type": "text/html; charset=utf-8"}
        task = SinglePage(markup.encode("utf-8", "replace"), headers, entry.listed.url)
        reading = await self.pages.read_part(task)
        if isinstance(reading, Rejected) or not reading.text:
            self.context.frontier.finish(target.url)
            return
        url = identity(entry.listed.url, "")
        reading = replace(
            complete_reading(replace(reading, title=entry.listed.title), entry.listed), extractor=FROM_FEED
        )
        yield ReadPage(target, replace(carried.fetched, canonical_url=url), reading)

    def closed(self, reason: str) -> None:
        """Mark the feeds as done if all are read and no page needs their texts any more."""
        pending = self.context.frontier.pending()
        if all(target.url in self._read_feeds for target in pending):
            for target in pending:
                self.context.frontier.finish(target.url)
        super().closed(reason)
