"""Pages per second of the crawler beside plain Scrapy on the same local site, and its memory by thousand pages.

`python -m laboratory.crawl.throughput --pages 2000 [--latency .1] [--mongo URL] [--json FILE]`.
Everything is on but the browser: robots.txt, AutoThrottle, the guard of addresses, reading, the page store where a URL
is given.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import CrawlerProcess

from core.ids import SiteId, page_id, version_id
from core.messages import StepMessage
from core.pages import CrawlCounts, CrawlPlan, Fetched, Reading, Stored
from core.ports import PageStore
from core.settings import CrawlSettings
from crawler.run import run_crawl
from laboratory.crawl.site import served
from pagestore.mongo import MongoPageStore, connect

MIN_RATIO = 0.8  # of plain Scrapy's pages per second
MAX_GROWTH = 0.1  # of resident memory, from the second fifth of the pages to the last: what is warm stays as it is
CONCURRENCY = 16  # Scrapy's own number at once
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class CrawlSpeed:
    """What one crawl took. memory_mb: resident, at each so many pages; extract_s, store_s: of the crawler's own."""

    name: str
    pages: int
    seconds: float
    cpu_s: float
    memory_mb: tuple[tuple[int, float], ...]
    extract_s: float = 0.0
    store_s: float = 0.0

    @property
    def pages_per_s(self) -> float:
        return self.pages / self.seconds if self.seconds else 0.0

    @property
    def growth(self) -> float:
        """Of memory, from a fifth of the way to the end; 0.0 where too few points were seen."""
        warm = [mb for pages, mb in self.memory_mb if pages >= self.pages / 5]
        return warm[-1] / warm[0] - 1 if len(warm) > 1 else 0.0

    def line(self) -> str:
        """For a terminal."""
        memory = " ".join(f"{pages / 1000:g}k:{mb:.0f}" for pages, mb in self.memory_mb)
        parts = f", reading {self.extract_s:.1f} s, storing {self.store_s:.1f} s" if self.extract_s else ""
        rate = f"{self.pages_per_s:.1f} pages/s ({self.pages:,} in {self.seconds:.1f} s, CPU {self.cpu_s:.1f} s{parts})"
        return f"{self.name:<20}{rate}\n  memory, MB: {memory}; growth when warm {self.growth:+.1%}"


class NoStore:
    """A page store that keeps a digest of each page, for a measurement without a database."""

    def __init__(self) -> None:
        self._versions: set[str] = set()

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        page = page_id(fetched.site_id, fetched.canonical_url)
        version = version_id(page, reading.text, reading.title)
        is_new = version not in self._versions
        self._versions.add(version)
        return Stored(page, version, is_new, is_new)

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        return [self.put(fetched, reading) for fetched, reading in pages]


class NoOutbox:
    def send(self, message: StepMessage) -> None:
        return


def measure(pages: int, latency_s: float = 0.0, mongo_url: str = "") -> dict[str, CrawlSpeed]:
    """Both crawlers on one site, one after the other."""
    with served(pages, latency_s) as url:
        return {"scrapy": _apart(_plain, url, pages), "zhuiwen": _apart(_ours, url, pages, mongo_url)}


def ratio(found: dict[str, CrawlSpeed]) -> float:
    """The crawler's pages per second over plain Scrapy's."""
    return found["zhuiwen"].pages_per_s / found["scrapy"].pages_per_s if found["scrapy"].pages_per_s else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was measured; 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.crawl.throughput", description=__doc__)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds until the site answers")
    parser.add_argument("--mongo", default="", help="URL of an empty database; none: nothing is stored")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    found = measure(given.pages, given.latency, given.mongo)
    for each in found.values():
        sys.stdout.write(each.line() + "\n")
    growth = found["zhuiwen"].growth
    sys.stdout.write(
        f"ratio {ratio(found):.2f} (target {MIN_RATIO}), growth {growth:+.1%} (at most {MAX_GROWTH:.0%})\n"
    )
    if given.json:
        rows = {name: asdict(each) for name, each in found.items()}
        given.json.write_text(json.dumps({"ratio": ratio(found), "latency_s": given.latency, "crawls": rows}, indent=1))
    return 0 if ratio(found) >= MIN_RATIO and growth <= MAX_GROWTH else 1


def _apart(run: Callable[..., CrawlSpeed], *arguments: Any) -> CrawlSpeed:
    """Run in a process of its own: a reactor runs once, and memory is to be its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_send, args=(theirs, run, arguments))
    process.start()
    theirs.close()
    try:
        found: CrawlSpeed = ours.recv()
        return found
    finally:
        process.join(5)
        process.kill()


def _send(pipe: Connection, run: Callable[..., CrawlSpeed], arguments: tuple[Any, ...]) -> None:
    pipe.send(run(*arguments))


class _Memory:
    """Resident memory at each step of pages."""

    def __init__(self, pages: int) -> None:
        self._step = min(1_000, max(1, pages // 10))
        self.points: list[tuple[int, float]] = []

    def see(self, pages: int) -> None:
        if pages // self._step > (self.points[-1][0] // self._step if self.points else -1):
            self.points.append((pages, _resident_mb()))


def _resident_mb() -> float:
    """Of this process now (not its peak, which never falls)."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_BYTES / 1e6


def _ours(url: str, pages: int, mongo_url: str) -> CrawlSpeed:
    store: PageStore = MongoPageStore(connect(mongo_url)) if mongo_url else NoStore()  # type: ignore[assignment]
    plan = CrawlPlan(
        SiteId("speed"),
        f"run-{urlsplit(url).port}",
        (url,),
        (),
        max_depth=100,
        max_pages=pages * 2 + 1_000,
        delay_s=0.0,
        concurrency=CONCURRENCY,
    )
    settings = CrawlSettings(allow_private_hosts=(urlsplit(url).netloc,))
    memory = _Memory(pages)

    def see(counts: CrawlCounts) -> None:
        memory.see(counts.fetched)

    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        counts = run_crawl(plan, store, NoOutbox(), settings, Path(folder), see)
        seconds = time.perf_counter() - begun
    cpu = sum(os.times()[:4])
    name = "zhuiwen"
    return CrawlSpeed(
        name, counts.fetched, seconds, cpu, tuple(memory.points), counts.seconds_extract, counts.seconds_store
    )


def _plain(url: str, pages: int) -> CrawlSpeed:
    """Scrapy as its tutorial has it: follow every link, yield the text of each page; robots.txt, no delay."""
    memory = _Memory(pages)
    fetched: list[None] = []

    class Plain(Spider):
        name = "plain"
        start_urls = [url]

        def parse(self, response: Any) -> Any:
            fetched.append(None)
            memory.see(len(fetched))
            yield {"title": response.css("title::text").get(), "text": response.css("p::text").getall()}
            yield from response.follow_all(css="a")

    process = CrawlerProcess(
        {
            "LOG_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        }
    )
    process.crawl(Plain)
    begun = time.perf_counter()
    process.start()
    seconds = time.perf_counter() - begun
    return CrawlSpeed("scrapy", len(fetched), seconds, sum(os.times()[:4]), tuple(memory.points))


if __name__ == "__main__":
    sys.exit(main())
