"""Files of formats that a parser takes apart, read in a process of their own: people hand on what others made.

A table of one cell that says it spans a thousand million columns, a page of tags in tags: whoever reads them runs out
of time or memory, and that is the process and not the desk.
"""

from dataclasses import dataclass
from math import inf
from pathlib import Path
from types import TracebackType
from typing import Self

from core.errors import BrokenInvariant, UnreadableFile
from crawler.readers.messages import MOST_MEMORY_BYTES
from crawler.readers.reading_process import GivenUp, ReadingProcess
from intake.files import read_file
from intake.found import Intake

# A .docx of 20 MB takes 25 s on a busy machine, an .epub of a million characters 2 s (2026-11).
MAX_SECONDS = 60.0
PLAIN = frozenset({".txt", ".md"})  # decoded and split here: nothing in them is built


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A task of the reading process: crawler.readers.task.Task."""

    path: Path

    @property
    def url(self) -> str:
        return str(self.path)

    def read(self, desk: object) -> Intake:
        return read_file(self.path)


class BoundedReader:
    """A context manager; its process is started with the first file that needs one."""

    def __init__(self, max_seconds: float = MAX_SECONDS) -> None:
        self._process = ReadingProcess(max_seconds=max_seconds, max_cpu_s=inf, max_memory_bytes=MOST_MEMORY_BYTES)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.close()

    def read_file(self, path: Path) -> Intake:
        """As intake.files.read_file, within bounds of time and memory. Raises UnreadableFile."""
        if path.suffix.lower() in PLAIN or not path.is_file():
            return read_file(path)
        try:
            intake = self._process.read(FileToRead(path))
        except GivenUp as fault:
            raise UnreadableFile(path, "intake.given-up", reason=fault.reason) from fault
        except BrokenInvariant as fault:
            raise UnreadableFile(path, "intake.unforeseen", fault=fault) from fault
        assert isinstance(intake, Intake)
        return intake
