"""From aligned tokens to changes and figures in one walk along a passage."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.pair_kinds import NOISE, REPLACED, SAME, SCRIPT, CharacterTables, Stretch, classify_pair
from matcher.align.token_alignment import (
    ELSEWHERE,
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
    rewritten, first_moved = _count_gaps(gaps)
    ranges, range_count = np.empty((pairs.shape[0] + rewritten, 2), np.int32), 0
    changes, count = np.empty((gaps.shape[0] + 64, RANGE_COLUMNS), np.int32), 0
    work_matched = np.empty(pairs.shape[0], np.int32)
    matched, same, longest, run = 0, 0, 0, 0
    gap, moved = 0, first_moved
    next_start = _next_start(gaps, gap, moved, first_moved)
    for number in range(pairs.shape[0]):
        here, there = pairs[number, ON_PAGE], pairs[number, IN_WORK]
        place = Place(here, here + 1, there, there + 1)
        if next_start <= here:
            changes, count, gap, moved = _add_gaps_up_to(place, gaps, gap, moved, first_moved, changes, count, numbers)
            next_start = _next_start(gaps, gap, moved, first_moved)
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
    changes, count, gap, moved = _add_gaps_up_to(end, gaps, gap, moved, first_moved, changes, count, numbers)
    for number in range(first_moved):
        if gaps[number, KIND] == REWRITTEN:
            ranges[range_count] = gaps[number, FROM_WORK:]
            range_count += 1
    changes = changes[:count]
    totals = sum_up(changes, numbers.kinds)
    return PassageChanges(changes, ranges[:range_count], work_matched[:matched], totals, matched, same, longest)


@kernel(allocates=False)
def _count_gaps(gaps: Gaps) -> tuple[int, int]:
    """How many gaps are rewritten text, and which is the first of what stands elsewhere: these come last."""
    rewritten, first_moved = 0, gaps.shape[0]
    for number in range(gaps.shape[0]):
        rewritten += gaps[number, KIND] == REWRITTEN
        if gaps[number, KIND] == ELSEWHERE:
            first_moved = min(first_moved, number)
    return rewritten, first_moved


@kernel(allocates=False)
def _next_start(gaps: Gaps, gap: int, moved: int, first_moved: int) -> int:
    """Page start of the next gap of either kind; beyond every page where there is none."""
    start = 1 << 62
    if gap < first_moved:
        start = min(start, int(gaps[gap, FROM_PAGE]))
    if moved < gaps.shape[0]:
        start = min(start, int(gaps[moved, FROM_PAGE]))
    return start


@kernel()
def _add_gaps_up_to(  # noqa: PLR0917
    place: Place,
    gaps: Gaps,
    gap: int,
    moved: int,
    first_moved: int,
    changes: Changes,
    count: int,
    numbers: ChangeNumbers,
) -> tuple[Changes, int, int, int]:
    """Write down the gaps that come before a pair or at it, of the two lists in their common order.

    gap, moved: the next of each list, which `first_moved` parts. Returns changes and count, and the next of each.
    """
    while gap < first_moved or moved < gaps.shape[0]:
        at = gap if gap < first_moved else moved
        if moved < gaps.shape[0] and _place_of(gaps[moved]) < _place_of(gaps[at]):
            at = moved
        if _place_of(gaps[at]) > place:
            break
        changes, count = _add_change(changes, count, numbers.of_gap[gaps[at, KIND]], _place_of(gaps[at]))
        gap, moved = gap + (at < first_moved), moved + (at >= first_moved)
    return changes, count, gap, moved


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
