"""Figures of the passages that one page has of one text, in tokens."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from matcher.align.changes import PassageComparison, count_covered, unchanged_share
from matcher.align.tokenized_text import TokenizedText


class Figures(NamedTuple):
    """The figures of the passages of one text on one page, in tokens."""

    matched: int  # agree in sound or shape
    same: int  # are one character
    changed: int  # differ in wording
    longest_equal_run: int
    page_covered: int
    work_covered: int  # that have a counterpart on the page
    page_tokens: int
    work_tokens: int
    displaced: int

    @property
    def similarity(self) -> float:
        """The share of equal characters in the passages: 1 less the changed share."""
        return unchanged_share(self.same, self.changed)

    @property
    def page_containment(self) -> float:
        """The share of the page in passages."""
        return self.page_covered / self.page_tokens if self.page_tokens else 0.0

    @property
    def work_containment(self) -> float:
        """The share of the work with a counterpart on the page."""
        return self.work_covered / self.work_tokens if self.work_tokens else 0.0


def sum_up(page: TokenizedText, work: TokenizedText, comparisons: Sequence[PassageComparison]) -> Figures:
    """Return the figures of one or more passages, counting shared parts once."""
    covered = comparisons[0].page_end - comparisons[0].page_start, comparisons[0].work_covered
    if len(comparisons) > 1:
        ranges = np.array([(found.page_start, found.page_end) for found in comparisons], np.int32)
        in_work = np.concatenate([found.work_ranges for found in comparisons])
        covered = count_covered(ranges), count_covered(in_work)
    return Figures(
        matched=sum(found.matched for found in comparisons),
        same=sum(found.same for found in comparisons),
        changed=sum(found.changed for found in comparisons),
        longest_equal_run=max(found.longest_equal_run for found in comparisons),
        page_covered=covered[0],
        work_covered=covered[1],
        page_tokens=page.fingerprint.tokens.size,
        work_tokens=work.fingerprint.tokens.size,
        displaced=sum(found.displaced for found in comparisons),
    )
