"""Reads pages in threads: one that is made to be slow takes seconds, and the next is read beside it."""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from core.pages import CrawlPlan, Reading, SpiderKind
from crawler.disguises.sight import open_eyes
from crawler.fetching.resources import NO_RESOURCES, Resources
from crawler.links import Links, links
from crawler.main_text.templates import SiteTemplates
from crawler.reading import Rejected, open_page, read_opened
from crawler.sources.outline import Outline, outline

THREADS = 2  # so that pages are read beside a slow one, too; more would only share the one interpreter

ResourcesOf = Callable[[str], Resources]


@dataclass(frozen=True, slots=True)
class PageToRead:
    """A response as it came, decompressed. is_kept: its text is wanted, not its links alone."""

    body: bytes
    headers: Mapping[str, str]
    url: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class WholePage:
    """What stands on a page. `links` None: it has no markup; `reading` None: it was not wanted.

    outline: of pages of a novel.
    """

    links: Links | None
    reading: Reading | Rejected | None
    seconds: float
    outline: Outline | None = None


class ReadingThreads:
    """Reads the pages of one plan. templates: a folder with what was learnt of the site, and where it is kept.

    cache: the machine's folder of what is costly to make.
    """

    def __init__(
        self,
        plan: CrawlPlan,
        templates: Path | None = None,
        resources_of: ResourcesOf | None = None,
        cache: Path | None = None,
    ) -> None:
        self._plan = plan
        self._templates = SiteTemplates(templates)
        self._eyes = open_eyes(resources_of or (lambda url: NO_RESOURCES), kept_in=cache)
        self._threads = ThreadPoolExecutor(max_workers=THREADS, thread_name_prefix="page-reader")

    def submit(self, page: PageToRead, on_begin: Callable[[], None] = lambda: None) -> "Future[WholePage]":
        """The page as read; the future raises what crawler.reading.read_page raises. on_begin: called in its thread."""
        return self._threads.submit(self._read, page, on_begin)

    def keep_templates(self) -> None:
        """Write down what was learnt of the site, for others."""
        self._templates.close()

    def close(self) -> None:
        """Keep what was learnt; pages still being read are given up."""
        self._threads.shutdown(wait=False)
        self._templates.close()
        self._eyes.close()

    def _read(self, page: PageToRead, on_begin: Callable[[], None]) -> WholePage:
        on_begin()
        begun = time.perf_counter()
        found, reading, of_novel = self._parts(page)
        return WholePage(found, reading, time.perf_counter() - begun, of_novel)

    def _parts(self, page: PageToRead) -> tuple[Links | None, Reading | Rejected | None, Outline | None]:
        plan = self._plan
        opened = open_page(page.body, page.headers, page.url, plan)
        if isinstance(opened, Rejected):
            return None, opened, None
        found = of_novel = None
        if opened.tree is not None:
            found = links(opened.tree, page.url, plan.next_page_selector, plan.chapter_list_selector)
            of_novel = outline(opened.tree, page.url, plan) if plan.kind is SpiderKind.NOVEL else None
        sieve = self._templates.sieve(page.url)
        return found, read_opened(opened, plan, sieve, self._eyes) if page.is_kept else None, of_novel
