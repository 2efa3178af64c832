"""What a crawl still has to fetch, kept as a journal so that a crawl that was killed goes on where it was.

One line for each address that was found and one for each that is done, in order. Whatever is cut off the end of the
file by a loss of power, the rest is a state that the crawl really was in: links are written before the page that they
stood on is done.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from core.pages import CrawlPlan
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
    """The addresses of one crawl; `notice` says what an operator should know of the journal that was found."""

    def __init__(self, plan: CrawlPlan, job_dir: Path | None = None) -> None:
        self._known: dict[str, Target] = {}
        self._done: set[str] = set()
        self._passed: set[str] = set()
        self._journal: TextIO | None = None
        self.notice = ""
        if job_dir is not None:
            self._open(job_dir / JOURNAL_NAME, _plan_digest(plan))

    @property
    def done_pages(self) -> int:
        return sum(1 for key in self._done if key in self._known and self._known[key].kind == PAGE)

    def pending(self) -> list[Target]:
        """What is known and not done, in the order in which it was found."""
        return [target for key, target in self._known.items() if key not in self._done]

    def add(self, url: str, depth: int, kind: str = PAGE) -> bool:
        """Whether the address was not known before; it is now."""
        key = _key(url)
        if key in self._known or key in self._passed:
            return False
        self._known[key] = Target(url, depth, kind)
        self._write({"found": url, "depth": depth, "kind": kind})
        return True

    def pass_by(self, url: str) -> bool:
        """Whether a redirect may go on to this address: it was not known before; it is from now on.

        It is not noted in the journal: a crawl that is killed half-way begins again where the redirects began.
        """
        key = _key(url)
        if key in self._known or key in self._passed:
            return False
        self._passed.add(key)
        return True

    def finish(self, url: str) -> None:
        """Never fetch this address again in this crawl."""
        key = _key(url)
        if key not in self._done:
            self._done.add(key)
            self._write({"done": url})

    def close(self, is_complete: bool) -> None:
        """Close the journal; that of a complete crawl is removed, so that the next one starts afresh."""
        if self._journal is not None:
            self._journal.close()
            if is_complete:
                Path(self._journal.name).unlink(missing_ok=True)
            self._journal = None

    def _open(self, path: Path, plan_digest: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_whole = self._replay(path, plan_digest) if path.exists() else False
        if self._known:
            self.notice = "" if is_whole else f"the end of {path} is damaged; the crawl goes on from what could be read"
        self._rewrite(path, plan_digest)
        self._journal = path.open("a", encoding="utf-8")

    def _rewrite(self, path: Path, plan_digest: str) -> None:
        """The journal anew, without what is damaged; the old one stays until the new one is whole."""
        records: list[dict[str, object]] = [{"format": _FORMAT, "plan": plan_digest}]
        records += [{"found": t.url, "depth": t.depth, "kind": t.kind} for t in self._known.values()]
        records += [{"done": self._known[key].url} for key in self._known if key in self._done]
        fresh = path.with_suffix(".new")
        with fresh.open("w", encoding="utf-8") as journal:
            journal.writelines(_line(record) for record in records)
            journal.flush()
            os.fsync(journal.fileno())
        fresh.replace(path)

    def _replay(self, path: Path, plan_digest: str) -> bool:
        """Take over what the journal says up to its first bad line; whether there was none."""
        with path.open(encoding="utf-8", errors="replace") as journal:
            records = _records(journal)
            head = next(records, None)
            if not head or head.get("format") != _FORMAT:
                self.notice = f"{path} is damaged; the crawl starts afresh"
                return False
            if head.get("plan") != plan_digest:
                self.notice = f"{path} belongs to another plan of this site; the crawl starts afresh"
                return False
            for record in records:
                if record is None:
                    return False
                self._take(record)
        return True

    def _take(self, record: dict[str, object]) -> None:
        if "found" in record:
            url = str(record["found"])
            self._known[_key(url)] = Target(url, int(str(record["depth"])), str(record["kind"]))
        else:
            self._done.add(_key(str(record["done"])))

    def _write(self, record: dict[str, object]) -> None:
        if self._journal is not None:
            self._journal.write(_line(record))
            self._journal.flush()


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


def _key(url: str) -> str:
    try:
        return canonical(url)
    except ValueError:
        return url


def _plan_digest(plan: CrawlPlan) -> str:
    """Of everything that decides what is fetched; pace and limits may change between the two halves of a crawl."""
    pace = {"run_id", "max_pages", "delay_s", "concurrency", "politeness"}
    fields = {name: value for name, value in asdict(plan).items() if name not in pace}
    return hashlib.sha256(json.dumps(fields, sort_keys=True, default=list).encode()).hexdigest()
