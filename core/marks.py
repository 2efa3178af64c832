"""Marks of the changes from the raw text of a page to its clean text, and the mapping of ranges between both texts."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.text import TextRange

SURROUNDING = "beside"  # the kind for text between the lines that belongs to another zone or to a seam


@dataclass(frozen=True, slots=True)
class Mark:
    """One change made by cleaning. kind: a value of core.obfuscations.Obfuscation, or SURROUNDING.

    raw: its range in the raw text, empty for added text; text: its range in the clean text, empty for removed text. For
    moved text, both are ranges with the same words. Outside all marks, both texts have the same characters in the same
    order.
    """

    kind: str
    raw: TextRange
    text: TextRange

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Mark":
        """Return the mark in a record. Raises KeyError, TypeError or ValueError if the record is malformed."""
        return cls(str(record["kind"]), TextRange(*record["raw"]), TextRange(*record["text"]))

    def shift(self, raw_chars: int, chars: int) -> "Mark":
        """Return the mark with its raw range moved by `raw_chars` characters, and its clean range by `chars`."""
        raw, text = self.raw, self.text
        return Mark(
            self.kind,
            TextRange(raw.start + raw_chars, raw.end + raw_chars),
            TextRange(text.start + chars, text.end + chars),
        )

    @property
    def record(self) -> dict[str, Any]:
        """The mark as a dict for JSON."""
        return {"kind": self.kind, "raw": [self.raw.start, self.raw.end], "text": [self.text.start, self.text.end]}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A range of the clean text and the corresponding range of the raw text.

    If their lengths differ, the ranges correspond only as a whole.
    """

    start: int
    end: int
    raw_start: int
    raw_end: int

    def raw_range(self, start: int, end: int) -> TextRange:
        if self.end - self.start != self.raw_end - self.raw_start:
            return TextRange(self.raw_start, self.raw_end)
        first, last = max(start, self.start), max(min(end, self.end), self.start)
        return TextRange(self.raw_start + first - self.start, self.raw_start + last - self.start)


class RawPlaces:
    """Maps ranges of a clean text to ranges of the raw text. chars: the length of the clean text."""

    def __init__(self, marks: Iterable[Mark], chars: int) -> None:
        self._pieces = _clean_pieces(list(marks), chars)
        self._starts = [piece.start for piece in self._pieces]

    def find_range(self, start: int, end: int) -> TextRange:
        """Return the smallest range of the raw text that contains all characters [start, end) of the clean text.

        >>> RawPlaces([Mark("hidden_text", TextRange(1, 3), TextRange(1, 1))], 2).find_range(0, 2)
        TextRange(start=0, end=4)
        """
        if not self._pieces:
            return TextRange(start, end)
        first = max(0, bisect_right(self._starts, start) - 1)
        stop = max(first + 1, bisect_right(self._starts, end - 1)) if end > start else first + 1
        raw_ranges = [piece.raw_range(start, end) for piece in self._pieces[first:stop]]
        return TextRange(
            min(raw_range.start for raw_range in raw_ranges), max(raw_range.end for raw_range in raw_ranges)
        )


def rebuild_text(raw: str, text: str, marks: Sequence[Mark]) -> str:
    """Return the clean text rebuilt from the raw text and the marks. It equals `text` if the marks are correct.

    >>> rebuild_text("他x说", "他说", [Mark("hidden_text", TextRange(1, 2), TextRange(1, 1))])
    '他说'
    """
    unchanged = iter(_cut_ranges(raw, [mark.raw for mark in marks]))
    clean_ranges = sorted((mark.text for mark in marks if len(mark.text)), key=lambda clean_range: clean_range.start)
    parts, position = list[str](), 0
    for clean_range in clean_ranges:
        parts += [char for _, char in zip(range(clean_range.start - position), unchanged, strict=False)]
        parts.append(text[clean_range.start : clean_range.end])
        position = clean_range.end
    return "".join([*parts, *unchanged])


def _cut_ranges(text: str, ranges: Iterable[TextRange]) -> str:
    parts, position = list[str](), 0
    for removed_range in sorted(ranges):
        parts.append(text[position : removed_range.start])
        position = max(position, removed_range.end)
    return "".join([*parts, text[position:]])


def _clean_pieces(marks: Sequence[Mark], chars: int) -> list[_Piece]:
    """Return the pieces of the clean text in order."""
    marks_with_text = sorted((mark for mark in marks if len(mark.text)), key=lambda mark: mark.text)
    pieces = [_Piece(mark.text.start, mark.text.end, mark.raw.start, mark.raw.end) for mark in marks_with_text]
    raw_gaps = _range_gaps(sorted(mark.raw for mark in marks if len(mark.raw)))
    raw_start, raw_end = next(raw_gaps)
    for start, end in _uncovered_ranges([mark.text for mark in marks_with_text], chars):
        position = start
        while position < end:
            if raw_start >= raw_end:
                raw_start, raw_end = next(raw_gaps)
                continue
            step = min(end - position, raw_end - raw_start)
            pieces.append(_Piece(position, position + step, raw_start, raw_start + step))
            position, raw_start = position + step, raw_start + step
    return sorted(pieces, key=lambda piece: piece.start)


def _uncovered_ranges(ranges: Sequence[TextRange], chars: int) -> Iterator[tuple[int, int]]:
    position = 0
    for covered_range in ranges:
        yield position, covered_range.start
        position = covered_range.end
    yield position, chars


def _range_gaps(ranges: Sequence[TextRange]) -> Iterator[tuple[int, int]]:
    """Yield the gaps between ranges of the raw text; the last gap is unbounded."""
    position = 0
    for covered_range in ranges:
        yield position, covered_range.start
        position = max(position, covered_range.end)
    yield position, 1 << 62
