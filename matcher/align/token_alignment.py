"""Describes the alignment of a passage: runs of aligned tokens, and gaps with tokens on one side only."""

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
    gaps      int32[m, 5]  stretches without counterparts, in order of the page
    moved     int32[k, 4]  pieces in another order than the rest: page start, page end, work start, work end
    displaced              number of pieces before which the work jumps back, by more than a transposition
    covered                number of work tokens that have a counterpart or were rewritten
    """

    runs: Runs
    gaps: Gaps
    moved: Pieces
    displaced: int
    covered: int


@kernel()
def align_tokens(aligned_to: NDArray[np.int32], page_start: int) -> TokenAlignment:
    """Return the runs and gaps of an alignment, and its moved pieces.

    aligned_to: the work token of each page token from `page_start` on, or UNALIGNED.

    A piece ends if the next aligned token precedes its end in the work, or skips tokens that another piece contains.
    The longest chain of pieces in which each follows the previous one in the work is in order; all other pieces are
    moved. Work tokens that no piece contains, between the first and the last work token of any piece, were deleted.
    """
    runs = _find_runs(aligned_to, page_start)
    gaps, pieces = np.empty((0, RANGE_COLUMNS), np.int32), np.empty((0, RANGE_COLUMNS - 1), np.int32)
    if not len(runs):
        return TokenAlignment(runs, gaps, pieces, 0, 0)
    first, end = as_int(runs[:, IN_WORK].min()), as_int((runs[:, IN_WORK] + runs[:, SIZE]).max())
    page_after = np.full(
        end - first + 1, UNALIGNED, np.int32
    )  # the page token after the run that ends before each token
    aligned_before = np.zeros(end - first + 1, np.int32)
    _count_aligned(runs, aligned_before, page_after, first)
    gaps = np.empty((2 * len(runs), RANGE_COLUMNS), np.int32)
    starts = np.zeros(len(runs), np.int64)  # of the pieces, as indexes of `runs`
    count, size, displaced, is_in_order, covered = 0, 1, 0, True, as_int(aligned_before[-1])
    for number in range(1, len(runs)):
        next_page_start, next_work_start = runs[number, ON_PAGE], runs[number, IN_WORK]
        page_end = runs[number - 1, ON_PAGE] + runs[number - 1, SIZE]
        work_end = runs[number - 1, IN_WORK] + runs[number - 1, SIZE]
        is_next = (
            next_work_start >= work_end and aligned_before[next_work_start - first] == aligned_before[work_end - first]
        )
        page_gap, work_gap = next_page_start - page_end, next_work_start - work_end if is_next else 0
        if page_gap and work_gap and max(page_gap, work_gap) <= MAX_RATIO_OF_REPLACED * min(page_gap, work_gap):
            count = _add_gap(gaps, count, REWRITTEN, page_end, next_page_start, work_end, next_work_start)
            covered += work_gap if page_after[work_end - first] != UNALIGNED else 0
            page_after[work_end - first] = UNALIGNED  # not left out
        elif page_gap:
            count = _add_gap(gaps, count, ONLY_PAGE, page_end, next_page_start, work_end, work_end)
        if not is_next:
            starts[size] = number
            size += 1
            is_in_order = is_in_order and next_work_start >= work_end
            displaced += next_work_start < work_end - MAX_TRANSPOSED
    count = _add_deletions(gaps, count, aligned_before, page_after, first)
    gaps = gaps[:count][np.argsort(gaps[:count, FROM_PAGE] * 2 + (gaps[:count, KIND] != ONLY_WORK), kind="mergesort")]
    return TokenAlignment(
        runs, gaps, pieces if is_in_order else _find_moved_pieces(runs, starts[:size]), displaced, covered
    )


@kernel()
def _find_runs(aligned_to: NDArray[np.int32], page_start: int) -> Runs:
    count, last = 0, UNALIGNED
    for work_index in aligned_to:
        count += work_index != UNALIGNED and (last == UNALIGNED or work_index != last + 1)
        last = work_index
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
def _count_aligned(runs: Runs, aligned_before: NDArray[np.int32], page_after: NDArray[np.int32], first: int) -> None:
    """Count the aligned tokens before each work token.

    aligned_before: the result, initially all 0. page_after: filled in with the page token after the run that ends
    before each work token.
    """
    for number in range(len(runs)):
        start, size = as_int(runs[number, IN_WORK]) - first, as_int(runs[number, SIZE])
        for position in range(start + 1, start + size + 1):
            aligned_before[position] = 1
        page_after[start + size] = runs[number, ON_PAGE] + size
    total = 0
    for position in range(1, aligned_before.size):
        total += as_int(aligned_before[position])
        aligned_before[position] = total


@kernel()
def _find_moved_pieces(runs: Runs, starts: NDArray[np.int64]) -> Pieces:
    """Return all pieces outside the longest chain (by tokens) that ascends both on the page and in the work."""
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
        node = as_int(pieces[number, 2]) - start + 1
        while node:
            candidate = longest[node]
            if candidate != UNALIGNED and (before[number] == UNALIGNED or sizes[candidate] > sizes[before[number]]):
                before[number] = candidate
            node &= node - 1
        sizes[number] = (sizes[before[number]] if before[number] != UNALIGNED else 0) + runs[
            first : last + 1, SIZE
        ].sum()
        if sizes[number] > sizes[best]:
            best = number
        node = as_int(pieces[number, 3]) - start + 1
        while node < longest.size:
            if longest[node] == UNALIGNED or sizes[number] > sizes[longest[node]]:
                longest[node] = number
            node += node & -node
    while best != UNALIGNED:
        is_moved[best] = False
        best = before[best]
    return pieces[is_moved]


@kernel(allocates=False)
def _add_deletions(
    gaps: Gaps, count: int, aligned_before: NDArray[np.int32], page_after: NDArray[np.int32], first: int
) -> int:
    """Add a gap for each stretch of the work without a counterpart; return the new number of gaps.

    On the page, the gap is at the end of the text that precedes it in the work.
    """
    start = 0
    while start < aligned_before.size - 1:
        end = start
        while end < aligned_before.size - 1 and aligned_before[end + 1] == aligned_before[start]:
            end += 1
        if end > start and page_after[start] != UNALIGNED:
            count = _add_gap(gaps, count, ONLY_WORK, page_after[start], page_after[start], first + start, first + end)
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
