"""Chooses the URLs that a crawl requests: start URLs, and URLs from lists and pages."""

from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urljoin

from scrapy import Request

from core.errors import UnsafeUrl
from core.pages import Reading
from core.states import Rejection
from core.wording import Message
from crawler.context import CrawlContext
from crawler.frontier import PAGE, PROBE, ROBOTS, SITEMAP, CrawlTarget
from crawler.links import Links
from crawler.readers.pages import WholePage
from crawler.sources.sitemaps import MAX_ROBOTS_BYTES, ListedPage, Sitemap, named_in_robots
from crawler.urls import is_book

MAX_LISTS = 100  # sitemaps or feeds per crawl; a site has one for each section, and a feed in parts has some tens


class LinkDiscovery:
    """Begins at the start URLs and sitemaps of a site, and follows the links on pages. For any kind of site.

    make_request: makes the request for a target. listed: what sitemaps and feeds state about pages, by URL
    """

    def __init__(self, context: CrawlContext, make_request: Callable[[CrawlTarget], Request]) -> None:
        self.context, self.make_request = context, make_request
        self.listed: dict[str, ListedPage] = {}
        self._lists = self._downloads = 0

    def begin(self) -> None:
        """Fill an empty frontier. The frontier of an interrupted crawl is not changed."""
        context = self.context
        if context.frontier.notice is not None:
            context.stats.add_fault(context.frontier.notice)
        context.repeats.recall(context.recrawl.visits.texts())
        if context.plan.only_urls:
            self._seed_requested(context.plan.only_urls)
        elif context.frontier.is_empty():
            self.seed()
            context.recrawl.order.add_due(context.frontier, self._is_due)

    def _seed_requested(self, urls: Iterable[str]) -> None:
        """Add the pages that a person requested.

        Those that the plan would not fetch are rejected, like any other URLs.
        """
        for url in self.safe_urls(urls):
            if self.context.scope.allows(url):
                self.context.frontier.add_address(url, 0, PAGE)
            else:
                self.context.stats.reject(Rejection.OFF_SITE, Message("page.not-of-site", url=url))

    def _is_due(self, url: str) -> bool:
        scope = self.context.scope
        if scope.follows(url):
            return True
        is_offered = is_book(url) and scope.offers(url)
        self._downloads += is_offered
        return is_offered and self._downloads <= self.context.settings.max_files

    def seed(self) -> None:
        """Add the first URLs of the crawl to the frontier."""
        plan, frontier = self.context.plan, self.context.frontier
        for url in self.safe_urls(plan.start_urls):
            frontier.add_address(url, 0, PAGE)
            if plan.use_sitemap:
                self.probe_sitemaps(url)

    def probe_sitemaps(self, url: str) -> None:
        """Add the robots.txt and the usual sitemap of a URL's host to the frontier."""
        self.context.frontier.add_address(urljoin(url, "/robots.txt"), 0, ROBOTS)
        self.context.frontier.add_address(urljoin(url, "/sitemap.xml"), 0, PROBE)

    def safe_urls(self, urls: Iterable[str]) -> Iterator[str]:
        """Yield the URLs that may be fetched. The others are counted as rejected."""
        for url in urls:
            try:
                self.context.guard.check_url(url)
            except UnsafeUrl as fault:
                self.context.stats.reject(Rejection.UNSAFE_ADDRESS, fault.message)
            else:
                yield url

    def requests_from_page(self, found: Links, depth: int) -> Iterator[Request]:
        """Yield requests for the links on a page: for next parts of its text at the same depth, then for other links.

        A text of fifty parts is not fifty levels deep.
        """
        scope = self.context.scope
        yield from self.new_requests([url for url in found.next_pages if scope.allows(url)], depth, PAGE)
        if depth < self.context.plan.max_depth:
            yield from self.new_requests([url for url in found.chapters if scope.follows(url)], depth + 1, PAGE)
            yield from self.new_requests([url for url in found.others if scope.follows(url)], depth + 1, PAGE)
        yield from self.requests_for_downloads(found, depth)

    def requests_for_downloads(self, found: Links, depth: int) -> Iterator[Request]:
        """Yield requests for the files that a page offers, whatever its depth and the link patterns are."""
        offered = [url for url in found.downloads if self.context.scope.offers(url)]
        for request in self.new_requests(offered, depth, PAGE):
            self._downloads += 1
            if self._downloads <= self.context.settings.max_files:
                yield request
            else:
                self.refuse_download(request.cb_kwargs["target"])

    def refuse_download(self, target: CrawlTarget) -> None:
        """Count a file beyond the limit per run, which the next run can fetch. Only the first such file is reported."""
        stats, reason = self.context.stats, Rejection.TOO_MANY_FILES
        fault = Message("page.too-many-files", url=target.url, most=self.context.settings.max_files)
        stats.reject(reason, None if reason.value in stats.counts.rejected else fault)
        self.context.recrawl.note_failure(target, reason, fault)
        self.context.frontier.finish(target.url)

    def requests_from_sitemap(self, sitemap: Sitemap) -> Iterator[Request]:
        """Yield requests for the sitemaps that a sitemap names, and for the pages that it lists."""
        yield from self.requests_for_lists(sitemap.sitemaps, SITEMAP)
        followed = self.keep_followed(sitemap.entries)
        yield from self.new_requests([entry.url for entry in followed], 1, PAGE)

    def requests_from_robots(self, body: bytes, url: str) -> Iterator[Request]:
        """Yield requests for the sitemaps that robots.txt names."""
        named = named_in_robots(body[:MAX_ROBOTS_BYTES].decode("utf-8", "replace"))
        yield from self.requests_for_lists([urljoin(url, each) for each in named], SITEMAP)

    def has_repeated(self, url: str, page: WholePage, target: CrawlTarget) -> bool:
        """Return True if a page repeats another page's text under a new parameter value and no crawl has stored it."""
        if not isinstance(page.reading, Reading) or not page.reading.text:
            return False
        is_repeated = self.context.repeats.note(url, page.reading.text)
        return is_repeated and not self.context.recrawl.visits.has_page(target.url)

    def keep_followed(self, entries: Iterable[ListedPage]) -> list[ListedPage]:
        """Return the entries that the crawl may fetch, at most as many as its page limit, and store what they state."""
        followed = [entry for entry in entries if self.context.scope.follows(entry.url)][: self.context.plan.max_pages]
        self.listed.update((entry.url, entry) for entry in followed)
        self.context.recrawl.visits.list_dates(followed)
        return followed

    def new_requests(self, urls: Iterable[str], depth: int, kind: str) -> Iterator[Request]:
        """Yield requests for the URLs that are new to this crawl and, if they are pages, due."""
        if self.context.plan.only_urls:
            return
        recrawl, repeats = self.context.recrawl, self.context.repeats
        wanted = [
            url for url in urls if kind != PAGE or (recrawl.visits.should_fetch(url) and not repeats.is_another(url))
        ]
        targets = self.context.frontier.add_all(CrawlTarget(url, depth, kind) for url in wanted)
        recrawl.order.expect_lists(targets)
        for target in targets:
            yield self.make_request(target)

    def requests_for_lists(self, urls: Iterable[str], kind: str) -> Iterator[Request]:
        """Yield requests for further sitemaps or feeds on the site. kind: the kind of their targets."""
        on_site = [url for url in urls if self.context.scope.is_on_site(url)]
        requests = list(self.new_requests(on_site[: max(0, MAX_LISTS - self._lists)], 0, kind))
        self._lists += len(requests)
        yield from requests
