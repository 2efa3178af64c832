"""Reads pages beside the crawl: one that is made to be slow takes seconds, and the others are fetched meanwhile.

Threads serve a crawl that waits for its site most of the time, as polite ones do. Where pages wait for their readers, a
process takes over (docs/decisions/speed.md): threads share one interpreter with the crawl, and each holds up the other.
"""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from core.errors import ServiceUnavailable
from core.pages import CrawlPlan
from crawler.fetching.resources import NO_RESOURCES, Resources, SiteResources
from crawler.readers.reading_process import ReadingProcess
from crawler.readers.reading_threads import THREADS, PageToRead, ReadingThreads, WholePage

# Pages that found every thread busy. Chosen: a process costs 1.3 s of a processor and 120 MB, what 330 pages read in
# threads cost (2026-11).
PAGES_TO_WAIT_BEFORE_PROCESS = 50


class PageReader:
    """Reads the pages of one plan. pages_to_wait: how many have to find the threads busy until a process takes over.

    cache: the machine's folder of what is costly to make.
    """

    def __init__(
        self, plan: CrawlPlan, pages_to_wait: int = PAGES_TO_WAIT_BEFORE_PROCESS, cache: Path | None = None
    ) -> None:
        self._plan, self._pages_to_wait, self._cache = plan, pages_to_wait, cache
        self._has_processors = len(os.sched_getaffinity(0)) > 1
        self._folder: Path | None = None
        self._own_folder: TemporaryDirectory[str] | None = None
        self._site: SiteResources | None = None
        self._threads: ReadingThreads | None = None
        self._process: ReadingProcess | None = None
        self._is_process_ready = False
        self._being_read = self._waited = 0

    @property
    def has_process(self) -> bool:
        """Whether a process reads now."""
        return self._process is not None and self._is_process_ready

    def keep_templates(self, folder: Path) -> None:
        """Go on with what an earlier crawl of this site learnt, and keep there what this one learns."""
        self._folder = folder

    def use_resources(self, site: SiteResources) -> None:
        """Fetch there what a page refers to and cannot be read without: style sheets, fonts, pictures."""
        self._site = site

    async def read(self, body: bytes, headers: Mapping[str, str], url: str, *, is_kept: bool) -> WholePage:
        """The links of a page and, where it `is_kept`, its text. Raises what crawler.reading.read_page raises."""
        page = PageToRead(body, dict(headers), url, is_kept)
        self._waited += self._being_read >= THREADS
        if self._has_processors and self._process is None and self._waited >= self._pages_to_wait:
            self._start_process()
        self._being_read += 1
        try:
            return await self._read(page)
        finally:
            self._being_read -= 1

    def close(self) -> None:
        if self._threads is not None:
            self._threads.close()
        if self._process is not None:
            self._process.close()
        if self._own_folder is not None:
            self._own_folder.cleanup()

    async def _read(self, page: PageToRead) -> WholePage:
        if self._process is not None and self.has_process:
            try:
                return await asyncio.wrap_future(self._process.submit(page))
            except ServiceUnavailable:
                self._is_process_ready = False
        if self._threads is None:
            self._threads = ReadingThreads(self._plan, self._shared_folder(), self._resources, self._cache)
        return await asyncio.wrap_future(self._threads.submit(page))

    def _start_process(self) -> None:
        if self._threads is not None:
            self._threads.keep_templates()
        self._process = ReadingProcess(
            self._plan, self._shared_folder(), self._resources, self._take_over, cache=self._cache
        )

    def _take_over(self) -> None:
        self._is_process_ready = True

    def _shared_folder(self) -> Path:
        """Where the process finds what the threads learnt of the site: the crawl's own folder if it has one."""
        if self._folder is None:
            self._own_folder = TemporaryDirectory(prefix="zhuiwen-reading-")
            self._folder = Path(self._own_folder.name)
        return self._folder

    def _resources(self, url: str) -> Resources:
        return self._site.of_page(url) if self._site is not None else NO_RESOURCES


__all__ = ["PageReader", "WholePage"]
