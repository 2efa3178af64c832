"""The spider for feeds: what they list is fetched; of a page that is not to be had, the text in the feed is kept.

The evidence of such a text is the feed itself, as it came.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.http import Response
from twisted.python.failure import Failure

from core.ids import CanonicalUrl, FinalUrl, RequestedUrl
from core.pages import FROM_FEED, Fetched
from core.states import Rejection
from crawler.fetching.capture import capture_of
from crawler.fetching.response_headers import headers_of
from crawler.frontier import ADDRESS, PAGE, Target
from crawler.items import ReadPage
from crawler.links import Links
from crawler.politeness.refusals import Postponed
from crawler.readers.pages import SinglePage
from crawler.reading import Rejected
from crawler.sources.feeds import Feed, FeedEntry, FeedToRead
from crawler.sources.listed import completed
from crawler.spiders.generic import GenericSpider
from crawler.urls import identity

FEED = "feed"  # the kind of a target
MAX_FEEDS = 100  # of one crawl: a site names one for each of its sections, and a paged feed has some tens
PRIORITY = 20


@dataclass(frozen=True, slots=True)
class _Carried:
    """An entry's text and the response that it came in."""

    entry: FeedEntry
    fetched: Fetched


class FeedSpider(GenericSpider):
    """A start URL is a feed, or a page that names some."""

    name = "feed"

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._carried: dict[str, _Carried] = {}
        self._open: dict[str, set[str]] = {}  # by feed: pages that may still need what it carries
        self._unreached: dict[str, Target] = {}  # pages that failed before their feed was read again
        self._feeds = 0

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **kwargs: Any) -> "FeedSpider":
        spider = super().from_crawler(crawler, *args, **kwargs)
        assert isinstance(spider, FeedSpider)
        crawler.signals.connect(spider.note_stored, signal=signals.item_scraped)
        return spider

    def _seed(self) -> None:
        for url in self._safe(self.plan.start_urls):
            self.frontier.add(url, 0, FEED)

    def _request(self, target: Target) -> Request:
        request = super()._request(target)
        if target.kind != FEED:
            return request
        return request.replace(callback=self.parse_feed, priority=PRIORITY)

    def _link_requests(self, found: Links, depth: int) -> Iterator[Request]:
        yield from ()

    async def parse_feed(self, response: Response, target: Target) -> AsyncIterator[Request | ReadPage]:
        """The pages that a feed lists, further feeds, and the text of entries whose pages failed before."""
        self._silences = 0
        self._feeds += 1
        self.tally.counts.bytes_fetched += len(response.body)
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        feed = await self._listing(FeedToRead(response.url, response.body, content_type, self.plan.encoding))
        if not isinstance(feed, Feed):
            for request in self._named_by(response, feed) if isinstance(feed, tuple) else ():
                yield request
            self.frontier.finish(target.url)
            self._settle_list(target)
            return
        further = list(self._feed_requests((feed.next_page,))) if feed.next_page else []
        async for found in self._entries(feed, response, target):  # may be the end of this feed
            yield found
        for request in further:
            yield request
        self._settle_list(target)

    async def parse_page(self, response: Response, target: Target) -> AsyncIterator[Request | ReadPage]:
        """Read one page; what the feed carries of it is needed no more."""
        async for found in super().parse_page(response, target):
            yield found
        self._settle(target.url)

    def note_stored(self, item: Any, response: Response, spider: Spider) -> None:
        """A page is done; only now is the feed that carries it."""
        self._settle(item.target.url)

    async def note_failure(self, failure: Failure) -> AsyncIterator[ReadPage]:  # type: ignore[override]
        """Keep the text that the feed carries for a page that is not to be had; the failure is counted all the same."""
        target: Target = failure.request.cb_kwargs["target"]  # type: ignore[attr-defined]
        carried = self._carried.get(target.url)
        if target.kind == PAGE and carried is None and self._has_feeds_to_come():
            self._unreached[target.url] = target
        super().note_failure(failure)
        if target.kind == PAGE and carried is not None and not isinstance(failure.value, Postponed):
            async for item in self._item_of(carried, target):
                yield item
        self._settle(target.url)

    def _given_up(self, target: Target) -> None:
        if target.url not in self._carried:
            super()._given_up(target)  # else the text in the feed is still to be stored

    def _named_by(self, response: Response, named: tuple[str, ...]) -> Iterator[Request]:
        if not named:
            self.tally.reject(Rejection.NOT_HTML, f"{response.url} is no feed and names none")
        yield from self._feed_requests(named)

    def _feed_requests(self, urls: tuple[str, ...]) -> Iterator[Request]:
        wanted = [url for url in urls if self.scope.is_on_site(url)][: max(0, MAX_FEEDS - self._feeds)]
        yield from self._new_requests(wanted, 0, FEED)

    async def _entries(self, feed: Feed, response: Response, target: Target) -> AsyncIterator[Request | ReadPage]:
        fetched = Fetched(
            site_id=self.plan.site_id,
            requested_url=RequestedUrl(target.url),
            final_url=FinalUrl(response.url),
            canonical_url=CanonicalUrl(response.url),
            status=response.status,
            headers=tuple(headers_of(response).items()),
            body=response.body,
            fetched_at=self._clock.now(),
            capture=capture_of(response),
        )
        self._note_off_site(feed, response.url)
        followed = [entry for entry in feed.entries if self.scope.follows(entry.listed.url)][: self.plan.max_pages]
        self._note_listed([entry.listed for entry in followed])
        carried = {entry.listed.url: _Carried(entry, fetched) for entry in followed if entry.content}
        self._carried.update(carried)
        for url in carried.keys() & self._unreached.keys():
            async for item in self._item_of(carried[url], self._unreached.pop(url)):
                yield item
        requests = list(self._new_requests([entry.listed.url for entry in followed if not entry.content], 1, PAGE))
        requests += self._tied_requests(list(carried))
        # A feed is done when no page can need its text any more: a crawl that is killed reads it again.
        self._open[target.url] = {url for url in carried if self.frontier.is_open(url)}
        self._close_settled()
        for request in requests:
            yield request

    def _tied_requests(self, urls: list[str]) -> Iterator[Request]:
        """Pages whose text the feed carries stay with the process that has read the feed."""
        if self.revisiting is not None:
            urls = [url for url in urls if self.revisiting.visits.wants(url)]
        for_all, own = self.frontier.add_tied(Target(url, 1, PAGE) for url in urls)
        for target in own:
            request = self._request(target)
            request.meta.pop(ADDRESS)
            yield request
        yield from map(self._request, for_all)

    def _note_off_site(self, feed: Feed, url: str) -> None:
        hosts = [urlsplit(e.listed.url).netloc for e in feed.entries if not self.scope.is_on_site(e.listed.url)]
        if hosts:
            count, host = len(hosts), Counter(hosts).most_common(1)[0][0]
            sentence = f"{url} lists {count} pages of other hosts, most of {host}, which is not part of the site"
            self.tally.reject(Rejection.OFF_SITE, sentence)

    async def _item_of(self, carried: _Carried, target: Target) -> AsyncIterator[ReadPage]:
        entry = carried.entry
        markup = f"<!doctype html><html><body><article>{entry.content}</article></body></html>"
        headers = {"Content-Type": "text/html; charset=utf-8"}
        reading = await self._listing(SinglePage(markup.encode("utf-8", "replace"), headers, entry.listed.url))
        if isinstance(reading, Rejected):
            self.frontier.finish(target.url, is_counted=False)
            return
        url = identity(entry.listed.url, "")
        reading = replace(completed(replace(reading, title=entry.listed.title), entry.listed), extractor=FROM_FEED)
        yield ReadPage(target, replace(carried.fetched, canonical_url=url), reading)

    def _has_feeds_to_come(self) -> bool:
        return any(target.kind == FEED for target in self.frontier.pending())

    def _settle(self, url: str) -> None:
        """A page has been read or given up; where it is still to be stored, its feed is still needed."""
        if self.frontier.is_open(url):
            return
        self._carried.pop(url, None)
        for waiting in self._open.values():
            waiting.discard(url)
        self._close_settled()

    def _close_settled(self) -> None:
        for feed in [feed for feed, waiting in self._open.items() if not waiting]:
            self.frontier.finish(feed)
            del self._open[feed]
