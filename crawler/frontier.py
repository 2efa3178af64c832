"""The addresses that a crawl still has to fetch, kept as a journal so that a killed crawl resumes where it was.

It has one line for each address that was found and one for each that is done, in order. If a loss of power cuts off
the end of the file, the rest is a state that the crawl was really in: links are written before their page is done.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from core.pages import CrawlPlan
from core.wording import Message
from crawler.urls import canonical

if TYPE_CHECKING:  # what imports the spider is loaded without Scrapy
    from scrapy import Request

JOURNAL_NAME = "frontier.jsonl"
# A page, a sitemap, an address that may be one, and robots.txt, which is fetched for the sitemaps that it names.
PAGE, SITEMAP, PROBE, ROBOTS = "page", "sitemap", "probe", "robots"
_FORMAT = 1  # raise it when the lines change meaning


@dataclass(frozen=True, slots=True)
class CrawlTarget:
    """One address to fetch."""

    url: str
    depth: int
    kind: str  # one of PAGE, SITEMAP, PROBE, ROBOTS


def asks_for_page(request: "Request") -> bool:
    """Return True if a request of the spider asks for a page, not for a sitemap, robots.txt or a resource."""
    target = request.cb_kwargs.get("target")
    return isinstance(target, CrawlTarget) and target.kind == PAGE


class Frontier:
    """The addresses of one crawl; `notice` says what an operator should know of the journal that was found.

    In memory: what is left to do, and a digest of all that is known.
    """

    def __init__(self, plan: CrawlPlan, job_dir: Path | None = None) -> None:
        self._pending: dict[bytes, CrawlTarget] = {}
        self._known: set[bytes] = set()  # to do or done
        self._claimed: set[bytes] = set()
        self._done_pages = 0
        self._journal = Journal(job_dir / JOURNAL_NAME, plan_digest(plan)) if job_dir is not None else None
        self.notice: Message | None = None
        if self._journal is not None:
            for record in self._journal.open():
                self._take(record)
            self.notice = self._journal.notice

    @property
    def done_pages(self) -> int:
        return self._done_pages

    def pending(self) -> list[CrawlTarget]:
        """Return what is known and not done, in the order in which it was found."""
        return list(self._pending.values())

    def is_empty(self) -> bool:
        """Return True if nothing is left to do."""
        return not self._pending

    def add_address(self, url: str, depth: int, kind: str = PAGE) -> bool:
        """Add an address; True if it was not known before."""
        return bool(self.add_all([CrawlTarget(url, depth, kind)]))

    def add_all(self, targets: Iterable[CrawlTarget]) -> list[CrawlTarget]:
        """Add addresses, and return those that were not known before."""
        fresh = [target for target in targets if self._admit(target)]
        if self._journal is not None:
            self._journal.write(*({"found": each.url, "depth": each.depth, "kind": each.kind} for each in fresh))
        return fresh

    def promote(self, url: str, depth: int, kind: str = PAGE) -> None:
        """Add an address that `claim` admitted as one of its own."""
        self._claimed.discard(_digest(url))
        self.add_address(url, depth, kind)

    def knows(self, urls: Iterable[str]) -> set[str]:
        """Return those of these that are known as addresses of their own, to do or done."""
        return {url for url in urls if _digest(url) in self._known}

    def is_open(self, url: str) -> bool:
        """Return True if the address is still to be done."""
        return _digest(url) in self._pending

    def claim(self, url: str) -> bool:
        """Claim an address for a redirect, or for a text of several parts; False if it was known before.

        The journal does not note it: a crawl that is killed half-way begins again where the redirects began.
        """
        key = _digest(url)
        if key in self._known or key in self._claimed:
            return False
        self._claimed.add(key)
        return True

    def finish(self, url: str) -> None:
        """Never fetch this address again in this crawl."""
        if self._note_done(url) and self._journal is not None:
            self._journal.write({"done": url})

    def close(self, is_complete: bool) -> None:
        """Close the journal; that of a complete crawl is removed, so that the next one starts afresh."""
        if self._journal is not None:
            self._journal.close(is_complete=is_complete)

    def _admit(self, target: CrawlTarget) -> bool:
        key = _digest(target.url)
        if key in self._known or key in self._claimed:
            return False
        self._known.add(key)
        self._pending[key] = target
        return True

    def _note_done(self, url: str) -> bool:
        """Drop a pending address; False if it was not pending."""
        key = _digest(url)
        target = self._pending.pop(key, None)
        self._done_pages += target is not None and target.kind == PAGE
        is_news = target is not None or key not in self._known
        self._known.add(key)
        return is_news

    def _take(self, record: dict[str, object]) -> None:
        if "found" in record:
            self._admit(CrawlTarget(str(record["found"]), int(str(record["depth"])), str(record["kind"])))
        else:
            self._note_done(str(record["done"]))


class Journal:
    """The journal of one crawl; `notice` says what an operator should know of the one that was found."""

    def __init__(self, path: Path, digest: str) -> None:
        self._path, self._digest = path, digest
        self._file: TextIO | None = None
        self.notice: Message | None = None

    def open(self) -> Iterator[dict[str, object]]:
        """Yield the records of the journal that was found, up to its first bad line, and write them to a new one.

        The old one stays until the new one is whole. A process that still has that one open, because it was taken for
        dead, writes where nothing is read.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as journal:
            journal.write(_line({"format": _FORMAT, "plan": self._digest}))
            for record in self._replay():
                journal.write(_line(record))
                yield record
            journal.flush()
            os.fsync(journal.fileno())
        fresh.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8")

    def _replay(self) -> Iterator[dict[str, object]]:
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8", errors="replace") as journal:
            head = _read_record(journal.readline())
            if head is None or head.get("format") != _FORMAT:
                self.notice = Message("crawl.damaged-journal", path=self._path)
            elif head.get("plan") != self._digest:
                self.notice = Message("crawl.other-plan", path=self._path)
            else:
                for count, line in enumerate(journal):
                    record = _read_record(line)
                    if record is None:
                        self.notice = Message("crawl.damaged-end", path=self._path) if count else None
                        return
                    yield record

    def write(self, *records: dict[str, object]) -> None:
        """Add lines, and hand them to the system at once."""
        if self._file is not None and records:
            self._file.writelines(map(_line, records))
            self._file.flush()

    def close(self, *, is_complete: bool) -> None:
        """Close it; that of a complete crawl is removed."""
        if self._file is not None:
            if is_complete and self._is_own():
                self._path.unlink()
            self._file.close()
            self._file = None

    def _is_own(self) -> bool:
        """Return True if no other process has opened the journal since; a process given up for dead may wake again."""
        assert self._file is not None
        with suppress(OSError):
            return os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))
        return False


