"""Runs one engine on pages, in this process or in several, and measures the time."""

import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from time import perf_counter

from laboratory.measures.finders import Finder, finder
from laboratory.scores.detection_quality import Reported

PAGES_A_REPORT = 20  # pages that a process matches before it sends its reports
_shared: Finder | None = None

Progress = Callable[[int, int], None]  # pages done, pages in total


@dataclass(frozen=True, slots=True)
class Page:
    """A page to be looked up. own_id: the work with the text of the page, if there is one."""

    page_id: str
    text: str
    own_id: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """The reports of one engine. Times are in seconds of wall time; `jobs` processes look up the pages."""

    engine: str
    reports: dict[str, list[Reported]]
    index_s: float
    find_s: float
    jobs: int

    @property
    def pages_per_s(self) -> float:
        return len(self.reports) / self.find_s if self.find_s else 0.0


def run(engine: str, works: Iterable[tuple[str, str]], pages: Sequence[Page], progress: Progress, jobs: int = 1) -> Run:
    """Give the engine all works, then look up every page.

    The first page is looked up once before the clock starts, so that compilation at first use is not timed.
    """
    begun = perf_counter()
    made = finder(engine, works)
    if pages:
        made.find(pages[0].text, pages[0].own_id)
    indexed = perf_counter()
    reports: dict[str, list[Reported]] = {}
    answers = ((page.page_id, made.find(page.text, page.own_id)) for page in pages)
    for page_id, found in _by_processes(made, pages, jobs) if jobs > 1 else answers:
        reports[page_id] = found
        progress(len(reports), len(pages))
    return Run(engine, reports, indexed - begun, perf_counter() - indexed, jobs)


def _by_processes(made: Finder, pages: Sequence[Page], jobs: int) -> Iterable[tuple[str, list[Reported]]]:
    """Share the pages among processes forked from this one, which share its index."""
    global _shared  # noqa: PLW0603 - forked processes inherit it, so that no index is copied
    _shared = made
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork")) as pool:
        yield from pool.map(_find_in_child, pages, chunksize=PAGES_A_REPORT)


def _find_in_child(page: Page) -> tuple[str, list[Reported]]:
    assert _shared is not None
    return page.page_id, _shared.find(page.text, page.own_id)
