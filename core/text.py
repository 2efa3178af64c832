"""Positions in texts, and the characters that a text may have.

Each coordinate system has its own type; every span is half-open [start, end).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NewType

TextOffset = NewType("TextOffset", int)  # Unicode code points of the text as given
StreamOffset = NewType("StreamOffset", int)  # tokens of the normalised stream
WindowIndex = NewType("WindowIndex", int)  # number of a frequency window

_LINE_BREAKS = re.compile("[\x0b\x0c]")
_NO_CHARACTERS = re.compile("[\x00-\x08\x0e-\x1f\ufffe\uffff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_STORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def storable(text: str) -> str:
    r"""Return the text without characters that stores, exports or pages cannot contain. Called once on external text.

    Control characters that XML forbids, such as NUL, are removed; vertical tab and form feed become line feeds. A lone
    surrogate becomes U+FFFD.

    >>> storable("a\x00b\x0cc\ud800")
    'ab\nc�'
    """
    if _NOT_STORABLE.search(text) is None:
        return text
    return _SURROGATES.sub("\ufffd", _LINE_BREAKS.sub("\n", _NO_CHARACTERS.sub("", text)))


@dataclass(frozen=True, slots=True, order=True)
class TextRange:
    """The range [start, end) in code points of a text as given."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a range: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start


def join_ranges(ranges: Iterable[tuple[int, int]], gap: int = 0) -> list[tuple[int, int]]:
    """Return ranges in order, with those joined that overlap or have at most `gap` between them.

    >>> join_ranges([(0, 16), (40, 56), (8, 24)])
    [(0, 24), (40, 56)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1] + gap:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
