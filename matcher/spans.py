"""From compared passages to the spans of a match, and the figures that stand beside them."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, ChangeKind, Span
from core.text import TextRange
from matcher.changes import CHANGE_KINDS, Comparison, number_of, share_same
from matcher.hiding import hiding_places
from matcher.sides import Side


@dataclass(frozen=True, slots=True)
class Figures:
    """All passages of one text on one page, in tokens."""

    matched: int  # agree in sound
    same: int  # are one character
    changed: int  # differ in wording
    longest_run: int
    page_covered: int
    work_covered: int  # that have a counterpart on the page
    page_tokens: int
    work_tokens: int
    displaced: int

    @property
    def similarity(self) -> float:
        """Share of the passages that is the same, character by character; 1 less the share that was changed."""
        return share_same(self.same, self.changed)

    @property
    def page_containment(self) -> float:
        return self.page_covered / self.page_tokens if self.page_tokens else 0.0

    @property
    def work_containment(self) -> float:
        return self.work_covered / self.work_tokens if self.work_tokens else 0.0


def figures(page: Side, work: Side, comparisons: list[Comparison]) -> Figures:
    """Sum up passages; what two of them share is counted once."""
    ranges = np.array([(found.page_start, found.page_end) for found in comparisons], np.int32).reshape(-1, 2)
    return Figures(
        matched=sum(found.matched for found in comparisons),
        same=sum(found.same for found in comparisons),
        changed=sum(found.changed for found in comparisons),
        longest_run=max((found.longest_run for found in comparisons), default=0),
        page_covered=_covered(ranges),
        work_covered=_covered(np.concatenate([ranges[:0], *(found.work_taken for found in comparisons)])),
        page_tokens=page.fingerprint.tokens.size,
        work_tokens=work.fingerprint.tokens.size,
        displaced=sum(found.displaced for found in comparisons),
    )


def as_spans(page: Side, work: Side, comparisons: list[Comparison]) -> tuple[Span, ...]:
    """The spans in order of the page, offsets of both texts as given."""
    spans = [
        Span(
            page.range_of(found.page_start, found.page_end),
            work.range_of(found.work_start, found.work_end),
            round(found.similarity, 4),
            ChangesOfSpan(page, work, found),
        )
        for found in comparisons
    ]
    return tuple(sorted(spans, key=lambda span: span.page))


class ChangesOfSpan(Sequence[Change]):
    """The changes of a span in order of the page, those that hide it included; written out when first looked at.

    A chapter may have a thousand, and most are only counted: writing them out took a third of the time of a match.
    """

    def __init__(self, page: Side, work: Side, found: Comparison) -> None:
        self._compared = page, work, found

    @cached_property
    def _changes(self) -> tuple[Change, ...]:
        with _without_collection():
            return _written_out(*self._compared)

    @overload
    def __getitem__(self, at: int) -> Change: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Change, ...]: ...

    def __getitem__(self, at: int | slice) -> Change | tuple[Change, ...]:
        return self._changes[at]

    def __len__(self) -> int:
        return len(self._changes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._changes == tuple(other)

    def __hash__(self) -> int:
        return hash(self._changes)

    def __repr__(self) -> str:
        return repr(self._changes)


def _written_out(page: Side, work: Side, found: Comparison) -> tuple[Change, ...]:
    rows, hiding = found.changes, hiding_places(page, work, found)
    kinds = np.concatenate([rows[:, 0], np.full(len(hiding), number_of(ChangeKind.NOISE), np.int32)])
    columns = zip(
        (*page.ranges(rows[:, 1], rows[:, 2]), *work.ranges(rows[:, 3], rows[:, 4])),
        hiding[:, [0, 1, 2, 2]].T,
        strict=True,
    )
    page_starts, page_ends, work_starts, work_ends = (np.concatenate(parts) for parts in columns)
    order = np.lexsort((page_ends, page_starts))
    on_page = map(TextRange, page_starts[order].tolist(), page_ends[order].tolist())
    in_work = map(TextRange, work_starts[order].tolist(), work_ends[order].tolist())
    return tuple(map(Change, [CHANGE_KINDS[number] for number in kinds[order].tolist()], on_page, in_work))


@contextmanager
def _without_collection() -> Iterator[None]:
    """Let nothing look for garbage meanwhile.

    A page set with zero-width characters has thousands of changes, none of them in a circle; to look through the whole
    process while they are made took as long as all the rest (3,000 characters, November 2026: 73 pages/s, 159 without).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _covered(ranges: NDArray[np.int32]) -> int:
    """How many places lie in at least one of these ranges; int32[n, 2]."""
    if len(ranges) <= 1:
        return int((ranges[:, 1] - ranges[:, 0]).sum())
    starts, ends = ranges[np.argsort(ranges[:, 0], kind="stable")].T
    reached = np.concatenate([starts[:1], np.maximum.accumulate(ends)[:-1]])
    return int(np.maximum(ends - np.maximum(starts, reached), 0).sum())
