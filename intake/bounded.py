"""Files of works, read in a process of their own within the bounds of a crawl: people hand on what others made.

A table of one cell that says it spans a thousand million columns, a page of tags in tags: whoever reads them runs out
of time or memory, and that is the process and not the desk.
"""

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from core.errors import BrokenInvariant, UnreadableFile
from crawler.readers.reading_process import MAX_BOOK_CPU_S, MAX_SECONDS, GivenUp, ReadingProcess
from intake.files import read_file
from intake.found import Intake


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
        try:
            intake = self._process.read(FileToRead(path))
        except GivenUp as fault:
            raise UnreadableFile(path, "intake.given-up", reason=fault.reason) from fault
        except BrokenInvariant as fault:
            raise UnreadableFile(path, "intake.unforeseen", fault=fault) from fault
        assert isinstance(intake, Intake)
        return intake
