"""The steps of reading one page, each with a budget of its own: one that exceeds it is left out, and named.

Whoever walks over what a page may have any number of calls `check` on the way. What never gets there (a parser, a
pattern) is bounded by the reading process, which then reads the page by its plain markup (crawler.plain_markup).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")


class Step(StrEnum):
    """A step of reading a page that may be left out; the value is its name in a page's source, in any language."""

    MARKUP = "html"  # the tree as it stands: the plain markup is read instead
    ATTRIBUTES = "attributes"  # those of an element beyond the first 200
    LINKS = "href"
    SCRIPTS = "script"
    STYLE = "style"
    STYLE_ATTRIBUTES = "style="
    HIDDEN = "display"
    CONTENT = "content"
    FONTS = "@font-face"
    PICTURES = "img"
    ORDER = "order"
    TEXT = "text"  # what stands between its characters, and where each stood in the source


# Of the processor, for one step. The slowest page of the corpora takes .4 s for all of them; the first glyph or picture
# that a process reads costs 1.8 s, for its recogniser is loaded (2026-11).
MAX_CPU_S = 0.8
_MAX_CPU_S_OF_EYES = {Step.FONTS: 3.0, Step.PICTURES: 3.0}
# By the clock, where other processes work for a step: 4,000 glyphs of Noto Serif take 6 s (2026-11).
MAX_SECONDS = 20.0


class TooCostly(Exception):
    """A step exceeds its budget. Never leaves crawler.reading."""

    def __init__(self, step: Step) -> None:
        self.step = step
        super().__init__(step)


class ReadingSteps:
    """The steps of reading a page that are left out, and the budget of the one under way."""

    def __init__(self) -> None:
        self.left_out: list[Step] = []
        self._step: Step | None = None
        self._cpu_until = self._until = 0.0

    def leave_out(self, step: Step) -> None:
        """Read the page without a step."""
        if step not in self.left_out:
            self.left_out.append(step)

    def run(self, step: Step, call: Callable[[], T], otherwise: T) -> T:
        """Return the result of the step; `otherwise` where it is left out."""
        if step in self.left_out:
            return otherwise
        with self._under_way(step):
            return call()

    def check(self) -> None:
        """Raise TooCostly where the step under way has used up its budget."""
        if self._step is not None and (time.thread_time() > self._cpu_until or time.monotonic() > self._until):
            raise TooCostly(self._step)

    @contextmanager
    def exclude_time(self) -> Iterator[None]:
        """Exclude the time of preparing something that all pages need from the budget."""
        cpu_s, seconds = time.thread_time(), time.monotonic()
        try:
            yield
        finally:
            self._cpu_until += time.thread_time() - cpu_s
            self._until += time.monotonic() - seconds

    @contextmanager
    def _under_way(self, step: Step) -> Iterator[None]:
        """Charge time to the step; a step inside another one is not charged to that one."""
        around = self._step, self._cpu_until, self._until
        cpu_s, seconds = time.thread_time(), time.monotonic()
        max_cpu_s = _MAX_CPU_S_OF_EYES.get(step, MAX_CPU_S)
        self._step, self._cpu_until, self._until = step, cpu_s + max_cpu_s, seconds + MAX_SECONDS
        try:
            yield
        finally:
            self._step, cpu_until, until = around
            self._cpu_until = cpu_until + time.thread_time() - cpu_s
            self._until = until + time.monotonic() - seconds
