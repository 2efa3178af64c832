"""What a crawl still has to fetch, kept as a journal so that a crawl that was killed goes on where it was.

One line for each address that was found and one for each that is done, in order. Whatever is cut off the end of the
file by a loss of power, the rest is a state that the crawl really was in: links are written before the page that they
stood on is done.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TextIO

from core.pages import CrawlPlan
from core.wording import Message
from crawler.urls import canonical

JOURNAL_NAME = "frontier.jsonl"
# A page, a sitemap, an address that may be one, and the list of what a site forbids, asked for the sitemaps it names.
PAGE, SITEMAP, PROBE, ROBOTS = "page", "sitemap", "probe", "robots"
_FORMAT = 1  # raise it when the lines change meaning


@dataclass(frozen=True, slots=True)
class Target:
    """One address to fetch."""

    url: str
    depth: int
    kind: str  # one of PAGE, SITEMAP, PROBE, ROBOTS


class Frontier:
    """The addresses of one crawl; `notice` says what an operator should know of the journal that was found.

    In memory: what is left to do, and a digest of all that is known.
    """

    def __init__(self, plan: CrawlPlan, job_dir: Path | None = None) -> None:
        self._pending: dict[bytes, Target] = {}
        self._known: set[bytes] = set()  # to do or done
        self._passed: set[bytes] = set()
        self._done_pages = 0
        self._journal = Journal(job_dir / JOURNAL_NAME, plan_digest(plan)) if job_dir is not None else None
        self.notice: Message | None = None
        if self._journal is not None:
            for record in self._journal.replay():
                self._take(record)
            self._journal.begin(keeps=bool(self._known))
            self.notice = self._journal.notice

    @property
    def done_pages(self) -> int:
        return self._done_pages

    def pending(self) -> list[Target]:
        """What is known and not done, in the order in which it was found."""
        return list(self._pending.values())

    def is_empty(self) -> bool:
        """Whether nothing is left to do."""
        return not self._pending

    def add(self, url: str, depth: int, kind: str = PAGE) -> bool:
        """Whether the address was not known before; it is now."""
        return bool(self.add_all([Target(url, depth, kind)]))

    def add_all(self, targets: Iterable[Target]) -> list[Target]:
        """Those that were not known before; they are now."""
        fresh = [target for target in targets if self._take_in(target)]
        if self._journal is not None:
            self._journal.write(*({"found": each.url, "depth": each.depth, "kind": each.kind} for each in fresh))
        return fresh

    def promote(self, url: str, depth: int, kind: str = PAGE) -> None:
        """What `pass_by` let through is an address of its own."""
        self._passed.discard(_digest(url))
        self.add(url, depth, kind)

    def knows(self, urls: Iterable[str]) -> set[str]:
        """Which of these are known as addresses of their own, to do or done."""
        return {url for url in urls if _digest(url) in self._known}

    def is_open(self, url: str) -> bool:
        """Whether the address is still to be done."""
        return _digest(url) in self._pending

    def pass_by(self, url: str) -> bool:
        """Whether a redirect, or a text of several parts, may go on to this address: it was not known; it is now.

        It is not noted in the journal: a crawl that is killed half-way begins again where the redirects began.
        """
        key = _digest(url)
        if key in self._known or key in self._passed:
            return False
        self._passed.add(key)
        return True

    def finish(self, url: str) -> None:
        """Never fetch this address again in this crawl."""
        if self._note_done(url) and self._journal is not None:
            self._journal.write({"done": url})

    def close(self, is_complete: bool) -> None:
        """Close the journal; that of a complete crawl is removed, so that the next one starts afresh."""
        if self._journal is not None:
            self._journal.close(is_complete=is_complete)

    def _take_in(self, target: Target) -> bool:
        key = _digest(target.url)
        if key in self._known or key in self._passed:
            return False
        self._known.add(key)
        self._pending[key] = target
        return True

    def _note_done(self, url: str) -> bool:
        """Whether that is news."""
        key = _digest(url)
        target = self._pending.pop(key, None)
        self._done_pages += target is not None and target.kind == PAGE
        is_news = target is not None or key not in self._known
        self._known.add(key)
        return is_news

    def _take(self, record: dict[str, object]) -> None:
        if "found" in record:
            self._take_in(Target(str(record["found"]), int(str(record["depth"])), str(record["kind"])))
        else:
            self._note_done(str(record["done"]))


class Journal:
    """The journal of one crawl; `notice` says what an operator should know of the one that was found."""

    def __init__(self, path: Path, digest: str) -> None:
        self._path, self._digest = path, digest
        self._file: TextIO | None = None
        self.notice: Message | None = None

    def replay(self) -> Iterator[dict[str, object]]:
        """What the journal that was found says of addresses, up to its first bad line; nothing where there is none."""
        if not self._path.exists():
            return
        with self._path.open(encoding="utf-8", errors="replace") as journal:
            records = _records(journal)
            head = next(records, None)
            if not head or head.get("format") != _FORMAT:
                self.notice = Message("crawl.damaged-journal", path=self._path)
                return
            if head.get("plan") != self._digest:
                self.notice = Message("crawl.other-plan", path=self._path)
                return
            for count, record in enumerate(records):
                if record is None:
                    self.notice = Message("crawl.damaged-end", path=self._path) if count else None
                    return
                yield record

    def begin(self, *, keeps: bool) -> None:
        """Open the journal anew, without what is damaged; the old one stays until the new one is whole.

        keeps: the good lines of the one that was found. A process that still has that one open, because it was taken
        for dead, writes where nothing is read any more.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as journal:
            journal.write(_line({"format": _FORMAT, "plan": self._digest}))
            if keeps:
                with self._path.open(encoding="utf-8", errors="replace") as old:
                    journal.writelines(_line(record) for record in islice(_good(old), 1, None))
            journal.flush()
            os.fsync(journal.fileno())
        fresh.replace(self._path)
        self._file = self._path.open("a", encoding="utf-8")

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
        """Whether no other process has opened the journal since: one that was given up for dead may wake again."""
        assert self._file is not None
        with suppress(OSError):
            return os.path.samestat(self._path.stat(), os.fstat(self._file.fileno()))
        return False


