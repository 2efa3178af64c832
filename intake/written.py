"""What stands written in a PDF that somebody else made, read in a process of its own within bounds."""

import io
from dataclasses import dataclass
from math import inf

from core.errors import BrokenInvariant, UnreadableFile
from crawler.formats.pdf import words_of_pdf
from crawler.readers.messages import MOST_MEMORY_BYTES
from crawler.readers.reading_process import GivenUp, ReadingProcess

MAX_SECONDS = 20.0  # somebody waits for it; a deed of 50 pages takes .5 s, and what is given up is said
MAX_PAGES = 300  # notaries bind no thicker books


@dataclass(frozen=True, slots=True)
class PdfToRead:
    """A task of the reading process: crawler.readers.task.Task."""

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
