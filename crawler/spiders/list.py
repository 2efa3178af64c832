"""The spider for a list of pages: fetches these, and follows no link."""

from collections.abc import Iterator

from scrapy import Request

from crawler.frontier import PAGE
from crawler.links import Links
from crawler.spiders.generic import GenericSpider
from crawler.spiders.link_discovery import LinkDiscovery


class ListDiscovery(LinkDiscovery):
    """Discovers the start addresses alone."""

    def seed(self) -> None:
        """Add what is due: a page of the list names no new pages."""
        for url in self.safe_urls(self.context.plan.start_urls):
            if self.context.recrawl.visits.should_fetch(url):
                self.context.frontier.add_address(url, 0, PAGE)

    def requests_from_page(self, found: Links, depth: int) -> Iterator[Request]:
        return iter(())


class ListSpider(GenericSpider):
    """Fetches the start URLs of its plan."""

    name = "list"
    discovery_type = ListDiscovery
    compares_addresses = False
    joins_parts = False
