"""Reads the lines of text in untrusted images in a separate process, and caches the results by digest."""

import time
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from core.ids import digest
from crawler.obfuscation.glyph_ocr import is_installed
from crawler.obfuscation.page_picture import SeenLine, looks_like_text, open_picture
from crawler.obfuscation.worker_process import WorkerProcess

if TYPE_CHECKING:  # loaded for the first image that looks like text
    from crawler.obfuscation.line_recognizer import LineRecognizer

# Wall-clock time per page, including the time in the queue; a reading is abandoned after 120 s. A processor reads 200
# to 300 characters a second: a chapter of 3,000 takes 10 to 15 s, an image of 800 x 10,700 px 40 s (2026-11).
MAX_SECONDS_OF_PAGE = 90.0
MAX_SECONDS_TO_END = 10.0  # after this time, a step that takes longer is terminated
MAX_PICTURES_OF_PAGE, MAX_PIXELS_OF_PAGE = 120, 48_000_000
MAX_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class SeenPicture:
    """The lines recognised in an image.

    is_whole: True if the time was sufficient for the whole image
    """

    height: int
    width: int
    looks_like_text: bool
    lines: tuple[SeenLine, ...] = ()
    is_whole: bool = True


class PageBudget:
    """The limits of time, number and size for the images on one page."""

    def __init__(self, max_seconds: float = MAX_SECONDS_OF_PAGE) -> None:
        self.until = time.monotonic() + max_seconds
        self.pictures, self.pixels = MAX_PICTURES_OF_PAGE, MAX_PIXELS_OF_PAGE

    @property
    def seconds(self) -> float:
        return max(0.0, self.until - time.monotonic())

    @property
    def is_spent(self) -> bool:
        return self.pictures <= 0 or self.pixels <= 0 or self.seconds <= 0

    def note(self, seen: SeenPicture | None) -> None:
        """Count an image. seen: None if it was not read, so that its size does not count."""
        self.pictures -= 1
        self.pixels -= seen.height * seen.width if seen is not None else 0


class TextProcess:
    """Reads images in a process of its own. Call `close` when done.

    is_read: True to recognise text, False not to; None if the extra `ocr` decides
    """

    def __init__(self, *, is_read: bool | None = None) -> None:
        self.can_read = is_installed() if is_read is None else is_read
        self._worker = WorkerProcess(answer)
        self._kept: dict[str, SeenPicture] = {}

    def read_picture(self, picture: bytes, budget: PageBudget) -> SeenPicture | None:
        """Read an image, or return None if it is broken or exceeds the page's budget."""
        key = digest(picture)
        found = self._kept.get(key)
        if found is None and not budget.is_spent:
            found = self._ask_worker(picture, budget)
            if found is not None and found.is_whole:
                self._kept[key] = found
                if len(self._kept) > MAX_KEPT:
                    del self._kept[next(iter(self._kept))]
        budget.note(found)
        return found

    def close(self) -> None:
        """End the process. No image can be read afterwards."""
        self._worker.close()

    def _ask_worker(self, picture: bytes, budget: PageBudget) -> SeenPicture | None:
        given = None
        for _ in range(2):  # the memory that previous images used may end the process, so it is tried twice
            seconds = budget.seconds
            if given is None and seconds > 0:
                wanted = {"pixels": budget.pixels, "seconds": seconds, "is_read": self.can_read}
                given = self._worker.ask(wanted, picture, seconds + MAX_SECONDS_TO_END)
        try:
            return _picture(given[0]) if given is not None else None
        except (ValueError, TypeError):  # the output of a compromised process
            return None


def _picture(seen: dict[str, Any]) -> SeenPicture | None:
    if not seen:
        return None
    lines = tuple(SeenLine(**line) for line in seen.pop("lines", ()))
    return SeenPicture(**seen, lines=lines)


def answer(wanted: dict[str, Any], picture: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the fields of a SeenPicture; none if the image is broken or too large.

    wanted: `pixels` and `seconds`, the maximum of each, and `is_read`, True to recognise characters
    """
    until = time.monotonic() + wanted["seconds"]
    grey = open_picture(picture, wanted["pixels"])
    if grey is None:
        return {}, b""
    seen = {"height": grey.shape[0], "width": grey.shape[1], "looks_like_text": looks_like_text(grey)}
    if seen["looks_like_text"] and wanted["is_read"]:
        lines, seen["is_whole"] = _recognizer().lines(grey, until)
        seen["lines"] = [asdict(line) for line in lines]
    return seen, b""


@cache
def _recognizer() -> "LineRecognizer":
    from crawler.obfuscation.line_recognizer import LineRecognizer

    return LineRecognizer()
