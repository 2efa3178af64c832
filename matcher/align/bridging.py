"""Bridging: joins two segments of one text near one diagonal if an extension with looser limits reaches the second."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.hit_extension import TextTokens
from matcher.align.segments import (
    MATCHES,
    PAGE_END,
    PAGE_START,
    SCORE,
    TEXT,
    WORK_END,
    WORK_START,
    Segments,
)
from matcher.align.token_agreement import NearTokens, TokenBounds, TokenPosition, Tokens
from matcher.align.xdrop import Memory, XDropLimits, extend_xdrop


@kernel()
def bridge_gaps(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    texts: TextTokens,
    segments: Segments,
    limits: XDropLimits,
    max_gap: int,
    memory: Memory,
) -> Segments:
    """Return the segments, by text in order of the page, joining neighbours whose gap can be aligned.

    segments: grouped by text; changed in place. max_gap: page tokens between two. The second segment has to outweigh
    the score that the alignment loses in the gap.
    """
    is_gone = np.zeros(len(segments), np.bool_)
    first = 0
    while first < len(segments):
        last = first + 1
        while last < len(segments) and segments[last, TEXT] == segments[first, TEXT]:
            last += 1
        order = first + np.argsort(segments[first:last, PAGE_START])
        at = order[0]
        for after in order[1:]:
            one, other = segments[at], segments[after]
            if not _is_bridgeable(one, other, max_gap, limits.band):
                at = after if other[PAGE_END] > one[PAGE_END] else at
                continue
            is_gone[after] = bridge_gap(page, near, texts, one, other, limits, memory)
            at = at if is_gone[after] else after
        first = last
    return segments[~is_gone]


@kernel(allocates=False)
def bridge_gap(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: TextTokens,
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    limits: XDropLimits,
    memory: Memory,
) -> bool:
    """Extend `one` in place until it includes `other`; return whether that succeeded."""
    bounds = TokenBounds(texts.starts[one[TEXT]], texts.ends[one[TEXT]])
    start = as_int(one[PAGE_END])
    origin = TokenPosition(start, bounds.start + one[WORK_END])
    ahead = extend_xdrop(page, near, texts.tokens, origin, 1, bounds, limits, memory)
    end = start + ahead.page_tokens
    if end < other[PAGE_END] - limits.band:
        return False
    one[PAGE_END], one[WORK_END] = end, one[WORK_END] + ahead.work_tokens
    one[MATCHES], one[SCORE] = one[MATCHES] + ahead.matches, one[SCORE] + ahead.score
    return True


@kernel(allocates=False)
def _is_bridgeable(one: NDArray[np.int32], other: NDArray[np.int32], max_gap: int, band: int) -> bool:
    """Return whether to try an alignment from the end of one segment to the next."""
    page_gap, work_gap = other[PAGE_START] - one[PAGE_END], other[WORK_START] - one[WORK_END]
    return bool(0 <= page_gap <= max_gap and work_gap >= 0 and abs(work_gap - page_gap) <= band)
