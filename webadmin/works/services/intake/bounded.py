"""Reads files of works in a separate process with the limits of a crawl, because others may have made the files.

A table cell that claims to span a billion columns, or deeply nested tags, exhausts time or memory; that ends the
reading process, not the web process.
"""

import io
from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

from core.errors import BrokenInvariant, UnreadableFile
from crawler.readers.messages import MAX_MEMORY_BYTES, MOST_MEMORY_BYTES, Call
from crawler.readers.reading_process import MAX_BOOK_CPU_S, MAX_SECONDS, GivenUp, ReadingProcess
from webadmin.works.services.intake.division import FoundWork, Intake, divide_work, divisions
from webadmin.works.services.intake.files import read_file

MAX_SECONDS_OF_PDF = 20.0  # A user waits for it; a deed of 50 pages takes 0.5 s, and the result says if text was cut.
MAX_PAGES_OF_PDF = 300  # Notarial deeds are not longer.


class BoundedReader(ReadingProcess):
    """A reading process with time and memory limits for files, which starts with the first file."""

    def __init__(
        self,
        max_seconds: float = MAX_SECONDS,
        max_cpu_s: float = MAX_BOOK_CPU_S,
        max_memory_bytes: int = MAX_MEMORY_BYTES,
    ) -> None:
        super().__init__(max_seconds=max_seconds, max_cpu_s=max_cpu_s, max_memory_bytes=max_memory_bytes)

    def read_file(self, path: Path) -> Intake:
        """Return the works in a file as `files.read_file` does, within the limits. Raises UnreadableFile."""
        if not path.is_file():
            return read_file(path)
        intake = self.call(path, _read_storable, path)
        assert isinstance(intake, Intake)
        return intake

    def divide_work(self, found: FoundWork, style: str) -> FoundWork:
        """Divide a work as `division.divide_work` does, within the same limits. Raises UnreadableFile."""
        work = self.call(found.source, divide_work, found, style)
        assert isinstance(work, FoundWork)
        return work

    def call(self, path: Path | str, function: Callable[..., object], *given: object) -> Any:
        """Call a function on a file in the process. Raises UnreadableFile."""
        try:
            return self.run_task(Call(str(path), function, given))
        except GivenUp as fault:
            raise UnreadableFile(path, "intake.given-up", reason=fault.reason) from fault
        except BrokenInvariant as fault:
            raise UnreadableFile(path, "intake.unforeseen", fault=fault) from fault


def pdf_text(content: bytes, name: str, max_chars: int) -> tuple[str, bool]:
    """Return the text of a PDF, "" if it has only pictures, and whether the limits cut it.

    Raises UnreadableFile.
    """
    with BoundedReader(MAX_SECONDS_OF_PDF, inf, MOST_MEMORY_BYTES) as reader:
        text, is_cut = reader.call(name, _pdf_words, content, name, max_chars)
    return str(text), bool(is_cut)


def _read_storable(path: Path) -> Intake:
    intake = read_file(path)
    return replace(intake, works=[replace(each, ways=tuple(divisions(each))) for each in intake.works])


def _pdf_words(content: bytes, name: str, max_chars: int) -> tuple[str, bool]:
    from crawler.formats.pdf import extract_words  # loads pypdf, which only the reading process needs

    return extract_words(io.BytesIO(content), name, MAX_PAGES_OF_PDF, max_chars)
