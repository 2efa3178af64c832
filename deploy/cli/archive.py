"""Compares pages with works, which are read from JSON lines. Works are loaded into memory; pages are streamed.

docs/batch-format.md describes the format. Offsets are half-open and count code points of the given text, or of the text
that the crawler reads if the page is HTML.
"""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.wording import Message
from crawler.opening import Rejected
from deploy.cli.comparing_processes import compare_in_order
from webadmin.ui.services.json_lines import Complain, JsonRecord, records

PROGRESS_EVERY_PAGES = 100
# The pages that a process receives at once, limited by number and by size; they take some hundredths of a second.
BATCH_PAGES, BATCH_CHARS = 32, 1 << 18


@dataclass(slots=True)
class Summary:
    """The numbers of pages by result. matched: with at least one match."""

    pages: int = 0
    matched: int = 0
    without_text: int = 0  # HTML in which the crawler finds no main text
    skipped: int = 0  # malformed lines


@dataclass(slots=True)
class ComparedWorks:
    """The texts of the works in a file by id, in order. skipped: the number of malformed lines."""

    texts: dict[str, str] = field(default_factory=dict)
    skipped: int = 0

    @classmethod
    def from_file(cls, path: Path, complain: Complain) -> "ComparedWorks":
        """Read the works in a file. Malformed lines are counted and passed to `complain`.

        Raises UnreadableFile if the file cannot be read or contains no work.
        """
        works = cls()

        def skip(fault: BadInput) -> None:
            works.skipped += 1
            complain(fault)

        for record in records(path, skip):
            try:
                works._add_work(path, record)
            except MalformedLine as fault:
                skip(fault)
        if not works.texts:
            raise UnreadableFile(path, "batch.no-work")
        return works

    def _add_work(self, path: Path, record: JsonRecord) -> None:
        work_id, text = record.string(path, "work_id"), record.string(path, "text")
        if work_id in self.texts:
            raise MalformedLine(path, record.line_number, "batch.twice", name="work_id", id=work_id)
        self.texts[work_id] = text


class Comparer(Protocol):
    """Compares pages with a set of works."""

    def matches(self, pages: Sequence[tuple[str, str]], exclude_same_id: bool) -> Iterator[list[dict[str, Any]]]:
        """Yield the matches of each page as JSON values; a page is an id and a text."""


class ArchivePage(NamedTuple):
    """The page on one line of the file. given: its text or HTML."""

    page_id: str
    given: str
    is_html: bool


def write_comparison(
    out: Path,
    comparer: Comparer,
    pages: Path,
    *,
    exclude_same_id: bool,
    processes: int,
    complain: Complain,
    on_progress: Callable[[Message], None],
) -> Summary:
    """Compare all pages in a file, write their matches to `out`, and return the counts.

    processes: the number of processes to compare in. exclude_same_id: whether to ignore matches of a page with the work
    of the same id. complain: called with each malformed line. If the comparison fails, `out` is not written. Raises
    UnreadableFile if a file cannot be read or written.
    """
    run = _ArchiveRun(comparer, pages, exclude_same_id, complain)
    partial = out.with_name(f".{out.name}.part")
    try:
        with (
            partial.open("w", encoding="utf-8", errors="backslashreplace") as output,
            closing(run.lines(processes)) as lines,
        ):
            for number, line in enumerate(lines, 1):
                output.write(line)
                if number % PROGRESS_EVERY_PAGES == 0:
                    on_progress(Message("batch.progress", pages=run.summary.pages, matched=run.summary.matched))
        partial.replace(out)
    except OSError as error:
        raise UnreadableFile(out, "batch.unwritable", reason=error.strerror or error) from error
    finally:
        partial.unlink(missing_ok=True)
    return run.summary


class _ArchiveRun:
    """The comparison of all pages in a file, in order."""

    def __init__(self, comparer: Comparer, pages: Path, exclude_same_id: bool, complain: Complain) -> None:
        self._comparer, self._pages, self._exclude_same_id = comparer, pages, exclude_same_id
        self._complain = complain
        self._seen: set[str] = set()
        self.summary = Summary()

    def lines(self, processes: int) -> Generator[str]:
        """Compare the pages in several processes, and yield the line to write for each page, "" without a match."""
        with closing(compare_in_order(self._compare_pages, _page_batches(self._read_pages()), processes)) as compared:
            for batch in compared:
                for line in batch:
                    self.summary.pages += 1
                    self.summary.without_text += line is None
                    self.summary.matched += bool(line)
                    yield line or ""

    def _read_pages(self) -> Iterator[ArchivePage]:
        for record in records(self._pages, self._skip_line):
            try:
                yield self._parse_page(record)
            except MalformedLine as fault:
                self._skip_line(fault)

    def _parse_page(self, record: JsonRecord) -> ArchivePage:
        """Return the page on a line.

        Raises MalformedLine if a field is missing, or if another page has the same id.
        """
        page_id = record.string(self._pages, "page_id")
        if page_id in self._seen:
            raise MalformedLine(self._pages, record.line_number, "batch.twice", name="page_id", id=page_id)
        self._seen.add(page_id)
        for name in ("text", "html"):
            if isinstance(record.values.get(name), str):
                return ArchivePage(page_id, record.values[name], is_html=name == "html")
        raise MalformedLine(self._pages, record.line_number, "batch.lacks-text")

    def _compare_pages(self, pages: Iterable[ArchivePage]) -> list[str | None]:
        """Return the line to write for each page: "" without a match, None if the HTML of the page has no text."""
        texts = {page.page_id: _page_text(page) for page in pages}
        given = [(page_id, text) for page_id, text in texts.items() if text is not None]
        found = zip(given, self._comparer.matches(given, self._exclude_same_id), strict=True)
        lines = {page_id: _result_line(page_id, matches) for (page_id, _), matches in found}
        return [lines.get(page_id) for page_id in texts]

    def _skip_line(self, fault: BadInput) -> None:
        self.summary.skipped += 1
        self._complain(fault)


def _page_batches(pages: Iterable[ArchivePage]) -> Iterator[list[ArchivePage]]:
    batch: list[ArchivePage] = []
    chars = 0
    for page in pages:
        batch.append(page)
        chars += len(page.given)
        if len(batch) == BATCH_PAGES or chars >= BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _result_line(page_id: str, matches: list[dict[str, Any]]) -> str:
    return json.dumps({"page_id": page_id, "matches": matches}, ensure_ascii=False) + "\n" if matches else ""


def _page_text(page: ArchivePage) -> str | None:
    """Return the text of a page, which is read from its HTML if necessary, or None if the HTML has no text."""
    if not page.is_html:
        return page.given
    from crawler.reading import read_page  # takes 0.4 s, and only HTML needs it

    body = page.given.encode("utf-8", "replace")
    reading = read_page(body, {"Content-Type": "text/html; charset=utf-8"}, page.page_id)
    return None if isinstance(reading, Rejected) else reading.text
