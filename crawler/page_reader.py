"""Reads responses in a process with limited time and memory, so that their content cannot stop the crawl."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.pages import CrawlPlan
from core.states import Rejection
from core.wording import Message
from crawler.fetching.resources import NO_RESOURCES, SiteResources
from crawler.formats.archive import is_container
from crawler.opening import Rejected
from crawler.readers.messages import Task
from crawler.readers.pages import PageToRead, WholePage
from crawler.readers.reading_process import MAX_BOOK_CPU_S, GivenUp, ReadingProcess
from crawler.selectors import MAX_SLOW_PAGES
from crawler.stats import SLOW_RULES


class PageReader:
    """Reads the pages of one plan.

    templates: the folder that stores what crawls have learnt about the site's templates. site: the source of the style
    sheets, fonts and images that are needed to read a page. cache: the machine's folder of results that are costly to
    compute.
    """

    def __init__(
        self,
        plan: CrawlPlan,
        templates: Path | None = None,
        site: SiteResources | None = None,
        cache: Path | None = None,
    ) -> None:
        self._site = site
        self._selectors = [plan.body_selector, plan.title_selector, plan.next_page_selector, plan.chapter_list_selector]
        self._slow_pages = 0
        self._process = ReadingProcess(plan, templates, cache=cache)
        self._process.start()

    async def read(
        self,
        body: bytes,
        headers: Mapping[str, str],
        url: str,
        *,
        is_kept: bool,
        is_rendered: bool = False,
        has_contacts: bool = False,
    ) -> WholePage:
        """Return the links on a page and, if it `is_kept`, its text. Raises the errors of crawler.reading.read_page.

        is_rendered: True if a browser has run its scripts. has_contacts: True to read the site's contacts, too.
        """
        resources = self._site.of_page(url) if self._site is not None else NO_RESOURCES
        # Without the plan's selectors, after several pages on which they were slow.
        is_dropped = self._slow_pages >= MAX_SLOW_PAGES
        has_rules = any(self._selectors) and not is_dropped
        page = PageToRead(body, dict(headers), url, is_kept, is_rendered, has_contacts, has_rules, is_dropped)
        try:
            max_cpu_s = MAX_BOOK_CPU_S if is_container(body) else None
            read: WholePage = await asyncio.wrap_future(self._process.submit(page, resources, max_cpu_s=max_cpu_s))
            return self._report_slow_rules(read)
        except GivenUp as fault:
            return WholePage(None, Rejected(Rejection.UNREADABLE, fault.message), 0.0)

    def _report_slow_rules(self, page: WholePage) -> WholePage:
        """Add a message to the page after which the selectors are no longer used."""
        self._slow_pages += page.has_slow_rules
        if not page.has_slow_rules or self._slow_pages != MAX_SLOW_PAGES:
            return page
        fault = Message(SLOW_RULES, selectors=[each for each in self._selectors if each])
        return replace(page, faults=(fault, *page.faults))

    async def run(self, task: Task) -> Any:
        """Run any other task, and return its result or raise its error. Return Rejected if it exceeds its limits."""
        try:
            return await asyncio.wrap_future(self._process.submit(task))
        except GivenUp as fault:
            return Rejected(Rejection.UNREADABLE, fault.message)

    def close(self) -> None:
        self._process.close()
