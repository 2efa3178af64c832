"""The spider for a list of pages: these, and nothing that they lead to."""

from collections.abc import Iterator

from scrapy import Request

from crawler.frontier import PAGE
from crawler.links import Links
from crawler.spiders.generic import GenericSpider


class ListSpider(GenericSpider):
    """Fetches the start URLs of its plan."""

    name = "list"

    def _seed(self) -> None:
        """What is due: a list is no place where something new could stand."""
        for url in self._safe(self.plan.start_urls):
            if self.revisiting is None or self.revisiting.visits.wants(url):
                self.frontier.add(url, 0, PAGE)

    def _link_requests(self, found: Links, depth: int) -> Iterator[Request]:
        yield from ()
