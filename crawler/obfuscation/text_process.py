"""Reads the lines of text that hostile pictures show, in a process of its own; what was read is kept by digest."""

import json
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from core.ids import digest
from crawler.obfuscation.recognition import is_installed
from crawler.obfuscation.worker_process import WorkerProcess

# Of one page, by the clock, with what it waits for its turn: a reading is given up after 120 s. A processor reads 200
# to 300 characters a second: a chapter of 3,000 takes 10 to 15 s, a picture of 800 x 10,700 px 40 s (2026-11).
MAX_SECONDS_OF_PAGE = 90.0
MAX_SECONDS_TO_END = 10.0  # behind it: what is longer in one step is ended
MAX_PICTURES_OF_PAGE, MAX_PIXELS_OF_PAGE = 120, 48_000_000
MAX_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class SeenLine:
    """One line, or column, of a picture: its box in px, and how sure its characters are, [0, 1]."""

    left: int
    top: int
    right: int
    bottom: int
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenPicture:
    """What was made out of a picture. is_whole: of all of it, within the time there was."""

    height: int
    width: int
    looks_like_text: bool
    lines: tuple[SeenLine, ...] = ()
    is_whole: bool = True


class PageBudget:
    """What the pictures of one page may take."""

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
        """Count one picture more."""
        self.pictures -= 1
        self.pixels -= seen.height * seen.width if seen is not None else 0


class TextProcess:
    """Safe to use from several threads; `close` when done. is_read: whether characters are recognised at all."""

    def __init__(self, *, is_read: bool | None = None) -> None:
        self.can_read = is_installed() if is_read is None else is_read
        self._worker = WorkerProcess("crawler.obfuscation.text_worker")
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, SeenPicture] = OrderedDict()

    def seen(self, picture: bytes, budget: PageBudget) -> SeenPicture | None:
        """What a picture shows; None for one that is broken, or takes more than the page may."""
        key = digest(picture)
        with self._lock:
            found = self._kept.get(key)
        if found is None and not budget.is_spent:
            found = self._asked(picture, budget)
            if found is not None and found.is_whole:
                self._keep(key, found)
        budget.note(found)
        return found

    def close(self) -> None:
        """End the process, also while a thread waits for its answer; nothing is read any more."""
        self._worker.close()

    def _asked(self, picture: bytes, budget: PageBudget) -> SeenPicture | None:
        answer = None
        for _ in range(2):  # a process that ended had perhaps grown by what it read before
            seconds = budget.seconds
            if answer is None and seconds > 0:
                wanted = {"pixels": budget.pixels, "seconds": seconds, "is_read": self.can_read}
                answer = self._worker.ask(json.dumps(wanted).encode(), picture, seconds + MAX_SECONDS_TO_END, seconds)
        try:
            return _picture(json.loads(answer[0])) if answer is not None else None
        except (ValueError, TypeError):  # of whoever broke out of the process
            return None

    def _keep(self, key: str, found: SeenPicture) -> None:
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)


def _picture(answer: dict[str, Any]) -> SeenPicture | None:
    if not answer:
        return None
    lines = tuple(SeenLine(**line) for line in answer.pop("lines", ()))
    return SeenPicture(**answer, lines=lines)
