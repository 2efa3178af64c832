"""From compared passages to the spans of a match, and the figures that stand beside them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, Span
from core.text import TextRange
from matcher.changes import CHANGE_KINDS, Comparison, share_same
from matcher.hiding import hiding_changes
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
            _changes(page, work, found),
        )
        for found in comparisons
    ]
    return tuple(sorted(spans, key=lambda span: span.page))


def _changes(page: Side, work: Side, found: Comparison) -> tuple[Change, ...]:
    """The changes as ranges of both texts, those that hide it included, in order of the page."""
    kinds = [CHANGE_KINDS[number] for number in found.changes[:, 0].tolist()]
    on_page = zip(*page.ranges(found.changes[:, 1], found.changes[:, 2]), strict=True)
    in_work = zip(*work.ranges(found.changes[:, 3], found.changes[:, 4]), strict=True)
    changes = [
        Change(kind, TextRange(*page_range), TextRange(*work_range))
        for kind, page_range, work_range in zip(kinds, on_page, in_work, strict=True)
    ]
    changes += hiding_changes(page, work, found)
    return tuple(sorted(changes, key=lambda change: (change.page.start, change.page.end)))


def _covered(ranges: NDArray[np.int32]) -> int:
    """How many places lie in at least one of these ranges; int32[n, 2]."""
    if not len(ranges):
        return 0
    starts, ends = ranges[np.argsort(ranges[:, 0], kind="stable")].T
    reached = np.concatenate([starts[:1], np.maximum.accumulate(ends)[:-1]])
    return int(np.maximum(ends - np.maximum(starts, reached), 0).sum())
