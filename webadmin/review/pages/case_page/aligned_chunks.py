"""Cuts a passage into short aligned chunks of both sides, which scroll together and are paired on a phone.

A chunk of the page begins at a line, at a sentence within a long line, or at the start or end of a moved piece, but
never inside a change. The changes before it determine its start in the work.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from core.matches import ChangeKind

MAX_LINE_CHARS = 300  # the longest line that is one chunk; a longer line is cut after a sentence
MIN_SENTENCE_CHARS = 120
NEAR_CHARS = 30  # the largest distance between a line start in the work and the offset computed from the changes
_ENDS = "。！？…”.!?"


@dataclass(frozen=True, slots=True)
class AlignedChunk:
    """The start offsets of a chunk on both sides. On each side, it ends where the next chunk begins.

    is_moved: whether it is in a piece that the page has in another order.
    """

    page: int
    work: int
    is_moved: bool = False


Shift = tuple[int, int, int, int]  # page start and end, work start and end


def align_chunks(span: Mapping[str, Any], page: str, work: str) -> list[AlignedChunk]:
    """Cut a span into chunks with distinct start offsets, in page order. page, work: the texts of the span.

    The first chunk begins at the start of the span on the page. The chunk that comes first in the work begins at its
    start in the work.
    """
    (page_start, page_end), (work_start, work_end) = span["page"], span["work"]
    flow = _Flow(span)
    lines, found = [work_start, *(at + work_start for at in _line_starts(work))], [flow.chunk(page_start)]
    for at, is_line in _chunk_starts(page, page_start, flow):
        if not found[-1].page < at < page_end or flow.is_inside(at, 0):
            continue
        chunk = flow.chunk(at)
        place = _nearest_line(lines, chunk.work) if is_line else chunk.work
        if work_start <= place < work_end and not flow.is_inside(place, 2):
            found.append(AlignedChunk(at, place, chunk.is_moved))
            flow.resynchronize(found[-1])
    # Of the chunks that begin at the same offset in the work, only the first is used.
    chunks = list({each.work: each for each in reversed(found)}.values())[::-1]
    first = min(range(len(chunks)), key=lambda at: chunks[at].work)
    chunks[first] = AlignedChunk(chunks[first].page, work_start, chunks[first].is_moved)
    return chunks


def _line_starts(text: str) -> Iterator[int]:
    at = text.find("\n") + 1
    while at:
        yield at
        at = text.find("\n", at) + 1


def _chunk_starts(page: str, start: int, flow: "_Flow") -> list[tuple[int, bool]]:
    """Return the page offsets at which a chunk may begin, in order, each with True if a line starts there.

    start: the page offset of the text.
    """
    cuts = {at + start: True for at in _line_starts(page)}
    edges = [0, *(at - start for at in cuts), len(page)]
    for line, end in pairwise(edges):
        cuts |= {at + start: False for at in _sentence_ends(page, line, end)}
    return sorted({**dict.fromkeys(flow.edges, False), **cuts}.items())


def _sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield the offsets at which a line is cut: after a sentence, or at the limit if none ends before it."""
    at = start
    while end - at > MAX_LINE_CHARS:
        near = range(at + MIN_SENTENCE_CHARS, at + MAX_LINE_CHARS)
        at = next((place for place in near if text[place - 1] in _ENDS and text[place] not in _ENDS), near.stop)
        yield at


def _nearest_line(lines: Sequence[int], place: int) -> int:
    at = bisect_left(lines, place)
    return min(
        (each for each in lines[max(0, at - 1) : at + 1] if abs(each - place) <= NEAR_CHARS),
        key=lambda each: abs(each - place),
        default=place,
    )


class _Flow:
    """Maps page offsets to work offsets, using the changes in a span."""

    def __init__(self, span: Mapping[str, Any]) -> None:
        self._known = span["page"][0], span["work"][0]  # the last pair of corresponding offsets
        changes = [(kind, (a, b, c, d)) for kind, a, b, c, d in span.get("changes", ())]
        self._moved: list[Shift] = sorted(at for kind, at in changes if kind == ChangeKind.MOVED and at[0] < at[1])
        self._moved_in_work = sorted(self._moved, key=lambda each: each[2])
        self._changed: list[Shift] = sorted(at for kind, at in changes if kind != ChangeKind.MOVED)
        self._in_work = sorted(self._changed, key=lambda each: (each[2], each[3]))
        self._main = [each for each in self._changed if self._moved_piece(each[0]) is None]
        self.edges = [at for each in self._moved for at in (each[0], each[1])]

    def is_inside(self, at: int, side: int) -> bool:
        """Return True if a change spans this offset. side: 0 for the page, 2 for the work."""
        ordered = self._in_work if side else self._changed
        before = bisect_left(ordered, at, key=lambda each: each[side]) - 1
        return before >= 0 and ordered[before][side + 1] > at

    def resynchronize(self, chunk: AlignedChunk) -> None:
        """Restart the mapping at a chunk.

        Differences in white space between lines are not changes, and would add up otherwise.
        """
        if not chunk.is_moved:
            self._known = chunk.page, chunk.work

    def chunk(self, at: int) -> AlignedChunk:
        """Return the chunk that begins at this page offset."""
        moved = self._moved_piece(at)
        if moved is not None:
            page, work = self._last(self._changed, at, moved[0], moved[2])
            return AlignedChunk(at, work + at - page, is_moved=True)
        page, work = self._last(self._main, at, *self._known)
        since, until = (bisect_left(self._moved, place, key=lambda each: each[0]) for place in (page, at))
        left = at - page - sum(b - a for a, b, _c, _d in self._moved[since:until])
        for _a, _b, start, end in self._moved_in_work[
            bisect_left(self._moved_in_work, work, key=lambda each: each[2]) :
        ]:
            if start > work + left:
                break
            work += end - start  # Skip a piece that the page has elsewhere.
        return AlignedChunk(at, work + left)

    def _moved_piece(self, at: int) -> Shift | None:
        before = bisect_right(self._moved, at, key=lambda each: each[0]) - 1
        return self._moved[before] if before >= 0 and self._moved[before][1] > at else None

    @staticmethod
    def _last(changes: Sequence[Shift], at: int, page: int, work: int) -> tuple[int, int]:
        """Return the end of the last change before `at` on both sides.

        Returns (page, work) if there is none or it ends before `page`.
        """
        before = bisect_right(changes, at, key=lambda each: each[1]) - 1
        if before >= 0 and changes[before][1] >= page:
            return changes[before][1], changes[before][3]
        return page, work
