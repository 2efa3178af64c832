"""Resolves overlaps: the best of the segments of several texts on one page range keeps it."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.ids import WorkTextId
from matcher.align.overlap_kernels import Resolved, carried_matches, resolve
from matcher.align.segments import TEXT, Segments
from matcher.calibration import Calibration

ALONE = np.array([0, 1], np.int64)


class ResolvedSegments(NamedTuple):
    """The segments that each text keeps of a page, and the lost ones."""

    resolved: Resolved

    def by_text(self) -> Iterator[tuple[int, Segments]]:
        """Yield each text that keeps something, with its segments in order of the page."""
        kept, starts = self.resolved.kept, self.resolved.starts.tolist()
        for start, end in pairwise(starts):
            yield kept.item(start, TEXT), kept[start:end]

    @property
    def has_losers(self) -> bool:
        """True if any text lost something to another."""
        return len(self.resolved.lost) > 0

    def other_carriers(self, text: int, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> list[tuple[int, int]]:
        """Return the texts that lost parts of the passages [starts, ends) to `text`, with their matching tokens."""
        found = carried_matches(self.resolved.lost, self.resolved.winners, text, starts, ends).tolist()
        return [(other, matches) for other, matches in found]


def resolve_overlaps(
    segments: Segments, names: Mapping[int, WorkTextId], page_tokens: int, calibration: Calibration
) -> ResolvedSegments:
    """Choose the segments that each text keeps. segments: at least one.

    names: of the texts; of equal bids the first name wins, independently of the numbers in an index.
    """
    if len(segments) == 1:
        return ResolvedSegments(Resolved(segments, ALONE, segments[:0], segments[:0, TEXT]))
    ranks = {text: rank for rank, text in enumerate(sorted(names, key=names.__getitem__))}
    rank_of = np.array([ranks[text] for text in segments[:, TEXT].tolist()], np.int32)
    return ResolvedSegments(
        resolve(segments, rank_of, page_tokens, calibration.max_overlap_of_claims, calibration.home_bonus)
    )
