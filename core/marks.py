"""What was undone between a page's text as it came and its clean text, and where a place of one stands in the other."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.text import TextRange

BESIDE = "beside"  # the kind of what stood between the lines of the text and is of another zone, or of a seam


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that was undone. kind: a value of core.obfuscations.Obfuscation, or BESIDE.

    raw: where it stands in the text as it came, empty for what was written in; text: what stands for it in the clean
    text, empty for what was taken out, where both are not a piece of the same words that stood elsewhere. Outside of
    all marks both texts have the same characters in the same order.
    """

    kind: str
    raw: TextRange
    text: TextRange

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Mark":
        """Return the mark that `record` was made of. Raises KeyError, TypeError or ValueError for what is none."""
        return cls(str(record["kind"]), TextRange(*record["raw"]), TextRange(*record["text"]))

    def shift(self, raw_chars: int, chars: int) -> "Mark":
        """Return the same mark where so many characters stand before both texts."""
        raw, text = self.raw, self.text
        return Mark(
            self.kind,
            TextRange(raw.start + raw_chars, raw.end + raw_chars),
            TextRange(text.start + chars, text.end + chars),
        )

    @property
    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"kind": self.kind, "raw": [self.raw.start, self.raw.end], "text": [self.text.start, self.text.end]}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the clean text and the part of the raw one that it stands for; of unequal length only as a whole."""

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
    """Where ranges of a clean text stand in the raw one. chars: how long the clean text is."""

    def __init__(self, marks: Iterable[Mark], chars: int) -> None:
        self._pieces = _pieces(list(marks), chars)
        self._starts = [piece.start for piece in self._pieces]

    def find_range(self, start: int, end: int) -> TextRange:
        """Return the least range of the raw text that has all the characters of [start, end) of the clean one.

        >>> RawPlaces([Mark("hidden_text", TextRange(1, 3), TextRange(1, 1))], 2).find_range(0, 2)
        TextRange(start=0, end=4)
        """
        if not self._pieces:
            return TextRange(start, end)
        first = max(0, bisect_right(self._starts, start) - 1)
        behind = max(first + 1, bisect_right(self._starts, end - 1)) if end > start else first + 1
        found = [piece.raw_range(start, end) for piece in self._pieces[first:behind]]
        return TextRange(min(each.start for each in found), max(each.end for each in found))


def rebuild_text(raw: str, text: str, marks: Sequence[Mark]) -> str:
    """Return the clean text, made of the raw one and of what the marks write: `text`, where the marks are right.

    >>> rebuild_text("他x说", "他说", [Mark("hidden_text", TextRange(1, 2), TextRange(1, 1))])
    '他说'
    """
    same = iter(_cut_ranges(raw, [mark.raw for mark in marks]))
    written = sorted((mark.text for mark in marks if len(mark.text)), key=lambda each: each.start)
    parts, at = list[str](), 0
    for place in written:
        parts += [char for _, char in zip(range(place.start - at), same, strict=False)]
        parts.append(text[place.start : place.end])
        at = place.end
    return "".join([*parts, *same])


def _cut_ranges(text: str, ranges: Iterable[TextRange]) -> str:
    kept, at = list[str](), 0
    for each in sorted(ranges):
        kept.append(text[at : each.start])
        at = max(at, each.end)
    return "".join([*kept, text[at:]])


def _pieces(marks: Sequence[Mark], chars: int) -> list[_Piece]:
    """Return the clean text in pieces, in its order."""
    written = sorted((mark for mark in marks if len(mark.text)), key=lambda mark: mark.text)
    found = [_Piece(mark.text.start, mark.text.end, mark.raw.start, mark.raw.end) for mark in written]
    taken = _gaps(sorted(mark.raw for mark in marks if len(mark.raw)))
    raw_start, raw_end = next(taken)
    for start, end in _uncovered_ranges([mark.text for mark in written], chars):
        at = start
        while at < end:
            if raw_start >= raw_end:
                raw_start, raw_end = next(taken)
                continue
            step = min(end - at, raw_end - raw_start)
            found.append(_Piece(at, at + step, raw_start, raw_start + step))
            at, raw_start = at + step, raw_start + step
    return sorted(found, key=lambda piece: piece.start)


def _uncovered_ranges(ranges: Sequence[TextRange], chars: int) -> Iterator[tuple[int, int]]:
    at = 0
    for each in ranges:
        yield at, each.start
        at = each.end
    yield at, chars


def _gaps(ranges: Sequence[TextRange]) -> Iterator[tuple[int, int]]:
    """What lies between ranges of the raw text; behind the last one whatever is asked for."""
    at = 0
    for each in ranges:
        yield at, each.start
        at = max(at, each.end)
    yield at, 1 << 62