def _good(journal: TextIO) -> Iterator[dict[str, object]]:
    """The records up to the first bad line."""
    for record in _records(journal):
        if record is None:
            return
        yield record


def _records(journal: TextIO) -> Iterator[dict[str, object] | None]:
    """The journal's lines; None for the first bad one, and nothing after it."""
    for line in journal:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        is_good = isinstance(record, dict) and (
            record.keys() >= {"found", "depth", "kind"} or record.keys() & {"done", "format"}
        )
        if not is_good or not line.endswith("\n"):
            yield None
            return
        yield record


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"


def _digest(url: str) -> bytes:
    """16 bytes for an address, however long: among 10^9 of them two are taken for one with a chance of 10^-21."""
    return hashlib.blake2b(key_of(url).encode("utf-8", "replace"), digest_size=16).digest()


def key_of(url: str) -> str:
    """What an address is known by: all its spellings are one."""
    try:
        return canonical(url)
    except ValueError:
        return url


def drop_journal(job_dir: Path, before: datetime) -> None:
    """Forget what a crawl left undone that was last at work before this moment."""
    path = job_dir / JOURNAL_NAME
    with suppress(FileNotFoundError):
        if datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
            path.unlink()


def plan_digest(plan: CrawlPlan) -> str:
    """Of everything that decides what is fetched; pace and limits may change between the two halves of a crawl."""
    pace = {"run_id", "max_pages", "delay_s", "concurrency", "politeness", "answers_since"}
    fields = {name: value for name, value in asdict(plan).items() if name not in pace}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, default=list).encode()).hexdigest()
