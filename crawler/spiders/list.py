"""The spider for a list of pages. It fetches them and follows no links."""

from collections.abc import Iterator

from scrapy import Request

from crawler.frontier import PAGE
from crawler.links import Links
from crawler.spiders.generic import GenericSpider
from crawler.spiders.link_discovery import LinkDiscovery


class ListDiscovery(LinkDiscovery):
    """Discovers only the start URLs."""

    def seed(self) -> None:
        """Add the start URLs that are due. No other URLs are found later."""
        for url in self.safe_urls(self.context.plan.start_urls):
            if self.context.recrawl.visits.should_fetch(url):
                self.context.frontier.add_address(url, 0, PAGE)

    def requests_from_page(self, found: Links, depth: int) -> Iterator[Request]:
        return iter(())


class ListSpider(GenericSpider):
    """Fetches the start URLs of its plan."""

    name = "list"
    discovery_type = ListDiscovery
    joins_parts = False
