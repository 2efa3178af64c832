"""Works and pages as JSON lines -> matches as JSON lines. Works are held in memory, pages pass by one at a time.

The format stands in docs/batch-format.md: offsets in code points of the text as given, half-open. For
a page given as HTML the text is what the crawler reads in it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.wording import Message
from deploy.cli.json_lines import Complain, Record, records

PROGRESS_EVERY_PAGES = 100


@dataclass(slots=True)
class Summary:
    """What became of the pages."""

    pages: int = 0
    matched: int = 0
    without_text: int = 0  # HTML in which the crawler finds no main text
    skipped: int = 0  # malformed lines


@dataclass(slots=True)
class Works:
    """The works of a file: each id with its text, in order."""

    texts: dict[str, str] = field(default_factory=dict)
    skipped: int = 0

    @classmethod
    def of(cls, path: Path, complain: Complain) -> "Works":
        """Raises UnreadableFile; a malformed line is complained of and counted."""
        works = cls()

        def skip(fault: BadInput) -> None:
            works.skipped += 1
            complain(fault)

        for record in records(path, skip):
            try:
                works._add(path, record)
            except MalformedLine as fault:
                skip(fault)
        if not works.texts:
            raise UnreadableFile(path, "batch.no-work")
        return works

    def _add(self, path: Path, record: Record) -> None:
        work_id, text = record.string(path, "work_id"), record.string(path, "text")
        if work_id in self.texts:
            raise MalformedLine(path, record.line_number, "batch.twice", name="work_id", id=work_id)
        self.texts[work_id] = text


class Comparer(Protocol):
    """Works that pages are compared with."""

    def matches(self, page_id: str, text: str, exclude_same_id: bool) -> list[dict[str, Any]]:
        """The matches of one page as they are written."""


def compared_into(
    out: Path,
    comparer: Comparer,
    pages: Path,
    *,
    exclude_same_id: bool,
    complain: Complain,
    on_progress: Callable[[Message], None],
) -> Summary:
    """Write the matches of all pages to `out`, which is there whole in the end or not at all."""
    run = _Run(comparer, pages, exclude_same_id, complain)
    partial = out.with_name(f".{out.name}.part")
    try:
        with partial.open("w", encoding="utf-8", errors="backslashreplace") as output:
            for number, line in enumerate(run.lines(), 1):
                output.write(line)
                if number % PROGRESS_EVERY_PAGES == 0:
                    on_progress(Message("batch.progress", pages=run.summary.pages, matched=run.summary.matched))
        partial.replace(out)
    except OSError as error:
        raise UnreadableFile(out, "batch.unwritable", reason=error.strerror or error) from error
    finally:
        partial.unlink(missing_ok=True)
    return run.summary


class _Run:
    """All pages of a file, one after the other."""

    def __init__(self, comparer: Comparer, pages: Path, exclude_same_id: bool, complain: Complain) -> None:
        self._comparer, self._pages, self._exclude_same_id = comparer, pages, exclude_same_id
        self._complain = complain
        self._seen: set[str] = set()
        self.summary = Summary()

    def lines(self) -> Iterator[str]:
        """What each page adds to the output: a line, or nothing."""
        for record in records(self._pages, self._skip):
            try:
                page_id = record.string(self._pages, "page_id")
                self._require_new(page_id, record.line_number)
                text = _text(self._pages, record)
            except MalformedLine as fault:
                self._skip(fault)
                continue
            yield self._line(page_id, text)

    def _require_new(self, page_id: str, line_number: int) -> None:
        """Raises MalformedLine for an id that an earlier page had: nobody could tell their matches apart."""
        if page_id in self._seen:
            raise MalformedLine(self._pages, line_number, "batch.twice", name="page_id", id=page_id)
        self._seen.add(page_id)

    def _line(self, page_id: str, text: str | None) -> str:
        self.summary.pages += 1
        if text is None:
            self.summary.without_text += 1
            return ""
        matches = self._comparer.matches(page_id, text, self._exclude_same_id)
        self.summary.matched += bool(matches)
        return json.dumps({"page_id": page_id, "matches": matches}, ensure_ascii=False) + "\n" if matches else ""

    def _skip(self, fault: BadInput) -> None:
        self.summary.skipped += 1
        self._complain(fault)


def _text(path: Path, record: Record) -> str | None:
    """The page's text as given, or what is read in its HTML; None where nothing is."""
    if isinstance(record.values.get("text"), str):
        return str(record.values["text"])
    if not isinstance(record.values.get("html"), str):
        raise MalformedLine(path, record.line_number, "batch.lacks-text")
    from crawler.reading import Rejected, read_page  # .4 s that only HTML needs

    body = record.values["html"].encode("utf-8", "replace")
    reading = read_page(body, {"Content-Type": "text/html; charset=utf-8"}, record.string(path, "page_id"))
    return None if isinstance(reading, Rejected) else reading.text
