"""The loops of chaining: join neighbouring segments by the gap between them and their sizes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.segments import (
    MATCHES,
    PAGE_END,
    PAGE_START,
    WORK_END,
    WORK_START,
    Segments,
)

NEVER = 1e18


class JoiningLimits(NamedTuple):
    """The thresholds of joining, as matcher.calibration names them."""

    max_page_gap: int
    max_work_gap: int
    max_free_page_gap: int
    max_sheltered_page_gap: int
    max_page_gap_share: float
    max_inserted_share: float
    max_work_gap_of_insertion: int
    max_free_work_gap: int
    max_work_gap_share: float
    max_free_share_of_leap: float


class TakenStretches(NamedTuple):
    """Stretches of a work in order, and the number of tokens in those before each."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    before: NDArray[np.int64]


@kernel()
def join_neighbours(ordered: Segments, limits: JoiningLimits) -> NDArray[np.int64]:
    """Return the first rows of runs of joined segments, int64[n]. ordered: of one text by page, not empty.

    Joined segments grow and can bridge more, so that the order of joining does not matter.
    """
    needed, is_sheltered = _needed_tokens(ordered, limits)
    tokens, firsts = ordered[:, MATCHES].astype(np.int64), np.arange(len(ordered))
    before, size = len(ordered) + 1, len(ordered)
    while size < before:
        before, size = size, 1
        for run in range(1, before):
            gap = firsts[run] - 1
            ours, others = tokens[size - 1], tokens[run]
            if (max(ours, others) if is_sheltered[gap] else min(ours, others)) >= needed[gap]:
                tokens[size - 1] += tokens[run]
            else:
                tokens[size], firsts[size] = tokens[run], firsts[run]
                size += 1
    return firsts[:size]


@kernel()
def _needed_tokens(ordered: Segments, limits: JoiningLimits) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the tokens that both sides of each gap need for a bridge, float64[segments - 1].

    bool[segments - 1]: where it is enough that one side has: the work goes on, or has both pieces in one stretch.
    """
    taken = _taken_stretches(ordered)
    needed, is_sheltered = np.empty(len(ordered) - 1, np.float64), np.empty(len(ordered) - 1, np.bool_)
    reached = 0
    for number in range(len(ordered) - 1):
        before, after = ordered[number], ordered[number + 1]
        reached = max(reached, as_int(before[PAGE_END]))
        page_gap = max(as_int(after[PAGE_START]) - reached, 0)
        low = min(as_int(after[WORK_END]), as_int(before[WORK_END]))
        high = max(as_int(after[WORK_START]), as_int(before[WORK_START]), low)
        work_gap = high - low - (_count_taken(taken, high) - _count_taken(taken, low))
        on = as_int(after[WORK_START]) - as_int(before[WORK_END])
        is_little = _is_little(page_gap, work_gap, high - low, on, limits)
        is_sheltered[number] = is_little and page_gap <= limits.max_sheltered_page_gap
        needed[number] = max(
            _for_page(page_gap, on, limits), 0.0 if is_little else work_gap / limits.max_work_gap_share
        )
        if page_gap > limits.max_page_gap or work_gap > limits.max_work_gap:
            needed[number] = NEVER
    return needed, is_sheltered


@kernel(allocates=False)
def _is_little(page_gap: int, work_gap: int, leap: int, on: int, limits: JoiningLimits) -> bool:
    """Return whether the work goes on, or leaves out what counts for nothing: where the page goes on at once it may."""
    is_cut = page_gap <= limits.max_free_page_gap and on >= -limits.max_work_gap_of_insertion
    return is_cut or work_gap <= limits.max_free_work_gap or work_gap <= limits.max_free_share_of_leap * leap


@kernel(allocates=False)
def _for_page(page_gap: int, on: int, limits: JoiningLimits) -> float:
    if page_gap <= limits.max_free_page_gap:
        return 0.0
    is_insertion = abs(on) <= limits.max_work_gap_of_insertion
    return page_gap / (limits.max_inserted_share if is_insertion else limits.max_page_gap_share)


@kernel()
def _taken_stretches(ordered: Segments) -> TakenStretches:
    """Return the disjoint stretches of the work in segments, and the tokens taken before each."""
    order = np.argsort(ordered[:, WORK_START])
    starts, ends, before = (
        np.empty(order.size, np.int64),
        np.empty(order.size, np.int64),
        np.zeros(order.size, np.int64),
    )
    count = 0
    for row in order:
        start, end = as_int(ordered[row, WORK_START]), as_int(ordered[row, WORK_END])
        if count and start <= ends[count - 1]:
            ends[count - 1] = max(ends[count - 1], end)
            continue
        starts[count], ends[count] = start, end
        before[count] = before[count - 1] + ends[count - 1] - starts[count - 1] if count else 0
        count += 1
    return TakenStretches(starts[:count], ends[:count], before[:count])


@kernel(allocates=False)
def _count_taken(taken: TakenStretches, place: int) -> int:
    """Count the taken tokens of the work before a place."""
    low, high = 0, taken.starts.size
    while low < high:
        middle = (low + high) >> 1
        if taken.starts[middle] <= place:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return 0
    return as_int(taken.before[low - 1] + min(place, taken.ends[low - 1]) - taken.starts[low - 1])
