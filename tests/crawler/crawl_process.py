"""Runs one crawl in a process of its own, as the product does, and brings back what it counted and stored."""

import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from urllib.parse import urlsplit

from core.clock import SystemClock
from core.errors import ServiceUnavailable
from core.ids import SiteId, page_id, version_id
from core.messages import PagesStored, StepMessage
from core.pages import CrawlCounts, CrawlPlan, Fetched, Reading, Stored
from core.settings import CrawlSettings
from crawler.contacts.reading import ContactGatherer, Gathered
from crawler.run import CrawlServices, run_crawl
from tests.crawler.texts import own_text
from tests.support.ready_process import ready_process
from tests.support.web_server import Routes, page

DEADLINE_S = 120.0  # of a crawl, on a machine that is busy with others


@dataclass
class RecordingStore:
    """A page store that keeps all it is given, and notes the addresses in a file that outlives the process."""

    log: Path | None = None
    texts: Path | None = None  # a file that gets [path, text] of each page
    away_calls: int = 0  # how many calls find the store away
    outbox_away_calls: int = 0  # how many calls find the outbox of the same crawl away
    versions: dict[str, tuple[Fetched, Reading]] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)

    def put(self, fetched: Fetched, reading: Reading) -> Stored:
        if self.away_calls > 0:
            self.away_calls -= 1
            raise ServiceUnavailable("the page store", "mongodb://127.0.0.1:1")
        page = page_id(fetched.site_id, fetched.canonical_url)
        version = version_id(page, reading.text, reading.title)
        stored = Stored(page, version, version not in self.versions)
        self.pages.add(page)
        self.versions.setdefault(version, (fetched, reading))
        if self.texts is not None:
            with self.texts.open("a", encoding="utf-8") as texts:
                texts.write(json.dumps([urlsplit(fetched.canonical_url).path, reading.text]) + "\n")
        if self.log is not None:
            with self.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(fetched.final_url) + "\n")
        return stored

    def put_many(self, pages: Sequence[tuple[Fetched, Reading]]) -> list[Stored]:
        return [self.put(fetched, reading) for fetched, reading in pages]

    def put_absence(self, fetched: Fetched, reason: object, *, is_gone: bool) -> None:
        return


@dataclass
class RecordingOutbox:
    away_calls: int = 0
    sent: list[str] = field(default_factory=list)

    def send(self, message: StepMessage) -> None:
        assert isinstance(message, PagesStored)
        if self.away_calls > 0:
            self.away_calls -= 1
            raise ServiceUnavailable("the broker", "redis://127.0.0.1:1")
        self.sent += message.version_ids


@dataclass
class Crawled:
    """Result of a crawl."""

    counts: CrawlCounts
    store: RecordingStore
    sent: list[str]
    output: str = ""
    progress: list[int] = field(default_factory=list)  # pages fetched at each report
    contacts: list[Gathered] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)  # "address:port" of every socket that the process connected

    def reading(self, url_part: str) -> Reading:
        return next(reading for fetched, reading in self.store.versions.values() if url_part in fetched.final_url)

    def has(self, url_part: str) -> bool:
        return any(url_part in fetched.final_url for fetched, _ in self.store.versions.values())


def plan_of(url: str, **changes: object) -> CrawlPlan:
    defaults: dict[str, object] = {"delay_s": 0.0, "concurrency": 4, "use_sitemap": False}
    return CrawlPlan(SiteId("site"), "run", (url,), (), **{**defaults, **changes})  # type: ignore[arg-type]


def settings_of(*netlocs: str, **changes: object) -> CrawlSettings:
    defaults: dict[str, object] = {"timeout_s": 10.0, "max_body_bytes": 400_000, "allow_private_hosts": netlocs}
    return CrawlSettings(**{**defaults, **changes})  # type: ignore[arg-type]


def recording_services() -> CrawlServices:
    return CrawlServices(RecordingStore(), RecordingOutbox())  # type: ignore[arg-type]


def crawl(
    plan: CrawlPlan,
    settings: CrawlSettings,
    store: RecordingStore | None = None,
    job_dir: Path | None = None,
) -> Crawled:
    """Run to the end."""
    process, pipe = start(plan, settings, store, job_dir)
    return finish(process, pipe)


def start(
    plan: CrawlPlan,
    settings: CrawlSettings,
    store: RecordingStore | None = None,
    job_dir: Path | None = None,
    is_fresh: bool = False,
    held_while: Path | None = None,
) -> tuple[BaseProcess, Connection]:
    """Start a crawl. is_fresh: with an interpreter that begins anew, and reads what the environment says of that.

    held_while: a file; the site is the process's to crawl as long as it is there.
    """
    ours, theirs = multiprocessing.Pipe()
    given = (theirs, plan, store or RecordingStore(), settings, job_dir, held_while)
    fresh = multiprocessing.get_context("spawn").Process
    process = fresh(target=_run, args=given, daemon=True) if is_fresh else ready_process(_run, *given)
    process.start()
    theirs.close()
    return process, ours


def finish(process: BaseProcess, pipe: Connection) -> Crawled:
    try:
        assert pipe.poll(DEADLINE_S), "the crawl does not end"
        result = pipe.recv()
    finally:
        process.join(5)
        if process.is_alive():
            process.kill()
    if isinstance(result, Exception):
        raise result
    assert isinstance(result, Crawled)
    return result


def kill(process: BaseProcess, number: signal.Signals) -> None:
    assert process.pid is not None
    os.kill(process.pid, number)


def done_pages(journal: Path) -> set[str]:
    """The paths of pages that the journal of a crawl notes as done."""
    noted = [json.loads(line) for line in journal.read_text("utf-8").split("\n")[:-1]]
    return {path for each in noted if (path := urlsplit(each.get("done", "")).path).startswith("/p/")}


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.02)


def _run(
    pipe: Connection,
    plan: CrawlPlan,
    store: RecordingStore,
    settings: CrawlSettings,
    job_dir: Path | None,
    held_while: Path | None,
) -> None:
    connected: list[str] = []
    sys.addaudithook(lambda event, given: _note_place(connected, given[1]) if event == "socket.connect" else None)
    outbox = RecordingOutbox(store.outbox_away_calls)
    progress: list[int] = []
    gathered = ContactGatherer(SystemClock().now)
    with tempfile.TemporaryFile() as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        try:
            told, is_held = progress.append, held_while.exists if held_while is not None else lambda: True
            counts = run_crawl(
                plan,
                CrawlServices(store, outbox, is_held=is_held),  # type: ignore[arg-type]
                settings,
                job_dir,
                on_progress=lambda now: told(now.fetched),
                on_read=lambda url, page: gathered.add_page(url, page.contacts),
            )
        except Exception as fault:
            pipe.send(fault)
            return
        output.seek(0)
        said = output.read().decode("utf-8", "replace")
        pipe.send(Crawled(counts, store, outbox.sent, said, progress, gathered.site_contacts(), connected))


def _note_place(into: list[str], address: object) -> None:
    if isinstance(address, tuple):
        host, port = address[:2]
        into.append(f"[{host}]:{port}" if ":" in str(host) else f"{host}:{port}")


def linked_pages(length: int) -> Routes:
    """A front page with links to so many pages, each with a text of its own."""
    routes: Routes = {f"/p/{n}": page(f"第{n}篇", own_text(n)) for n in range(1, length + 1)}
    routes["/"] = page("目录", "".join(f'<a href="/p/{n}">第{n}篇</a>' for n in range(1, length + 1)))
    return routes
