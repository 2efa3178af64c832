"""From aligned tokens to changes and figures in one walk along a passage."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.pair_kinds import NOISE, REPLACED, SAME, SCRIPT, CharacterTables, Stretch, classify_pair
from matcher.align.token_alignment import (
    FROM_PAGE,
    FROM_WORK,
    IN_WORK,
    KIND,
    ON_PAGE,
    RANGE_COLUMNS,
    REWRITTEN,
    TO_PAGE,
    TO_WORK,
    Gaps,
    Pairs,
)

PLACES, TOKENS, FIRST = range(3)  # columns of totals

Changes = NDArray[np.int32]
WorkRanges = NDArray[np.int32]
WorkTokens = NDArray[np.int32]
Totals = NDArray[np.int32]


class ChangeNumbers(NamedTuple):
    """Numbers of changes, by what became of a pair and by the kind of a gap; kinds: how many numbers there are."""

    of_pair: NDArray[np.int32]
    of_gap: NDArray[np.int32]
    kinds: int


class Place(NamedTuple):
    """A range of the page and one of the work; tokens. Ordered as changes are."""

    page_start: int
    page_end: int
    work_start: int
    work_end: int


class PassageChanges(NamedTuple):
    """The changes of a passage and its figures.

    changes      int32[c, 5]      number, page start, page end, work start, work end; in order of the page
    work_ranges  int32[r, 2]      of the work, with a counterpart on the page
    work_matched int32[m]         tokens of the work that are among `matched`, in order of the page
    totals       int32[kinds, 3]  how many changes of each kind, tokens of their longer sides, row of the first
    matched                       tokens that stand for one another
    same                          of these, tokens that are one character, in whatever script
    longest_run                   of matched tokens
    """

    changes: Changes
    work_ranges: WorkRanges
    work_matched: WorkTokens
    totals: Totals
    matched: int
    same: int
    longest_run: int


@kernel()
def classify_changes(  # noqa: PLR0917 - kernels take no keywords
    pairs: Pairs, gaps: Gaps, page: Stretch, work: Stretch, tables: CharacterTables, numbers: ChangeNumbers
) -> PassageChanges:
    """What was changed in a passage; changes of one kind that touch on both sides are one.

    pairs, gaps: as matcher.align.token_alignment gives them. page, work: all tokens that the passage spans.
    """
    rewritten = np.count_nonzero(gaps[:, KIND] == REWRITTEN)
    ranges, range_count = np.empty((pairs.shape[0] + rewritten, 2), np.int32), 0
    changes, count = np.empty((gaps.shape[0] + 64, RANGE_COLUMNS), np.int32), 0
    work_matched = np.empty(pairs.shape[0], np.int32)
    matched, same, longest, run = 0, 0, 0, 0
    gap = 0
    for number in range(pairs.shape[0]):
        here, there = pairs[number, ON_PAGE], pairs[number, IN_WORK]
        place = Place(here, here + 1, there, there + 1)
        if gap < gaps.shape[0] and gaps[gap, FROM_PAGE] <= here:
            changes, count, gap = _add_gaps_up_to(place, gaps, gap, changes, count, numbers)
        kind = classify_pair(page, work, here, there, tables)
        if kind != SAME:
            changes, count = _add_change(changes, count, numbers.of_pair[kind], place)
        is_loose = kind in (REPLACED, NOISE)
        work_matched[matched] = there  # written over by the next one where this is loose
        matched += not is_loose
        same += kind in (SAME, SCRIPT)
        follows = number > 0 and there == pairs[number - 1, IN_WORK] + 1
        range_count = _add_to_ranges(ranges, range_count, there, follows)
        is_next = follows and here == pairs[number - 1, ON_PAGE] + 1
        run = 0 if is_loose else run + 1 if is_next else 1
        longest = max(longest, run)
    end = Place(page.start + page.tokens.size + 1, 0, 0, 0)
    changes, count, gap = _add_gaps_up_to(end, gaps, gap, changes, count, numbers)
    for number in range(gaps.shape[0]):
        if gaps[number, KIND] == REWRITTEN:
            ranges[range_count] = gaps[number, FROM_WORK:]
            range_count += 1
    changes = changes[:count]
    totals = sum_up(changes, numbers.kinds)
    return PassageChanges(changes, ranges[:range_count], work_matched[:matched], totals, matched, same, longest)


@kernel()
def _add_gaps_up_to(  # noqa: PLR0917
    place: Place, gaps: Gaps, gap: int, changes: Changes, count: int, numbers: ChangeNumbers
) -> tuple[Changes, int, int]:
    """Write down the gaps from number `gap` on that come before a pair or at it; changes, count, the next gap."""
    while gap < gaps.shape[0] and _place_of(gaps[gap]) <= place:
        changes, count = _add_change(changes, count, numbers.of_gap[gaps[gap, KIND]], _place_of(gaps[gap]))
        gap += 1
    return changes, count, gap


@kernel(allocates=False)
def _place_of(row: NDArray[np.int32]) -> Place:
    return Place(row[FROM_PAGE], row[TO_PAGE], row[FROM_WORK], row[TO_WORK])


@kernel()
def _add_change(changes: Changes, count: int, number: int, place: Place) -> tuple[Changes, int]:
    """Write down a change, or lengthen the last one by it; the changes and how many there are."""
    if count:
        last = changes[count - 1]
        if last[KIND] == number and last[TO_PAGE] == place.page_start and last[TO_WORK] == place.work_start:
            last[TO_PAGE], last[TO_WORK] = place.page_end, place.work_end
            return changes, count
    if count == changes.shape[0]:
        longer = np.empty((2 * count, RANGE_COLUMNS), np.int32)
        longer[:count] = changes
        changes = longer
    row = changes[count]
    row[KIND] = number
    row[FROM_PAGE], row[TO_PAGE] = place.page_start, place.page_end
    row[FROM_WORK], row[TO_WORK] = place.work_start, place.work_end
    return changes, count + 1


@kernel(allocates=False)
def _add_to_ranges(ranges: WorkRanges, count: int, there: int, follows: bool) -> int:
    """Lengthen the last range by a token of the work that follows it, or begin another."""
    if follows:
        ranges[count - 1, 1] += 1
        return count
    ranges[count, 0], ranges[count, 1] = there, there + 1
    return count + 1


@kernel()
def sum_up(changes: Changes, kinds: int) -> Totals:
    """int32[kinds, 3]: how many changes of each kind, tokens of their longer sides, row of the first."""
    totals = np.zeros((kinds, 3), np.int32)
    for number in range(changes.shape[0]):
        row = changes[number]
        total = totals[row[KIND]]
        if total[PLACES] == 0:
            total[FIRST] = number
        total[PLACES] += 1
        total[TOKENS] += max(row[TO_PAGE] - row[FROM_PAGE], row[TO_WORK] - row[FROM_WORK])
    return totals
