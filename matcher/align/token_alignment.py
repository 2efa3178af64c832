"""The alignment of a passage, token by token: pairs, and what stands on one side only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.segments import (
    NO_TRACEBACK,
    PAGE_END,
    PAGE_SEED,
    PAGE_START,
    TRACEBACK,
    WORK_SEED,
    WORK_START,
    Segments,
    Tracebacks,
)
from matcher.align.token_agreement import Bounds, NearTokens, Position, Tokens
from matcher.align.xdrop import UNALIGNED, XDropLimits, extend_xdrop, working_memory

# A page gap and a work gap of like size between two segments are one passage rewritten; else something was put in or
# left out. 3: an advertisement is seldom less than three times as long as the tokens that alignment loses beside it.
MAX_RATIO_OF_REPLACED = 3
MAX_OVERLAP_TO_TRIM_TOKENS = 40

# Rows of pairs.
ON_PAGE, IN_WORK = range(2)
# Rows of gaps, and of changes: what it is, page start, page end, work start, work end (tokens).
RANGE_COLUMNS = 5
KIND, FROM_PAGE, TO_PAGE, FROM_WORK, TO_WORK = range(RANGE_COLUMNS)
ONLY_PAGE, ONLY_WORK, REWRITTEN, ELSEWHERE = range(4)  # kinds of gaps
PIECE_PAGE, PIECE_START, PIECE_END = range(3)  # rows of pieces: page start, work start, work end

Pairs = NDArray[np.int32]
Gaps = NDArray[np.int32]


class TokenAlignment(NamedTuple):
    """A passage aligned.

    pairs    int32[n, 2]  page and work tokens that stand for one another, in order of the page
    gaps     int32[m, 5]  what has no counterpart; those of kind ELSEWHERE last
    displaced             segments that stand in another order than in the work
    """

    pairs: Pairs
    gaps: Gaps
    displaced: int


@kernel()
def align_tokens(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, near: NearTokens, work: Tokens, segments: Segments, tracebacks: Tracebacks, limits: XDropLimits
) -> TokenAlignment:
    """Align a passage. segments: in order of the page; tracebacks: theirs.

    Where two segments overlap, the later one loses what the earlier has. In another order than the work's, what is
    skipped at one place stands elsewhere on the page: nothing counts as left out between segments.
    """
    total = 0
    for row in segments:
        total += row[PAGE_END] - row[PAGE_START]
    pairs, pair_count = np.empty((total, 2), np.int32), 0
    gaps, gap_count = np.empty((2 * total + 4 * len(segments) + 4, RANGE_COLUMNS), np.int32), 0
    pieces, piece_count = np.empty((len(segments), 3), np.int32), 0
    is_in_order, displaced = _is_in_order(segments), 0
    page_at, work_at = as_int(segments[0, PAGE_START]), -1
    for segment in segments:
        aligned_to = _segment_alignment(page, near, work, segment, tracebacks, limits)
        first = _first_new(segment, aligned_to, page_at, work_at)
        if first == segment[PAGE_END]:
            continue
        start = as_int(aligned_to[first - segment[PAGE_START]])
        displaced += work_at >= 0 and start < work_at
        gap_start = work_at if work_at >= 0 and is_in_order else start
        gap_count = _add_gaps_between(gaps, gap_count, Position(page_at, gap_start), Position(first, start))
        pair_count, gap_count, work_at = _add_pairs(
            aligned_to[first - segment[PAGE_START] :], first, pairs, pair_count, gaps, gap_count
        )
        page_at = as_int(segment[PAGE_END])
        row = pieces[piece_count]
        row[PIECE_PAGE], row[PIECE_START], row[PIECE_END] = first, start, work_at
        piece_count += 1
    gap_count = _add_moves(gaps, gap_count, pieces[:piece_count])
    return TokenAlignment(pairs[:pair_count], gaps[:gap_count], displaced)


@kernel(allocates=False)
def _is_in_order(segments: Segments) -> bool:
    for number in range(1, len(segments)):
        if segments[number, WORK_START] - segments[number - 1, WORK_START] < -MAX_OVERLAP_TO_TRIM_TOKENS:
            return False
    return True


@kernel()
def _segment_alignment(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    work: Tokens,
    segment: NDArray[np.int32],
    tracebacks: Tracebacks,
    limits: XDropLimits,
) -> NDArray[np.int32]:
    """int32[page tokens of the segment]: the work token of each, or UNALIGNED."""
    length, place = segment[PAGE_END] - segment[PAGE_START], segment[TRACEBACK]
    if place != NO_TRACEBACK:
        return tracebacks[place : place + length]
    aligned_to, memory = np.full(length, UNALIGNED, np.int32), working_memory()
    base, bounds = Position(as_int(segment[PAGE_START]), 0), Bounds(0, work.size)
    here, there = as_int(segment[PAGE_SEED]), as_int(segment[WORK_SEED])
    extend_xdrop(page, near, work, Position(here, there), 1, bounds, limits, memory, aligned_to, base)
    extend_xdrop(page, near, work, Position(here - 1, there - 1), -1, bounds, limits, memory, aligned_to, base)
    return aligned_to


@kernel(allocates=False)
def _first_new(segment: NDArray[np.int32], aligned_to: NDArray[np.int32], page_at: int, work_at: int) -> int:
    """The first aligned page token of a segment that the segments before it leave over; its end where there is none.

    page_at, work_at: where the segment before ended; work_at -1: there was none.
    """
    overlap = work_at - segment[WORK_START] if work_at >= 0 else 0
    least = work_at if 0 < overlap <= MAX_OVERLAP_TO_TRIM_TOKENS else 0
    start, end = segment[PAGE_START], segment[PAGE_END]
    first = max(start, page_at)
    while first < end and (aligned_to[first - start] == UNALIGNED or aligned_to[first - start] < least):
        first += 1
    return int(min(first, end))


@kernel(allocates=False)
def _add_pairs(  # noqa: PLR0917
    aligned_to: NDArray[np.int32], first: int, pairs: Pairs, pair_count: int, gaps: Gaps, gap_count: int
) -> tuple[int, int, int]:
    """Write the pairs of a segment and the gaps between them; the new counts, and the work token behind the last pair.

    aligned_to: of the page tokens from `first` on; the first of them is aligned.
    """
    expected, inserted_from, end = as_int(aligned_to[0]), -1, first + aligned_to.size
    for here in range(first, end):
        there = as_int(aligned_to[here - first])
        if there == UNALIGNED:
            inserted_from = here if inserted_from < 0 else inserted_from
            continue
        if inserted_from >= 0:
            gap_count = _add_gap(gaps, gap_count, ONLY_PAGE, inserted_from, here, expected, expected)
            inserted_from = -1
        if there > expected:
            gap_count = _add_gap(gaps, gap_count, ONLY_WORK, here, here, expected, there)
        pairs[pair_count, ON_PAGE], pairs[pair_count, IN_WORK] = here, there
        pair_count += 1
        expected = there + 1
    if inserted_from >= 0:
        gap_count = _add_gap(gaps, gap_count, ONLY_PAGE, inserted_from, end, expected, expected)
    return pair_count, gap_count, expected


@kernel()
def _add_moves(gaps: Gaps, count: int, pieces: NDArray[np.int32]) -> int:
    """Note each piece that stands elsewhere in the work than the one before it; empty on both sides.

    pieces: what each segment took, in order of the page. Elsewhere is a piece that begins before the end of the one
    before it in the work, or so far behind it that another piece of the passage (its middle: the ends of pieces overlap
    by chance) stands in between. What is skipped and stands nowhere in the passage moves nothing; so a passage in the
    order of the work has none.
    """
    middles = np.sort((pieces[:, PIECE_START] + pieces[:, PIECE_END]) // 2)
    for number in range(1, len(pieces)):
        goes_on, start = pieces[number - 1, PIECE_END], pieces[number, PIECE_START]
        is_leap = start > goes_on and np.searchsorted(middles, goes_on) < np.searchsorted(middles, start)
        if start < goes_on or is_leap:
            page_start = pieces[number, PIECE_PAGE]
            count = _add_gap(gaps, count, ELSEWHERE, page_start, page_start, start, start)
    return count


@kernel(allocates=False)
def _add_gaps_between(gaps: Gaps, count: int, start: Position, end: Position) -> int:
    """What stands between two segments: the end of one and the start of the next."""
    page_gap, work_gap = max(0, end.page - start.page), max(0, end.work - start.work)
    if page_gap and work_gap and max(page_gap, work_gap) <= MAX_RATIO_OF_REPLACED * min(page_gap, work_gap):
        return _add_gap(gaps, count, REWRITTEN, start.page, end.page, start.work, end.work)
    if page_gap:
        place = min(start.work, end.work)
        count = _add_gap(gaps, count, ONLY_PAGE, start.page, end.page, place, place)
    if work_gap:
        count = _add_gap(gaps, count, ONLY_WORK, end.page, end.page, start.work, end.work)
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
