"""Works and pages as JSON lines -> matches as JSON lines. Works are held in memory, pages pass by one at a time.

The format stands in docs/batch-format.md: offsets in code points of the text as given, half-open. For
a page given as HTML the text is what the crawler reads in it.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.ids import WorkTextId, work_text_id
from core.matches import Match
from crawler.reading import Rejected, read_page
from fingerprint.fingerprinting import fingerprint_text
from matcher.matching import Matcher, MemoryCorpus, WorkEntry
from matcher.memory_index import MemoryIndex

MAX_LINE_BYTES = 64 * 1024 * 1024
PROGRESS_EVERY_PAGES = 100

Complain = Callable[[BadInput], None]


@dataclass(slots=True)
class Summary:
    """What became of the pages."""

    pages: int = 0
    matched: int = 0
    without_text: int = 0  # HTML in which the crawler finds no main text
    skipped: int = 0  # malformed lines


@dataclass(slots=True)
class Archive:
    """The works, indexed. Works of one text share it; each is a work of its own in what is written."""

    index: MemoryIndex = field(default_factory=MemoryIndex)
    corpus: MemoryCorpus = field(default_factory=MemoryCorpus)
    owners: dict[WorkTextId, list[str]] = field(default_factory=lambda: defaultdict(list))
    skipped: int = 0
    works: int = 0

    @classmethod
    def of(cls, path: Path, complain: Complain) -> "Archive":
        """Raises UnreadableFile; a malformed line is complained of and counted."""
        archive, seen = cls(), set[str]()

        def skip(fault: BadInput) -> None:
            archive.skipped += 1
            complain(fault)

        for record in _records(path, skip):
            try:
                archive._add(path, record, seen)
            except MalformedLine as fault:
                skip(fault)
        if not archive.works:
            raise UnreadableFile(path, "holds no work")
        return archive

    def matches(self, page_id: str, text: str, exclude_same_id: bool) -> list[dict[str, Any]]:
        """The matches of one page as they are written."""
        excluded = page_id if exclude_same_id else None

        def others(texts: Collection[WorkTextId]) -> dict[WorkTextId, WorkTextId]:
            return {text_id: text_id for text_id in texts if any(each != excluded for each in self.owners[text_id])}

        found = Matcher(self.index, self.corpus).match(text, fingerprint_text(text), others)
        return [self._written(match, excluded) for match in found]

    def _written(self, match: Match, excluded: str | None) -> dict[str, Any]:
        carriers = [self._work_ids(text_id, excluded) for text_id in (match.text_id, *match.also)]
        work_id, *same = carriers[0]
        return {
            "work_id": work_id,
            "similarity": round(match.similarity, 4),
            "containment": round(match.page_containment, 4),
            "class": str(match.match_class),
            "spans": [
                {
                    "page_start": span.page.start,
                    "page_end": span.page.end,
                    "work_start": span.work.start,
                    "work_end": span.work.end,
                    "similarity": round(span.similarity, 4),
                }
                for span in match.spans
            ],
            "also": list(dict.fromkeys([*same, *(other for others in carriers[1:] for other in others)])),
        }

    def _work_ids(self, text_id: WorkTextId, excluded: str | None) -> list[str]:
        return [work_id for work_id in self.owners[text_id] if work_id != excluded]

    def _add(self, path: Path, record: "Record", seen: set[str]) -> None:
        work_id, text = record.string(path, "work_id"), record.string(path, "text")
        if work_id in seen:
            raise MalformedLine(path, record.line_number, f'the "work_id" {work_id} stands on an earlier line')
        seen.add(work_id)
        text_id = work_text_id(text)
        if text_id not in self.corpus:
            fingerprint = fingerprint_text(text)
            self.corpus[text_id] = WorkEntry(text, fingerprint)
            self.index.add(text_id, fingerprint)
        self.owners[text_id].append(work_id)
        self.works += 1


@dataclass(frozen=True, slots=True)
class Record:
    """One line."""

    line_number: int
    values: dict[str, Any]

    def string(self, path: Path, name: str) -> str:
        """The value of that name. Raises MalformedLine where it is no string or empty."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise MalformedLine(path, self.line_number, f'lacks "{name}", a string that is not empty')
        return value


