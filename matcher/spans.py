"""From compared passages to the spans of a match, and the figures that stand beside them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.matches import Change, ChangeKind, Span
from core.text import TextRange
from matcher.changes import CHANGE_KINDS, Comparison, number_of
from matcher.hiding import hiding_changes
from matcher.sides import Side

# Neither is wording: the same words in other forms, or signs that hide them.
NOT_WORDING = frozenset({ChangeKind.SCRIPT, ChangeKind.NOISE})


@dataclass(frozen=True, slots=True)
class Figures:
    """All passages of one text on one page, in tokens."""

    matched: int
    columns: int
    longest_run: int
    page_covered: int
    work_covered: int
    page_tokens: int
    work_tokens: int
    changed: int  # wording only
    displaced: int

    @property
    def similarity(self) -> float:
        return self.matched / self.columns if self.columns else 0.0

    @property
    def page_containment(self) -> float:
        return self.page_covered / self.page_tokens if self.page_tokens else 0.0

    @property
    def work_containment(self) -> float:
        return self.work_covered / self.work_tokens if self.work_tokens else 0.0

    @property
    def changed_share(self) -> float:
        """Share of the alignment in which the wording differs."""
        return self.changed / self.columns if self.columns else 0.0


def figures(page: Side, work: Side, comparisons: list[Comparison]) -> Figures:
    """Sum up passages; what two of them share is counted once."""
    changed = sum(int(found.sizes()[_is_wording(found)].sum()) for found in comparisons)
    left_out = sum(
        int((rows[:, 4] - rows[:, 3]).sum()) for rows in (c.of_kind(ChangeKind.DELETED) for c in comparisons)
    )
    matched = sum(found.matched for found in comparisons)
    covered = _covered([(found.work_start, found.work_end) for found in comparisons])
    return Figures(
        matched=matched,
        columns=sum(found.columns for found in comparisons),
        longest_run=max((found.longest_run for found in comparisons), default=0),
        page_covered=_covered([(found.page_start, found.page_end) for found in comparisons]),
        work_covered=max(covered - left_out, min(matched, covered)),
        page_tokens=page.fingerprint.tokens.size,
        work_tokens=work.fingerprint.tokens.size,
        changed=changed,
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


def _is_wording(found: Comparison) -> NDArray[np.bool_]:
    return ~np.isin(found.changes[:, 0], [number_of(kind) for kind in NOT_WORDING])


def _covered(ranges: list[tuple[int, int]]) -> int:
    total, reached = 0, 0
    for start, end in sorted(ranges):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
