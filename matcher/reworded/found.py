"""Matches in other words: a text, a score, and the pairs of corresponding sentences."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.ids import WorkTextId
from core.matches import RewordedClass
from core.text import TextRange
from matcher.reworded.calibration import Band


@dataclass(frozen=True, slots=True)
class RewordedPair:
    """Two sentences that mean the same, as ranges of the texts as given. strength: [0, 1], 1 for the same wording."""

    page: TextRange
    work: TextRange
    strength: float


@dataclass(frozen=True, slots=True)
class RewordedMatch:
    """A lead: a statistical comparison of meaning, which proves no copying.

    score: the score of text in other words (of all text for a translation) in the best block of 16 sentences, minus 1.5
    times `elsewhere`. It has no upper bound and is not a share. elsewhere: the block's score in another part of the
    works; 0 for a translation. band: how often innocent passages reach this score, or None if this was not measured.
    pairs: in order of the page.
    """

    found: RewordedClass
    text_id: WorkTextId
    score: float
    elsewhere: float
    band: Band | None
    pairs: tuple[RewordedPair, ...]

    @property
    def in_order(self) -> int:
        """The largest number of pairs in the same order on both sides; several may share a sentence of the work."""
        return len(longest_in_order([pair.work.start for pair in self.pairs]))


def longest_in_order(starts: Sequence[int]) -> set[int]:
    """Return the indexes of a longest non-decreasing subsequence: the most pairs in the same order on both sides.

    >>> sorted(longest_in_order([10, 50, 20, 20, 30]))
    [0, 2, 3, 4]
    """
    ends: list[int] = []  # the least end of a subsequence of each length, and its index
    last_indexes: list[int] = []
    predecessors: list[int | None] = []
    for number, start in enumerate(starts):
        length = bisect_right(ends, start)
        predecessors.append(last_indexes[length - 1] if length else None)
        ends[length : length + 1] = [start]
        last_indexes[length : length + 1] = [number]
    indexes: set[int] = set()
    index = last_indexes[-1] if last_indexes else None
    while index is not None:
        indexes.add(index)
        index = predecessors[index]
    return indexes