def compared_into(
    out: Path,
    archive: Archive,
    pages: Path,
    *,
    exclude_same_id: bool,
    complain: Complain,
    on_progress: Callable[[str], None],
) -> Summary:
    """Write the matches of all pages to `out`, which is there whole in the end or not at all."""
    run = _Run(archive, pages, exclude_same_id, complain)
    partial = out.with_name(f".{out.name}.part")
    try:
        with partial.open("w", encoding="utf-8", errors="backslashreplace") as output:
            for number, line in enumerate(run.lines(), 1):
                output.write(line)
                if number % PROGRESS_EVERY_PAGES == 0:
                    on_progress(f"{run.summary.pages:,} compared, {run.summary.matched:,} with a match")
        partial.replace(out)
    except OSError as error:
        raise UnreadableFile(out, f"cannot be written ({error.strerror or error}); choose another --out") from error
    finally:
        partial.unlink(missing_ok=True)
    return run.summary


class _Run:
    """All pages of a file, one after the other."""

    def __init__(self, archive: Archive, pages: Path, exclude_same_id: bool, complain: Complain) -> None:
        self._archive, self._pages, self._exclude_same_id = archive, pages, exclude_same_id
        self._complain = complain
        self._seen: set[str] = set()
        self.summary = Summary()

    def lines(self) -> Iterator[str]:
        """What each page adds to the output: a line, or nothing."""
        for record in _records(self._pages, self._skip):
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
            raise MalformedLine(self._pages, line_number, f'the "page_id" {page_id} stands on an earlier line')
        self._seen.add(page_id)

    def _line(self, page_id: str, text: str | None) -> str:
        self.summary.pages += 1
        if text is None:
            self.summary.without_text += 1
            return ""
        matches = self._archive.matches(page_id, text, self._exclude_same_id)
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
        raise MalformedLine(path, record.line_number, 'lacks "text" or "html", a string')
    body = record.values["html"].encode("utf-8", "replace")
    reading = read_page(body, {"Content-Type": "text/html; charset=utf-8"}, record.string(path, "page_id"))
    return None if isinstance(reading, Rejected) else reading.text


def _records(path: Path, skip: Complain) -> Iterator[Record]:
    """The lines that are JSON objects; of the others `skip` is told. Raises UnreadableFile."""
    try:
        with path.open("rb") as file:
            number = 0
            while data := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                is_long = len(data) > MAX_LINE_BYTES
                rest = data
                while is_long and rest and not rest.endswith(b"\n"):
                    rest = file.readline(MAX_LINE_BYTES)
                if not data.strip():
                    continue
                record = _parsed(path, number, data, is_long)
                if isinstance(record, Record):
                    yield record
                else:
                    skip(record)
    except OSError as error:
        raise UnreadableFile(path, _reason(error)) from error


def _reason(error: OSError) -> str:
    if isinstance(error, IsADirectoryError):
        return "is a folder; give a file of JSON lines, one object a line (docs/batch-format.md)"
    return "there is no such file" if isinstance(error, FileNotFoundError) else str(error.strerror or error)


def _parsed(path: Path, number: int, data: bytes, is_long: bool) -> Record | MalformedLine:
    if is_long:
        return MalformedLine(path, number, f"longer than {MAX_LINE_BYTES // (1024 * 1024)} MB")
    try:
        values = json.loads(data.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        return MalformedLine(path, number, "is not UTF-8; JSON lines must be")
    except (ValueError, RecursionError) as error:
        return MalformedLine(path, number, f"is no JSON ({error})")
    return Record(number, values) if isinstance(values, dict) else MalformedLine(path, number, "is no JSON object")
