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
    """Two sentences that say the same, as ranges of the texts as given. strength: [0, 1], 1 for the same wording."""

    page: TextRange
    work: TextRange
    strength: float


@dataclass(frozen=True, slots=True)
class RewordedMatch:
    """A lead: a statistical comparison of meaning, which proves no copying.

    score: of the block of 16 sentences of the page with the best, what it says in other words (`other_words`; all of a
    translation), less 1.5 times `elsewhere`, what the block has with another place of the works too (`rivals`; 0 of a
    translation, whose other places are not looked at); without an upper bound, not a share. band: how often innocent
    passages reached as much, None if that was not measured.
    pairs: by the page.
    """

    found: RewordedClass
    text_id: WorkTextId
    score: float
    elsewhere: float
    band: Band | None
    pairs: tuple[RewordedPair, ...]

    @property
    def in_order(self) -> int:
        """The most pairs that stand in the same order on both sides; several may share one of the work."""
        return len(longest_in_order([pair.work.start for pair in self.pairs]))


def longest_in_order(starts: Sequence[int]) -> set[int]:
    """Return the numbers of a longest row that never falls: as many as can stand in one order on both sides.

    >>> sorted(longest_in_order([10, 50, 20, 20, 30]))
    [0, 2, 3, 4]
    """
    ends: list[int] = []  # the least place at which a row of each length ends, and below whose it is
    last: list[int] = []
    before: list[int | None] = []
    for number, start in enumerate(starts):
        length = bisect_right(ends, start)
        before.append(last[length - 1] if length else None)
        ends[length : length + 1] = [start]
        last[length : length + 1] = [number]
    found: set[int] = set()
    at = last[-1] if last else None
    while at is not None:
        found.add(at)
        at = before[at]
    return found
