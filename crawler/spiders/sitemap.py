"""The spider for sitemaps: what they list is fetched, newest first; no link of a page is followed."""

from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from scrapy import Request

from core.states import Rejection
from crawler.frontier import PROBE, ROBOTS, SITEMAP
from crawler.links import Links
from crawler.spiders.generic import GenericSpider


class SitemapSpider(GenericSpider):
    """A start URL is a sitemap, or the front page of a host: then robots.txt and /sitemap.xml name its sitemaps."""

    name = "sitemap"

    def _seed(self) -> None:
        for url in self._safe((*self.plan.start_urls, *self.plan.sitemap_urls)):
            parts = urlsplit(url)
            if parts.path in ("", "/") and not parts.query:
                self.frontier.add(urljoin(url, "/robots.txt"), 0, ROBOTS)
                self.frontier.add(urljoin(url, "/sitemap.xml"), 0, PROBE)
            else:
                self.frontier.add(url, 0, SITEMAP)

    def _link_requests(self, found: Links, depth: int) -> Iterator[Request]:
        yield from ()

    def closed(self, reason: str) -> None:
        """Say so where no sitemap was found at all: a site without pages would look well otherwise."""
        counts = self.tally.counts
        if reason == "finished" and not self.listed and not counts.fetched and not counts.rejected:
            self.tally.reject(Rejection.NOT_HTML, f"no sitemap was found at {self.plan.start_urls[0]}")
        super().closed(reason)
