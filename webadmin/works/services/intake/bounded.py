"""Reads files of works in a separate process with limits on time and memory, because they are untrusted.

A table cell that claims to span a billion columns, or deeply nested tags, would exhaust time or memory. The limits end
the reading process and not the web process.
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

MAX_SECONDS_OF_PDF = 20.0  # A user waits for the result; a deed of 50 pages takes 0.5 s.
MAX_PAGES_OF_PDF = 300  # longer than any notarial deed


class BoundedReader(ReadingProcess):
    """A process that reads files within limits on time and memory. It starts with the first file."""

    def __init__(
        self,
        max_seconds: float = MAX_SECONDS,
        max_cpu_s: float = MAX_BOOK_CPU_S,
        max_memory_bytes: int = MAX_MEMORY_BYTES,
    ) -> None:
        super().__init__(max_seconds=max_seconds, max_cpu_s=max_cpu_s, max_memory_bytes=max_memory_bytes)

    def read_file(self, path: Path) -> Intake:
        """Return the works in a file, as `files.read_file` does. Raises UnreadableFile also beyond the limits."""
        if not path.is_file():
            return read_file(path)
        intake = self.call(path, _read_storable, path)
        assert isinstance(intake, Intake)
        return intake

    def divide_work(self, found: FoundWork, style: str) -> FoundWork:
        """Divide a work, as `division.divide_work` does. Raises UnreadableFile also beyond the limits."""
        work = self.call(found.source, divide_work, found, style)
        assert isinstance(work, FoundWork)
        return work

    def call(self, path: Path | str, function: Callable[..., object], *given: object) -> Any:
        """Return the result of `function(*given)`, called in the process. path: the file, for error messages.

        Raises UnreadableFile if the limits are exceeded or the call fails unexpectedly.
        """
        try:
            return self.run_task(Call(str(path), function, given))
        except GivenUp as fault:
            raise UnreadableFile(path, "intake.given-up", reason=fault.reason) from fault
        except BrokenInvariant as fault:
            raise UnreadableFile(path, "intake.unforeseen", fault=fault) from fault


def pdf_text(content: bytes, name: str, max_chars: int) -> tuple[str, bool]:
    """Return the text of a PDF, "" if it has only images, and whether the text was cut at a limit.

    name: the file's name, for error messages. Raises UnreadableFile if the PDF cannot be read within the limits.
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
