"""Ranges of chapters as people write them: "1-20, 25"."""

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.errors import BadInput
from core.text import join_ranges

MAX_TYPED_CHARS = 500
MAX_NAMED = 8  # chapters outside the ranges named in one sentence; further ones are counted
_COMMAS = re.compile(r"[,、;\s]+")
_DASHES = re.compile(r"\s*(?:[-–—~～至到]|\bto\b)\s*")
_RANGE = re.compile(r"第?(\d{1,7})[章回节]?(?:-第?(\d{1,7})[章回节]?)?")


@dataclass(frozen=True, slots=True)
class Chapters:
    """Chapter numbers as ordered, disjoint ranges. Without ranges, all chapters of the work are meant."""

    ranges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def parse(cls, written: str) -> "Chapters":
        """Parse "1-20, 25" with ASCII or Chinese punctuation; "" means all chapters. Raises BadInput if not valid.

        >>> str(Chapters.parse("25、1-10，8 - 20，第30章至第31章"))
        '1-20, 25, 30-31'
        """
        text = _DASHES.sub("-", unicodedata.normalize("NFKC", written).strip())
        if len(text) > MAX_TYPED_CHARS:
            raise BadInput("work.chapters-too-long", most=MAX_TYPED_CHARS)
        return cls(tuple(join_ranges((_parse_range(part) for part in _COMMAS.split(text) if part), gap=1)))

    def __str__(self) -> str:
        return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in self.ranges)

    def __bool__(self) -> bool:
        return bool(self.ranges)

    def holds(self, number: int) -> bool:
        """Return whether a chapter is in the ranges; without ranges, every chapter is.

        >>> [Chapters.parse("1-20").holds(20), Chapters.parse("1-20").holds(21), Chapters().holds(9)]
        [True, False, True]
        """
        return not self.ranges or any(first <= number <= last for first, last in self.ranges)

    def outside(self, copied: Iterable[Collection[int]]) -> list[int]:
        """Return the lowest chapter number of each copied text that is entirely outside the ranges.

        copied: the chapter numbers of each copied text.

        >>> Chapters.parse("1-20").outside([{3}, {20, 40}, {25, 30}, {21}])
        [21, 25]
        """
        return sorted({min(numbers) for numbers in copied if numbers and not any(map(self.holds, numbers))})

    def require_existing(self, numbers: Collection[int]) -> None:
        """Raise BadInput if a range begins or ends outside the work's chapters."""
        first, last = (min(numbers), max(numbers)) if numbers else (0, 0)
        for chapter_range in self.ranges:
            if not first <= chapter_range[0] <= chapter_range[1] <= last:
                raise BadInput("work.chapters-outside", part=str(Chapters((chapter_range,))), first=first, last=last)


def format_chapter_numbers(numbers: Collection[int]) -> str:
    """Return chapter numbers for a sentence: consecutive ones as a range, and an ellipsis after MAX_NAMED ranges.

    >>> format_chapter_numbers([21, 22, 23, 30])
    '21-23, 30'
    """
    ranges = join_ranges(((number, number) for number in numbers), gap=1)
    shown = str(Chapters(tuple(ranges[:MAX_NAMED])))
    return shown if len(ranges) <= MAX_NAMED else f"{shown}…"


def _parse_range(part: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(part)
    if match is None or int(match[1]) > int(match[2] or match[1]):
        raise BadInput("work.chapters-unreadable", part=part[:40])
    return int(match[1]), int(match[2] or match[1])
