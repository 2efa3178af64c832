"""Greedy extension with gaps: the best alignment on one side of a position.

Computes the furthest-reaching points by number of edits (Ukkonen 1985, Myers 1986) with X-drop (Zhang et al. 2000).
Time grows with the edits, not with the length. A match counts 1, an edit -1, a wildcard 0. See
docs/decisions/matching.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.token_agreement import NearTokens, TokenBounds, TokenPosition, Tokens, agreeing_run
from matcher.calibration import XDropLimits

DEAD = -(1 << 28)
# The most diagonals that one wave may hold, a power of two; the drop of 16 keeps at most 33 alive.
WIDTH = 128


class Wave(NamedTuple):
    """The furthest-reaching points after a number of edits: the page token and the matches up to it, by diagonal."""

    furthest: NDArray[np.int32]
    matches: NDArray[np.int32]


class Memory(NamedTuple):
    """The working memory of an extension: the previous wave and the current wave."""

    previous: Wave
    current: Wave


class Remainder(NamedTuple):
    """The tokens still to be aligned: their start, the direction, and their number on both sides."""

    page_start: int
    work_start: int
    direction: int
    page_left: int
    work_left: int


class Peak(NamedTuple):
    """The point with the best score so far.

    wave: the number of edits up to it, or -1 if there is no such point; reached: the page tokens up to it.
    """

    score: int
    wave: int
    diagonal: int
    reached: int


class Extension(NamedTuple):
    """The best alignment on one side of a position: its score, its length on both sides, and its matches."""

    score: int
    page_tokens: int
    work_tokens: int
    matches: int


@kernel()
def working_memory() -> Memory:
    """Return the memory for any number of successive extensions."""
    return Memory(
        Wave(np.empty(WIDTH, np.int32), np.empty(WIDTH, np.int32)),
        Wave(np.empty(WIDTH, np.int32), np.empty(WIDTH, np.int32)),
    )


@kernel(allocates=False)
def extend_xdrop(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    work: Tokens,
    origin: TokenPosition,
    direction: int,
    bounds: TokenBounds,
    limits: XDropLimits,
    memory: Memory,
) -> Extension:
    """Return the best alignment forward from `origin` (direction 1), or backward (-1); `origin` is included.

    bounds: the range of the text in `work`.
    """
    page_left = page.size - origin.page if direction > 0 else origin.page + 1
    work_left = bounds.end - origin.work if direction > 0 else origin.work - bounds.start + 1
    if page_left <= 0 or work_left <= 0:
        return Extension(0, 0, 0, 0)
    peak = _run_waves(
        page, near, work, Remainder(origin.page, origin.work, direction, page_left, work_left), limits, memory
    )
    if peak.wave < 0:
        return Extension(0, 0, 0, 0)
    return Extension(peak.score, peak.reached, peak.reached + peak.diagonal, peak.score + peak.wave)


@kernel(allocates=False)
def _run_waves(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, ahead: Remainder, limits: XDropLimits, memory: Memory
) -> Peak:
    """Add edits until no diagonal is alive, and return the point with the best score."""
    previous, current = memory.previous, memory.current
    rows, masks = near
    limit = min(ahead.page_left, ahead.work_left)
    run = agreeing_run(page, rows, masks, work, ahead.page_start, ahead.work_start, ahead.direction, limit)
    previous.furthest[:] = DEAD
    current.furthest[:] = DEAD
    previous.furthest[0], previous.matches[0] = run.length, run.readable
    peak = Peak(run.readable, 0, 0, run.firm) if run.readable else Peak(0, -1, 0, 0)
    low, high, wave, leader = 0, 0, 0, run.readable
    while low <= high:
        wave += 1
        min_score = max(peak.score - limits.drop, leader - limits.lag)
        first, last, leader, peak = _advance_wave(
            page, near, work, ahead, wave, (low, high), min_score, limits.drop, peak, previous, current
        )
        low, high = _narrow_band(current.furthest, (low, high), (first, last), peak.diagonal, limits.band)
        previous, current = current, previous
    return peak


@kernel(allocates=False)
def _advance_wave(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    work: Tokens,
    ahead: Remainder,
    wave: int,
    alive: tuple[int, int],
    min_score: int,
    drop: int,
    peak: Peak,
    previous: Wave,
    current: Wave,
) -> tuple[int, int, int, Peak]:
    """Add one edit on every diagonal; return the first and last diagonal alive, the wave's best score, and the peak.

    alive: the first and last diagonal alive in the previous wave; min_score: points with lower scores are abandoned.
    """
    rows, masks = near
    furthest, matches = current
    furthest_before, matches_before = previous
    page_start, work_start, direction, page_left, work_left = ahead
    first, last, leader = alive[1] + 2, alive[0] - 2, DEAD
    for diagonal in range(alive[0] - 1, alive[1] + 2):
        slot = np.uint64(diagonal & (WIDTH - 1))
        begin, kept = _best_edit(furthest_before, matches_before, diagonal, page_left, work_left)
        if begin < 0:
            furthest[slot] = DEAD
            continue
        limit = min(page_left - begin, work_left - begin - diagonal)
        page_index, work_index = page_start + begin * direction, work_start + (begin + diagonal) * direction
        run = agreeing_run(page, rows, masks, work, page_index, work_index, direction, limit)
        gained = kept + run.readable - wave
        if gained < min_score:
            furthest[slot] = DEAD
            continue
        furthest[slot], matches[slot] = begin + run.length, kept + run.readable
        first, last = min(first, diagonal), max(last, diagonal)
        leader = max(leader, gained)
        if gained > peak.score:
            peak = Peak(gained, wave, diagonal, begin + run.firm)
            min_score = max(min_score, gained - drop)
    return first, last, leader, peak


@kernel(allocates=False)
def _best_edit(
    furthest: NDArray[np.int32], matches: NDArray[np.int32], diagonal: int, page_left: int, work_left: int
) -> tuple[int, int]:
    """Return the furthest page token on a diagonal after one more edit, and the matches up to it."""
    slot, above, below = diagonal & (WIDTH - 1), (diagonal + 1) & (WIDTH - 1), (diagonal - 1) & (WIDTH - 1)
    begin, kept = furthest[slot] + 1, matches[slot]
    if begin > page_left or begin + diagonal > work_left:
        begin = DEAD
    candidate = furthest[above] + 1
    if (candidate > begin and candidate <= page_left) or (candidate == begin and matches[above] > kept):
        begin, kept = candidate, matches[above]
    candidate = furthest[below]
    if (candidate > begin and candidate + diagonal <= work_left) or (candidate == begin and matches[below] > kept):
        begin, kept = candidate, matches[below]
    return begin, kept


@kernel(allocates=False)
def _narrow_band(
    furthest: NDArray[np.int32], before: tuple[int, int], alive: tuple[int, int], centre: int, band: int
) -> tuple[int, int]:
    """Return the range of alive diagonals within the band, and mark those outside as dead for the next two waves."""
    low, high = max(alive[0], centre - band), min(alive[1], centre + band)
    for diagonal in range(before[0] - 2, low):
        furthest[diagonal & (WIDTH - 1)] = DEAD
    for diagonal in range(high + 1, before[1] + 3):
        furthest[diagonal & (WIDTH - 1)] = DEAD
    return low, high
