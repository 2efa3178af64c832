"""The URLs that a crawl still has to fetch, in a journal from which an interrupted crawl resumes.

The journal has a line for each URL that was found and a line for each that is done, in order. A file that a power
failure truncates is still consistent, because the links of a page are written before the page is marked as done.
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

if TYPE_CHECKING:  # modules that import the spider are loaded without Scrapy
    from scrapy import Request

JOURNAL_NAME = "frontier.jsonl"
# The kinds of targets: a page, a sitemap, a URL that may be a sitemap, robots.txt (for its list of sitemaps), and a
# feed.
PAGE, SITEMAP, PROBE, ROBOTS, FEED = "page", "sitemap", "probe", "robots", "feed"
_FORMAT = 1  # increase it when the meaning of the lines changes


@dataclass(frozen=True, slots=True)
class CrawlTarget:
    """A URL to fetch. depth: the number of links from a start page."""

    url: str
    depth: int
    kind: str  # PAGE, SITEMAP, PROBE, ROBOTS or FEED


def asks_for_page(request: "Request") -> bool:
    """Return True if the spider made a request for a page, not for a sitemap, a feed, robots.txt or a resource."""
    target = request.cb_kwargs.get("target")
    return isinstance(target, CrawlTarget) and target.kind == PAGE


class Frontier:
    """The URLs of one crawl. It stores the pending URLs and the digests of all known URLs in memory.

    notice: a message for the operator about an earlier journal, or None. job_dir: the folder of the journal; None for
    no journal.
    """

    def __init__(self, plan: CrawlPlan, job_dir: Path | None = None) -> None:
        self._pending: dict[bytes, CrawlTarget] = {}
        self._known: set[bytes] = set()  # pending or done
        self._claimed: set[bytes] = set()
        self._done_page_count = 0
        self._journal = Journal(job_dir / JOURNAL_NAME, plan_digest(plan)) if job_dir is not None else None
        self.notice: Message | None = None
        if self._journal is not None:
            for record in self._journal.open():
                self._apply_record(record)
            self.notice = self._journal.notice

    @property
    def done_page_count(self) -> int:
        return self._done_page_count

    def pending(self) -> list[CrawlTarget]:
        """Return the pending URLs in the order in which they were found."""
        return list(self._pending.values())

    def is_empty(self) -> bool:
        """Return True if no URL is pending."""
        return not self._pending

    def add_address(self, url: str, depth: int, kind: str = PAGE) -> bool:
        """Add a URL. Return True if it was not known before."""
        return bool(self.add_all([CrawlTarget(url, depth, kind)]))

    def add_all(self, targets: Iterable[CrawlTarget]) -> list[CrawlTarget]:
        """Add URLs. Return those that were not known before."""
        fresh = [target for target in targets if self._admit_target(target)]
        if self._journal is not None:
            self._journal.write(*({"found": each.url, "depth": each.depth, "kind": each.kind} for each in fresh))
        return fresh

    def promote(self, url: str, depth: int, kind: str = PAGE) -> None:
        """Add a URL that was claimed before, or a new one."""
        self._claimed.discard(_url_digest(url))
        self.add_address(url, depth, kind)

    def knows(self, urls: Iterable[str]) -> set[str]:
        """Return those of `urls` that are pending or done. URLs that are only claimed do not count."""
        return {url for url in urls if _url_digest(url) in self._known}

    def is_open(self, url: str) -> bool:
        """Return True if a URL is pending."""
        return _url_digest(url) in self._pending

    def claim(self, url: str) -> bool:
        """Claim a URL that is a redirect target or a part of a longer text. Return False if it was known before.

        Claims are not written to the journal, so an interrupted crawl begins again before the redirects.
        """
        key = _url_digest(url)
        if key in self._known or key in self._claimed:
            return False
        self._claimed.add(key)
        return True

    def finish(self, url: str) -> None:
        """Mark a URL as done, so that this crawl does not fetch it again."""
        if self._note_done(url) and self._journal is not None:
            self._journal.write({"done": url})

    def close(self, is_complete: bool) -> None:
        """Close the journal. Delete it if the crawl is complete, so that the next crawl starts from the beginning."""
        if self._journal is not None:
            self._journal.close(is_complete=is_complete)

    def _admit_target(self, target: CrawlTarget) -> bool:
        key = _url_digest(target.url)
        if key in self._known or key in self._claimed:
            return False
        self._known.add(key)
        self._pending[key] = target
        return True

    def _note_done(self, url: str) -> bool:
        """Mark a URL as done. Return False if it was done before."""
        key = _url_digest(url)
        target = self._pending.pop(key, None)
        self._done_page_count += target is not None and target.kind == PAGE
        is_news = target is not None or key not in self._known
        self._known.add(key)
        return is_news

    def _apply_record(self, record: dict[str, object]) -> None:
        if "found" in record:
            self._admit_target(CrawlTarget(str(record["found"]), int(str(record["depth"])), str(record["kind"])))
        else:
            self._note_done(str(record["done"]))


class Journal:
    """The journal of one crawl.

    digest: the digest of the crawl plan. notice: a message for the operator about an earlier journal, or None.
    """

    def __init__(self, path: Path, digest: str) -> None:
        self._path, self._digest = path, digest
        self._file: TextIO | None = None
        self.notice: Message | None = None

    def open(self) -> Iterator[dict[str, object]]:
        """Yield the records of the earlier journal up to its first invalid line, and copy them to a new journal.

        The new journal replaces the old one only when it is complete. A process that was wrongly considered dead
        continues to write to the old file, which is no longer read.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as journal:
            journal.write(_record_line({"format": _FORMAT, "plan": self._digest}))
            for record in self._replay_records():
                journal.write(_record_line(record))
                yield record
            journal.flush()
            os.fsync(journal.fileno())
        fresh.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8")

    def _replay_records(self) -> Iterator[dict[str, object]]:
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
        """Append records as lines, and flush them immediately."""
        if self._file is not None and records:
            self._file.writelines(map(_record_line, records))
            self._file.flush()

    def close(self, *, is_complete: bool) -> None:
        """Close the journal. Delete it if the crawl is complete and no other process has replaced it."""
        if self._file is not None:
            if is_complete and self._is_current_journal():
                self._path.unlink()
            self._file.close()
            self._file = None

    def _is_current_journal(self) -> bool:
        """Return True if no other process has replaced the journal. A process that was considered dead may continue."""
        assert self._file is not None
        with suppress(OSError):
            return os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))
        return False


