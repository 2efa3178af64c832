"""The alignment of a passage as pairs of tokens, and what stands on one side only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.jump_alignment import UNALIGNED

# A page gap and a work gap of like size between two pairs are one passage rewritten; else something was put in or
# left out. 3: an advertisement is seldom less than three times as long as the tokens that alignment loses beside it.
MAX_RATIO_OF_REPLACED = 3

# Rows of pairs.
ON_PAGE, IN_WORK = range(2)
# Rows of gaps, and of changes: what it is, page start, page end, work start, work end (tokens).
RANGE_COLUMNS = 5
KIND, FROM_PAGE, TO_PAGE, FROM_WORK, TO_WORK = range(RANGE_COLUMNS)
ONLY_PAGE, ONLY_WORK, REWRITTEN = range(3)  # kinds of gaps

Pairs = NDArray[np.int32]
Gaps = NDArray[np.int32]
Pieces = NDArray[np.int32]


class TokenAlignment(NamedTuple):
    """A passage aligned.

    pairs    int32[n, 2]  page and work tokens that stand for one another, in order of the page
    gaps     int32[m, 5]  what has no counterpart, in order of the page
    moved    int32[k, 4]  pieces that stand in another order than the rest: page start, page end, work start, work end
    displaced             pieces that stand before the one that they follow on the page
    """

    pairs: Pairs
    gaps: Gaps
    moved: Pieces
    displaced: int


@kernel()
def align_tokens(aligned_to: NDArray[np.int32], page_start: int) -> TokenAlignment:
    """Pairs and gaps of a passage. aligned_to: the work token of each page token from `page_start` on, or UNALIGNED.

    A piece ends where the next token begins before the end of it, or skips what another has. Those are moved that
    are not in the longest chain in which each piece stands behind the one before it in the work. What no piece has,
    from the first token of the work that one has to the last, was left out.
    """
    pairs = _pairs(aligned_to, page_start)
    if not len(pairs):
        return TokenAlignment(
            pairs, np.empty((0, RANGE_COLUMNS), np.int32), np.empty((0, RANGE_COLUMNS - 1), np.int32), 0
        )
    first, end = pairs[:, IN_WORK].min(), pairs[:, IN_WORK].max() + 1
    is_used = np.zeros(end - first, np.bool_)
    behind = np.full(end - first, UNALIGNED, np.int32)  # the page token behind each work token that has a counterpart
    for here, there in pairs:
        is_used[there - first] = True
        behind[there - first] = here + 1
    used = np.concatenate((np.zeros(1, np.int64), np.cumsum(is_used)))
    gaps = np.empty((2 * len(pairs) + len(is_used) + 2, RANGE_COLUMNS), np.int32)
    starts = np.zeros(len(pairs), np.int64)  # of the pieces, in `pairs`
    count, pieces, displaced = 0, 1, 0
    for number in range(1, len(pairs)):
        here, there = pairs[number]
        page_at, work_at = pairs[number - 1, ON_PAGE] + 1, pairs[number - 1, IN_WORK] + 1
        is_next = there >= work_at and used[there - first] == used[work_at - first]
        page_gap, work_gap = here - page_at, there - work_at if is_next else 0
        if page_gap and work_gap and max(page_gap, work_gap) <= MAX_RATIO_OF_REPLACED * min(page_gap, work_gap):
            count = _add_gap(gaps, count, REWRITTEN, page_at, here, work_at, there)
            is_used[work_at - first : there - first] = True
            behind[there - 1 - first] = here
        elif page_gap:
            count = _add_gap(gaps, count, ONLY_PAGE, page_at, here, work_at, work_at)
        if not is_next:
            starts[pieces] = number
            pieces += 1
            displaced += there < work_at
    count = _add_left_out(gaps, count, is_used, behind, pairs[0, ON_PAGE], first)
    gaps = gaps[:count][np.argsort(gaps[:count, FROM_PAGE] * 2 + (gaps[:count, KIND] != ONLY_WORK), kind="mergesort")]
    moved = _moved(pairs, starts[:pieces]) if displaced else np.empty((0, RANGE_COLUMNS - 1), np.int32)
    return TokenAlignment(pairs, gaps, moved, displaced)


@kernel()
def _moved(pairs: Pairs, starts: NDArray[np.int64]) -> Pieces:
    """The pieces that begin at these pairs, but for the chain in order of both sides that has most tokens."""
    size = starts.size
    pieces, sizes = np.empty((size, RANGE_COLUMNS - 1), np.int32), np.empty(size, np.int64)
    before, is_moved = np.full(size, UNALIGNED, np.int64), np.ones(size, np.bool_)
    best = 0
    for number in range(size):
        first, last = starts[number], (starts[number + 1] if number + 1 < size else len(pairs)) - 1
        pieces[number, 0], pieces[number, 1] = pairs[first, ON_PAGE], pairs[last, ON_PAGE] + 1
        pieces[number, 2], pieces[number, 3] = pairs[first, IN_WORK], pairs[last, IN_WORK] + 1
        most = 0
        for other in range(number):
            if pieces[other, 3] <= pieces[number, 2] and sizes[other] > most:
                most, before[number] = sizes[other], other
        sizes[number] = most + last + 1 - first
        if sizes[number] > sizes[best]:
            best = number
    while best != UNALIGNED:
        is_moved[best] = False
        best = before[best]
    return pieces[is_moved]


@kernel()
def _pairs(aligned_to: NDArray[np.int32], page_start: int) -> Pairs:
    places = np.flatnonzero(aligned_to != UNALIGNED)
    pairs = np.empty((places.size, 2), np.int32)
    for number in range(places.size):
        pairs[number, ON_PAGE], pairs[number, IN_WORK] = page_start + places[number], aligned_to[places[number]]
    return pairs


@kernel(allocates=False)
def _add_left_out(  # noqa: PLR0917
    gaps: Gaps, count: int, is_used: NDArray[np.bool_], behind: NDArray[np.int32], page_at: int, first: int
) -> int:
    """What of the work has no counterpart, each run at the place behind what precedes it in the work."""
    start = 0
    while start < is_used.size:
        if is_used[start]:
            start += 1
            continue
        end = start
        while end < is_used.size and not is_used[end]:
            end += 1
        place = behind[start - 1] if start else page_at
        count = _add_gap(gaps, count, ONLY_WORK, place, place, first + start, first + end)
        start = end
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