def _read_record(line: str) -> dict[str, object] | None:
    """Return the record in a line of the journal; None for a bad one."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    is_good = isinstance(record, dict) and (
        record.keys() >= {"found", "depth", "kind"} or record.keys() & {"done", "format"}
    )
    return record if is_good and line.endswith("\n") else None


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _digest(url: str) -> bytes:
    """Return 16 bytes for an address, however long: among 10^9 of them two collide with a chance of 10^-21."""
    return hashlib.blake2b(address_key(url).encode("utf-8", "replace"), digest_size=16).digest()


def address_key(url: str) -> str:
    """Return the form of an address that all its spellings share."""
    try:
        return canonical(url)
    except ValueError:
        return url


def drop_journal(job_dir: Path, before: datetime) -> None:
    """Remove the journal of a crawl that was last active before this moment."""
    path = job_dir / JOURNAL_NAME
    with suppress(FileNotFoundError):
        if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
            path.unlink()


def plan_digest(plan: CrawlPlan) -> str:
    """Digest everything that decides what is fetched; pace and limits may change between the two halves of a crawl."""
    pace = {"run_id", "max_pages", "delay_s", "concurrency", "politeness", "answers_since"}
    fields = {name: value for name, value in asdict(plan).items() if name not in pace}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, default=list).encode()).hexdigest()
