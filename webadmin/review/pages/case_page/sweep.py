"""Cuts a text at the boundaries of passages that may overlap, in linear time after sorting."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ChangeMark:
    """The range of a change on one side, which is empty if only the other side has text."""

    passage: int
    change: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlacedPassage:
    """The range of a passage on one side, with its marks in order."""

    passage: int
    start: int
    end: int
    marks: tuple[ChangeMark, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """The range [start, end) with the marks that cover it. An empty range is the position of an empty mark."""

    start: int
    end: int
    marks: tuple[ChangeMark, ...] = ()


@dataclass(slots=True)
class PassageRun:
    """A range of the text within the same passages, or outside all passages."""

    start: int
    end: int
    passages: tuple[int, ...]
    cuts: list[Cut] = field(default_factory=list)


def sweep_passages(placed: Sequence[PlacedPassage], chars: int) -> Iterator[PassageRun]:
    """Cut the whole text [0, chars) into runs, in order and without gaps. Empty marks give empty cuts."""
    opening, boundaries, gaps = _sweep_events([item for item in placed if item.start < item.end], chars)
    active: dict[int, _Open] = {}
    run, next_end = PassageRun(0, 0, ()), chars
    for start, end in zip(boundaries, [*boundaries[1:], chars], strict=True):
        here = gaps.get(start, [])
        ending = [gap for gap in here if gap.passage in active]
        run.cuts += [Cut(start, start, (gap,)) for gap in ending]
        if start >= next_end or start in opening:
            active = {number: item for number, item in active.items() if item.placed.end > start}
            active |= {item.passage: _Open(item) for item in opening.get(start, ())}
            next_end = min((item.placed.end for item in active.values()), default=chars)
            passages = tuple(sorted(active))
            if passages != run.passages:
                if run.end > run.start:
                    yield run
                run = PassageRun(start, start, passages)
        run.cuts += [Cut(start, start, (gap,)) for gap in here if gap not in ending]
        if active:
            marks = [mark for item in active.values() if (mark := item.mark_covering(start))]
            run.cuts.append(Cut(start, end, tuple(marks)))
        run.end = end
    if run.end > run.start:
        yield run


class _Open:
    """A passage that is open in the sweep, with the position in its marks."""

    def __init__(self, placed: PlacedPassage) -> None:
        self.placed = placed
        self._next = 0

    def mark_covering(self, offset: int) -> ChangeMark | None:
        """Return the mark that covers `offset`, or None. `offset` must not decrease between calls."""
        marks = self.placed.marks
        while self._next < len(marks) and marks[self._next].end <= offset:
            self._next += 1
        if self._next < len(marks) and marks[self._next].start <= offset:
            return marks[self._next]
        return None


def _sweep_events(
    placed: Sequence[PlacedPassage], chars: int
) -> tuple[dict[int, list[PlacedPassage]], list[int], dict[int, list[ChangeMark]]]:
    opening: dict[int, list[PlacedPassage]] = defaultdict(list)
    gaps: dict[int, list[ChangeMark]] = defaultdict(list)
    boundaries = {0, chars}
    for item in placed:
        opening[item.start].append(item)
        boundaries |= {item.start, item.end}
        for mark in item.marks:
            boundaries |= {mark.start, mark.end}
            if mark.start == mark.end:
                gaps[mark.start].append(mark)
    return opening, sorted(boundaries), gaps
