"""Reads pages beside the crawl: one that is made to be slow takes seconds, and the others are fetched meanwhile."""

import asyncio
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from core.pages import CrawlPlan, Reading, SpiderKind
from crawler.disguises.sight import open_eyes
from crawler.fetching.resources import NO_RESOURCES, Resources, SiteResources
from crawler.links import Links, links
from crawler.main_text.templates import SiteTemplates
from crawler.reading import Rejected, open_page, read_opened
from crawler.sources.outline import Outline, outline

THREADS = 2  # so that pages are read beside a slow one, too; more would only share the one interpreter


@dataclass(frozen=True, slots=True)
class WholePage:
    """What stands on a page. `links` None: it has no markup; `reading` None: it was not wanted.

    outline: of pages of a novel.
    """

    links: Links | None
    reading: Reading | Rejected | None
    seconds: float
    outline: Outline | None = None


class PageReader:
    """Reads the pages of one plan in threads of its own."""

    def __init__(self, plan: CrawlPlan) -> None:
        self._plan = plan
        self._templates = SiteTemplates()
        self._site: SiteResources | None = None
        self._eyes = open_eyes(self._resources)
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="page-reader")

    def keep_templates(self, folder: Path) -> None:
        """Go on with what an earlier crawl of this site learnt, and keep there what this one learns."""
        self._templates = SiteTemplates(folder)

    def use_resources(self, site: SiteResources) -> None:
        """Fetch there what a page refers to and cannot be read without: style sheets, fonts, pictures."""
        self._site = site

    async def read(self, body: bytes, headers: Mapping[str, str], url: str, *, is_kept: bool) -> WholePage:
        """The links of a page and, where it `is_kept`, its text. Raises what crawler.reading.read_page raises."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._read, body, headers, url, is_kept)

    def close(self) -> None:
        self._threads.shutdown(wait=False)
        self._templates.close()
        self._eyes.close()

    def _resources(self, url: str) -> Resources:
        return self._site.of_page(url) if self._site is not None else NO_RESOURCES

    def _read(self, body: bytes, headers: Mapping[str, str], url: str, is_kept: bool) -> WholePage:
        begun = time.perf_counter()
        found, reading, of_novel = self._parts(body, headers, url, is_kept)
        return WholePage(found, reading, time.perf_counter() - begun, of_novel)

    def _parts(
        self, body: bytes, headers: Mapping[str, str], url: str, is_kept: bool
    ) -> tuple[Links | None, Reading | Rejected | None, Outline | None]:
        plan = self._plan
        page = open_page(body, headers, url, plan)
        if isinstance(page, Rejected):
            return None, page, None
        found = of_novel = None
        if page.tree is not None:
            found = links(page.tree, url, plan.next_page_selector, plan.chapter_list_selector)
            of_novel = outline(page.tree, url, plan) if plan.kind is SpiderKind.NOVEL else None
        sieve = self._templates.sieve(url)
        return found, read_opened(page, plan, sieve, self._eyes) if is_kept else None, of_novel
