"""A site that is crawled again and again, at moments that the test chooses; each crawl is a process of its own."""

import multiprocessing
import threading
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from core.clock import ManualClock
from core.ids import CanonicalUrl, PageId, page_id
from core.pages import CrawlCounts, CrawlPlan
from core.settings import CrawlSettings
from core.visits import Visit
from crawler.recrawl.site_visits import MemoryVisitRepository
from crawler.run import CrawlServices, run_crawl
from crawler.urls import canonical
from tests.crawler.crawl_process import DEADLINE_S, RecordingOutbox
from tests.support.memory_pages import MemoryPageStore
from tests.support.ready_process import ready_process

START = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)


class CarriedStore(MemoryPageStore):
    """A page store that goes into the process of a crawl and comes back."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._lock = threading.Lock()


@dataclass
class VisitedSite:
    """State that is kept between the crawls of one plan."""

    plan: CrawlPlan
    settings: CrawlSettings
    store: MemoryPageStore = field(default_factory=CarriedStore)
    book: MemoryVisitRepository = field(default_factory=MemoryVisitRepository)
    runs: int = 0

    def crawl(self, after: timedelta = timedelta(0), job_dir: Path | None = None) -> CrawlCounts:
        """One crawl at START + `after`; store and book are then as it left them."""
        self.runs += 1
        plan = replace(self.plan, run_id=f"run-{self.runs}")
        ours, theirs = multiprocessing.Pipe()
        given = (theirs, plan, self.settings, self.store, self.book, START + after, job_dir)
        process = ready_process(_run, *given)
        process.start()
        theirs.close()
        try:
            assert ours.poll(DEADLINE_S), "the crawl does not end"
            result = ours.recv()
        finally:
            process.join(5)
            if process.is_alive():
                process.kill()
        if isinstance(result, Exception):
            raise result
        counts, self.store, self.book = result
        assert isinstance(counts, CrawlCounts)
        return counts

    def visit(self, url: str) -> Visit:
        return next(visit for visit in self.book.visits(self.plan.site_id) if visit.url == url)

    def page(self, url: str) -> PageId:
        return page_id(self.plan.site_id, CanonicalUrl(canonical(url)))


def _run(
    pipe: Connection,
    plan: CrawlPlan,
    settings: CrawlSettings,
    store: MemoryPageStore,
    book: MemoryVisitRepository,
    now: datetime,
    job_dir: Path | None,
) -> None:
    services = CrawlServices(store, RecordingOutbox(), book, ManualClock(now))
    try:
        counts = run_crawl(plan, services, settings, job_dir)
    except Exception as fault:
        pipe.send(fault)
        return
    pipe.send((counts, store, book))
