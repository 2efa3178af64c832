"""Runs one engine on pages, in this process or in several, and measures the time."""

import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from time import perf_counter

from core.errors import BrokenInvariant
from laboratory.measures.finders import Finder, finder
from laboratory.scores.detection_quality import Reported

PAGES_A_REPORT = 20  # pages that a process matches before it sends its reports

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
    for page_id, found in _by_processes(made, pages, jobs) if jobs > 1 else _here(made, pages):
        reports[page_id] = found
        progress(len(reports), len(pages))
    return Run(engine, reports, indexed - begun, perf_counter() - indexed, jobs)


def _here(made: Finder, pages: Sequence[Page]) -> Iterable[tuple[str, list[Reported]]]:
    return ((page.page_id, made.find(page.text, page.own_id)) for page in pages)


def _by_processes(made: Finder, pages: Sequence[Page], jobs: int) -> Iterable[tuple[str, list[Reported]]]:
    """Share the pages among processes forked from this one, which share its index."""
    context = multiprocessing.get_context("fork")
    readers: list[Connection] = []
    processes = []
    for number in range(jobs):
        reader, writer = context.Pipe(duplex=False)
        process = context.Process(target=_work, args=(made, pages[number::jobs], writer), daemon=True)
        process.start()
        writer.close()
        readers.append(reader)
        processes.append(process)
    while readers:
        for ready in wait(readers):
            assert isinstance(ready, Connection)
            try:
                yield from ready.recv()
            except EOFError:
                readers.remove(ready)
    for process in processes:
        process.join()
        if process.exitcode:
            raise BrokenInvariant("laboratory.process-ended", code=process.exitcode)


def _work(made: Finder, pages: Sequence[Page], writer: Connection) -> None:
    for start in range(0, len(pages), PAGES_A_REPORT):
        writer.send(list(_here(made, pages[start : start + PAGES_A_REPORT])))
    writer.close()
