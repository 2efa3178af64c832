"""The alignment of a passage: runs of aligned tokens, and gaps with tokens on one side only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.jump_cells import UNALIGNED
from matcher.align.transpositions import MAX_TRANSPOSED

# A page gap and a work gap of similar size between two runs are one rewritten passage; otherwise text was inserted or
# left out. 3: an advertisement is seldom less than three times as long as the tokens that alignment loses beside it.
MAX_RATIO_OF_REPLACED = 3

# Columns of runs.
RUN_COLUMNS = 3
ON_PAGE, IN_WORK, SIZE = range(RUN_COLUMNS)
# Columns of gaps and changes: kind, page start, page end, work start, work end (tokens).
RANGE_COLUMNS = 5
KIND, FROM_PAGE, TO_PAGE, FROM_WORK, TO_WORK = range(RANGE_COLUMNS)
ONLY_PAGE, ONLY_WORK, REWRITTEN = range(3)  # kinds of gaps

Runs = NDArray[np.int32]
Gaps = NDArray[np.int32]
Pieces = NDArray[np.int32]


class TokenAlignment(NamedTuple):
    """An aligned passage.

    runs      int32[n, 3]  consecutive tokens with counterparts: page start, work start, size; in order of the page
    gaps      int32[m, 5]  stretches without a counterpart, in order of the page
    moved     int32[k, 4]  pieces in another order than the rest: page start, page end, work start, work end
    displaced              pieces that precede in the work the piece they follow on the page, beyond a transposition
    covered                tokens of the work that have a counterpart or were rewritten
    """

    runs: Runs
    gaps: Gaps
    moved: Pieces
    displaced: int
    covered: int


@kernel()
def align_tokens(aligned_to: NDArray[np.int32], page_start: int) -> TokenAlignment:
    """Return runs and gaps.

    aligned_to: the work token of each page token from `page_start` on, or UNALIGNED.

    A piece ends if the next token begins before its end, or skips tokens that another piece has. Pieces are moved if
    they are not in the longest chain in which each piece follows the previous one in the work. Tokens that no piece
    has, between the first and the last work token of any piece, were left out.
    """
    runs = _counterpart_runs(aligned_to, page_start)
    gaps, pieces = np.empty((0, RANGE_COLUMNS), np.int32), np.empty((0, RANGE_COLUMNS - 1), np.int32)
    if not len(runs):
        return TokenAlignment(runs, gaps, pieces, 0, 0)
    first, end = as_int(runs[:, IN_WORK].min()), as_int((runs[:, IN_WORK] + runs[:, SIZE]).max())
    behind = np.full(end - first + 1, UNALIGNED, np.int32)  # the page token after the run that ends before each token
    used = np.zeros(end - first + 1, np.int32)
    _count_used(runs, used, behind, first)
    gaps = np.empty((2 * len(runs), RANGE_COLUMNS), np.int32)
    starts = np.zeros(len(runs), np.int64)  # of the pieces, as indexes of `runs`
    count, size, displaced, is_in_order, covered = 0, 1, 0, True, as_int(used[-1])
    for number in range(1, len(runs)):
        here, there = runs[number, ON_PAGE], runs[number, IN_WORK]
        page_at = runs[number - 1, ON_PAGE] + runs[number - 1, SIZE]
        work_at = runs[number - 1, IN_WORK] + runs[number - 1, SIZE]
        is_next = there >= work_at and used[there - first] == used[work_at - first]
        page_gap, work_gap = here - page_at, there - work_at if is_next else 0
        if page_gap and work_gap and max(page_gap, work_gap) <= MAX_RATIO_OF_REPLACED * min(page_gap, work_gap):
            count = _add_gap(gaps, count, REWRITTEN, page_at, here, work_at, there)
            covered += work_gap if behind[work_at - first] != UNALIGNED else 0
            behind[work_at - first] = UNALIGNED  # not left out
        elif page_gap:
            count = _add_gap(gaps, count, ONLY_PAGE, page_at, here, work_at, work_at)
        if not is_next:
            starts[size] = number
            size += 1
            is_in_order = is_in_order and there >= work_at
            displaced += there < work_at - MAX_TRANSPOSED
    count = _add_left_out(gaps, count, used, behind, first)
    gaps = gaps[:count][np.argsort(gaps[:count, FROM_PAGE] * 2 + (gaps[:count, KIND] != ONLY_WORK), kind="mergesort")]
    return TokenAlignment(
        runs, gaps, pieces if is_in_order else _find_moved_pieces(runs, starts[:size]), displaced, covered
    )


@kernel()
def _counterpart_runs(aligned_to: NDArray[np.int32], page_start: int) -> Runs:
    count, last = 0, UNALIGNED
    for there in aligned_to:
        count += there != UNALIGNED and (last == UNALIGNED or there != last + 1)
        last = there
    runs = np.empty((count, RUN_COLUMNS), np.int32)
    _fill_runs(runs, aligned_to, page_start)
    return runs


@kernel(allocates=False)
def _fill_runs(runs: Runs, aligned_to: NDArray[np.int32], page_start: int) -> None:
    number, start = 0, 0
    while number < len(runs):
        while aligned_to[start] == UNALIGNED:
            start += 1
        end = start + 1
        while end < aligned_to.size and aligned_to[end] == aligned_to[end - 1] + 1:
            end += 1
        runs[number, ON_PAGE], runs[number, IN_WORK], runs[number, SIZE] = (
            page_start + start,
            aligned_to[start],
            end - start,
        )
        number, start = number + 1, end


@kernel(allocates=False)
def _count_used(runs: Runs, used: NDArray[np.int32], behind: NDArray[np.int32], first: int) -> None:
    """Count, before each token of the work, the tokens with a counterpart; fill in `behind`. used: initially all 0."""
    for number in range(len(runs)):
        start, size = as_int(runs[number, IN_WORK]) - first, as_int(runs[number, SIZE])
        for place in range(start + 1, start + size + 1):
            used[place] = 1
        behind[start + size] = runs[number, ON_PAGE] + size
    total = 0
    for place in range(1, used.size):
        total += as_int(used[place])
        used[place] = total


@kernel()
def _find_moved_pieces(runs: Runs, starts: NDArray[np.int64]) -> Pieces:
    """Return the moved pieces: all pieces outside the longest chain (by tokens) that ascends on both sides."""
    size = starts.size
    pieces, sizes = np.empty((size, RANGE_COLUMNS - 1), np.int32), np.empty(size, np.int64)
    before, is_moved = np.full(size, UNALIGNED, np.int64), np.ones(size, np.bool_)
    # The piece with the longest chain among those that end at or before a token of the work, stored as a Fenwick tree.
    start = as_int(runs[:, IN_WORK].min())
    longest = np.full(as_int((runs[:, IN_WORK] + runs[:, SIZE]).max()) - start + 2, UNALIGNED, np.int64)
    best = 0
    for number in range(size):
        first, last = starts[number], (starts[number + 1] if number + 1 < size else len(runs)) - 1
        pieces[number, 0], pieces[number, 1] = runs[first, ON_PAGE], runs[last, ON_PAGE] + runs[last, SIZE]
        pieces[number, 2], pieces[number, 3] = runs[first, IN_WORK], runs[last, IN_WORK] + runs[last, SIZE]
        place = as_int(pieces[number, 2]) - start + 1
        while place:
            other = longest[place]
            if other != UNALIGNED and (before[number] == UNALIGNED or sizes[other] > sizes[before[number]]):
                before[number] = other
            place &= place - 1
        sizes[number] = (sizes[before[number]] if before[number] != UNALIGNED else 0) + runs[
            first : last + 1, SIZE
        ].sum()
        if sizes[number] > sizes[best]:
            best = number
        place = as_int(pieces[number, 3]) - start + 1
        while place < longest.size:
            if longest[place] == UNALIGNED or sizes[number] > sizes[longest[place]]:
                longest[place] = number
            place += place & -place
    while best != UNALIGNED:
        is_moved[best] = False
        best = before[best]
    return pieces[is_moved]


@kernel(allocates=False)
def _add_left_out(gaps: Gaps, count: int, used: NDArray[np.int32], behind: NDArray[np.int32], first: int) -> int:
    """Add the stretches of the work without a counterpart, each after the text that precedes it in the work."""
    start = 0
    while start < used.size - 1:
        end = start
        while end < used.size - 1 and used[end + 1] == used[start]:
            end += 1
        if end > start and behind[start] != UNALIGNED:
            count = _add_gap(gaps, count, ONLY_WORK, behind[start], behind[start], first + start, first + end)
        start = end + 1
    return count


@kernel(allocates=False)
def _add_gap(  # noqa: PLR0917
    gaps: Gaps, count: int, kind: int, page_start: int, page_end: int, work_start: int, work_end: int
) -> int:
    row = gaps[count]
    row[KIND] = kind
    row[FROM_PAGE], row[TO_PAGE] = page_start, page_end
    row[FROM_WORK], row[TO_WORK] = work_start, work_end
    return count + 1