def _read_record(line: str) -> dict[str, object] | None:
    """Return the record in a line of the journal, or None if the line is damaged."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    is_good = isinstance(record, dict) and (
        record.keys() >= {"found", "depth", "kind"} or record.keys() & {"done", "format"}
    )
    return record if is_good and line.endswith("\n") else None


def _record_line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _url_digest(url: str) -> bytes:
    """Return a digest of 16 bytes: among 10^9 URLs, two collide with a probability of 10^-21."""
    return hashlib.blake2b(address_key(url).encode("utf-8", "replace"), digest_size=16).digest()


def address_key(url: str) -> str:
    """Return the canonical form of a URL, which all its spellings share, or the URL itself if it is invalid."""
    try:
        return canonical(url)
    except ValueError:
        return url


def drop_journal(job_dir: Path, before: datetime) -> None:
    """Delete the journal of a crawl if the crawl was last active before this time."""
    path = job_dir / JOURNAL_NAME
    with suppress(FileNotFoundError):
        if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
            path.unlink()


def plan_digest(plan: CrawlPlan) -> str:
    """Return a digest of all fields that decide what is fetched.

    Pace and limits may change while a crawl is interrupted.
    """
    pace = {"run_id", "max_pages", "delay_s", "concurrency", "politeness"}
    fields = {name: value for name, value in asdict(plan).items() if name not in pace}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, default=list).encode()).hexdigest()
