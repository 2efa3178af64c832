"""Positions in texts. Two coordinate systems, two types; every span is half-open [start, end)."""

from dataclasses import dataclass
from typing import NewType

TextOffset = NewType("TextOffset", int)  # Unicode code points of the text as given
StreamOffset = NewType("StreamOffset", int)  # tokens of the normalised stream
WindowIndex = NewType("WindowIndex", int)  # number of a frequency window


@dataclass(frozen=True, slots=True, order=True)
class TextRange:
    """[start, end) in code points of a text as given."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a range: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start
