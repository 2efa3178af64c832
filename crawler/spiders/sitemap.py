"""The spider for sitemaps. It fetches the pages that they list, newest first, and follows only links to files."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from scrapy import Request

from core.states import Rejection
from core.wording import Message
from crawler.frontier import SITEMAP
from crawler.links import Links
from crawler.spiders.generic import GenericSpider
from crawler.spiders.link_discovery import LinkDiscovery


class SitemapDiscovery(LinkDiscovery):
    """Discovers sitemaps, and the pages that they list."""

    def seed(self) -> None:
        for url in self.safe_urls(self.context.plan.start_urls):
            parts = urlsplit(url)
            if parts.path in ("", "/") and not parts.query:
                self.probe_sitemaps(url)
            else:
                self.context.frontier.add_address(url, 0, SITEMAP)

    def requests_from_page(self, found: Links, depth: int) -> Iterator[Request]:
        return self.requests_for_downloads(found, depth)


class SitemapSpider(GenericSpider):
    """Crawls sitemaps.

    A start URL is that of a sitemap, or of a host's front page, for which robots.txt and /sitemap.xml are tried.
    """

    name = "sitemap"
    discovery_type = SitemapDiscovery

    def closed(self, reason: str) -> None:
        """Report if no sitemap was found, because a site without pages would otherwise appear to be in order."""
        stats = self.context.stats
        is_empty = not self.discovery.listed and not stats.counts.fetched and not stats.counts.rejected
        if reason == "finished" and is_empty:
            stats.reject(Rejection.NOT_HTML, Message("page.sitemap-missing", url=self.context.plan.start_urls[0]))
        super().closed(reason)
