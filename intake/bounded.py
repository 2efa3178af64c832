"""Files of works, read in a process of their own within the bounds of a crawl: people hand on what others made.

A table of one cell that says it spans a thousand million columns, a page of tags in tags: whoever reads them runs out
of time or memory, and that is the process and not the desk.
"""

import io
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Self

from core.errors import BrokenInvariant, UnreadableFile
from crawler.formats.pdf import words_of_pdf
from crawler.readers.messages import MOST_MEMORY_BYTES, Task
from crawler.readers.reading_process import MAX_BOOK_CPU_S, MAX_SECONDS, GivenUp, ReadingProcess
from intake.division import divided, divisions
from intake.files import read_file
from intake.found import FoundWork, Intake


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A task of the reading process: crawler.readers.messages.Task."""

    path: Path

    @property
    def url(self) -> str:
        return str(self.path)

    def read(self, desk: object) -> Intake:
        intake = read_file(self.path)
        works = [replace(each, ways=tuple(divisions(each))) for each in intake.works]
        return replace(intake, works=works)


@dataclass(frozen=True, slots=True)
class WorkToDivide:
    """A task of the reading process: crawler.readers.messages.Task."""

    found: FoundWork
    style: str

    @property
    def url(self) -> str:
        return str(self.found.source)

    def read(self, desk: object) -> FoundWork:
        return divided(self.found, self.style)


class BoundedReader:
    """A context manager; its process is started with the first file."""

    def __init__(self, max_seconds: float = MAX_SECONDS, max_cpu_s: float = MAX_BOOK_CPU_S) -> None:
        self._process = ReadingProcess(max_seconds=max_seconds, max_cpu_s=max_cpu_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.close()

    def read_file(self, path: Path) -> Intake:
        """As intake.files.read_file, within bounds of time and memory. Raises UnreadableFile."""
        if not path.is_file():
            return read_file(path)
        intake = self._done(FileToRead(path), path)
        assert isinstance(intake, Intake)
        return intake

    def divided(self, found: FoundWork, style: str) -> FoundWork:
        """As intake.division.divided, within the same bounds. Raises UnreadableFile."""
        work = self._done(WorkToDivide(found, style), found.source)
        assert isinstance(work, FoundWork)
        return work

    def _done(self, task: Task, path: Path) -> object:
        try:
            return self._process.read(task)
        except GivenUp as fault:
            raise UnreadableFile(path, "intake.given-up", reason=fault.reason) from fault
        except BrokenInvariant as fault:
            raise UnreadableFile(path, "intake.unforeseen", fault=fault) from fault


MAX_SECONDS = 20.0  # somebody waits for it; a deed of 50 pages takes .5 s, and what is given up is said
MAX_PAGES = 300  # notaries bind no thicker books


@dataclass(frozen=True, slots=True)
class PdfToRead:
    """A task of the reading process: crawler.readers.messages.Task."""

    content: bytes
    name: str
    max_chars: int

    @property
    def url(self) -> str:
        return self.name

    def read(self, desk: object) -> tuple[str, bool]:
        return words_of_pdf(io.BytesIO(self.content), self.name, MAX_PAGES, self.max_chars)


def written_in_pdf(content: bytes, name: str, max_chars: int) -> tuple[str, bool]:
    """The words of a PDF, and whether some lie beyond the bounds; "" for one of pictures. Raises UnreadableFile."""
    with ReadingProcess(max_seconds=MAX_SECONDS, max_cpu_s=inf, max_memory_bytes=MOST_MEMORY_BYTES) as process:
        try:
            text, is_cut = process.read(PdfToRead(content, name, max_chars))
        except GivenUp as fault:
            raise UnreadableFile(name, "intake.given-up", reason=fault.reason) from fault
        except BrokenInvariant as fault:
            raise UnreadableFile(name, "intake.unforeseen", fault=fault) from fault
    return str(text), bool(is_cut)
