"""Requests addresses of a site that cannot exist, at the beginning of a crawl."""

import asyncio
from collections.abc import Iterator

from scrapy import Request
from scrapy.http import Response
from twisted.python.failure import Failure

from core.pages import CrawlPlan
from crawler.fetching.response_headers import decode_headers
from crawler.frontier import CrawlTarget
from crawler.recrawl.absences import NotFoundPages, probes
from crawler.recrawl.site_visits import SiteVisits

MISSING = "missing"  # the kind of a target that cannot exist
PROBE_PRIORITY = 40


class AbsenceProbes:
    """Requests whose answers show the site's not-found page."""

    def __init__(self, visits: SiteVisits, plan: CrawlPlan) -> None:
        self.not_found = NotFoundPages()
        self._visits, self._plan = visits, plan
        self._awaited = 0
        self._are_answered = asyncio.Event()

    def requests(self) -> Iterator[Request]:
        """Yield the probes, with callbacks of their own; none if no earlier run kept a page that may be lost."""
        pages = [visit.url for visit in self._visits.known.values() if visit.page_id]
        seed = f"{self._plan.site_id} {self._plan.run_id}"
        urls = probes(self._plan.start_urls, pages, seed) if pages else []
        self._awaited = len(urls)
        for url in urls:
            yield Request(
                url,
                callback=self._learn,
                errback=self._end,
                cb_kwargs={"target": CrawlTarget(url, 0, MISSING)},
                priority=PROBE_PRIORITY,
                dont_filter=True,
                meta={"handle_httpstatus_all": True, "dont_redirect": True, "dont_retry": True},
            )

    async def await_answers(self) -> None:
        if self._awaited:
            await self._are_answered.wait()

    def _learn(self, response: Response, target: CrawlTarget) -> None:
        self.not_found.learn(response.status, decode_headers(response), response.body, response.url)
        self._end()

    def _end(self, failure: Failure | None = None) -> None:
        self._awaited -= 1
        if self._awaited <= 0:
            self._are_answered.set()
