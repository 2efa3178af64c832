"""The shared state of a crawl, for the spider, the middlewares, the store pipeline and the politeness extension."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.circumstances import Machine
from core.pages import CrawlPlan
from core.ports import Clock, KeptPages, Outbox
from core.settings import CrawlSettings
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.resources import SiteResources
from crawler.frontier import Frontier
from crawler.page_reader import PageReader
from crawler.readers.pages import WholePage
from crawler.recrawl.recrawl import Recrawl
from crawler.repeated_texts import RepeatedTexts
from crawler.stats import CrawlStats
from crawler.urls import CrawlScope


@dataclass(frozen=True, slots=True)
class CrawlContext:
    """The state of one crawl of one plan.

    is_held: returns True while this process holds the lock of the site; thread-safe. job_dir: the site's folder, or
    None. fetched_before: the number of pages fetched before the crawl was interrupted. on_read: called with the URL and
    content of each page that was read. machine: this machine, for the evidence.
    """

    plan: CrawlPlan
    settings: CrawlSettings
    store: KeptPages
    outbox: Outbox
    frontier: Frontier
    stats: CrawlStats
    recrawl: Recrawl
    scope: CrawlScope
    guard: AddressGuard
    reader: PageReader
    resources: SiteResources
    repeats: RepeatedTexts
    clock: Clock
    is_held: Callable[[], bool]
    job_dir: Path | None
    fetched_before: int
    on_read: Callable[[str, WholePage], None] = lambda url, page: None
    machine: Machine | None = None

    def is_known_page(self, url: str) -> bool:
        """Return True if this crawl fetches single pages and earlier crawls stored this URL as a page."""
        return bool(self.plan.only_urls) and self.recrawl.visits.has_page(url)

    def is_full(self) -> bool:
        """Return True if the crawl has fetched as many pages as the plan allows."""
        return self.fetched_before + self.stats.counts.fetched >= self.plan.max_pages


def get_context(crawler: Any) -> CrawlContext:
    """Return the context of a scrapy.crawler.Crawler, which must have its spider."""
    context = crawler.spider.context
    assert isinstance(context, CrawlContext)
    return context
