"""Bridging: two segments of one text near one diagonal are joined when a more patient extension reaches the second."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.hit_extension import Texts, keep_traceback
from matcher.align.segments import (
    MATCHES,
    NO_TRACEBACK,
    PAGE_END,
    PAGE_START,
    SCORE,
    TEXT,
    TRACEBACK,
    WORK_END,
    WORK_START,
    Segments,
    Tracebacks,
)
from matcher.align.token_agreement import Bounds, NearTokens, Position, Tokens
from matcher.align.xdrop import UNALIGNED, Memory, XDropLimits, extend_xdrop


class TracebackBuffer(NamedTuple):
    """Tracebacks with room for more, and how many tokens of them are used."""

    tracebacks: Tracebacks
    used: int


@kernel()
def bridge_gaps(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    texts: Texts,
    segments: Segments,
    kept: TracebackBuffer,
    limits: XDropLimits,
    max_gap: int,
    memory: Memory,
    aligned_to: NDArray[np.int32],
) -> tuple[Segments, Tracebacks]:
    """The segments, by text in order of the page, neighbours joined where the gap between them can be aligned.

    segments: those of one text in a row; changed in place. max_gap: page tokens between two. aligned_to: int32[page
    tokens], UNALIGNED before and after. The second segment has to outweigh what the alignment loses on the way to it.
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
            if not _is_near(one, other, max_gap, limits.band):
                at = after if other[PAGE_END] > one[PAGE_END] else at
                continue
            kept, is_bridged = bridge_gap(page, near, texts, one, other, kept, limits, memory, aligned_to)
            is_gone[after] = is_bridged
            at = at if is_bridged else after
        first = last
    return segments[~is_gone], kept.tracebacks


@kernel()
def bridge_gap(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: Texts,
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    kept: TracebackBuffer,
    limits: XDropLimits,
    memory: Memory,
    aligned_to: NDArray[np.int32],
) -> tuple[TracebackBuffer, bool]:
    """Extend `one` until it takes in `other`, in place; whether that succeeded."""
    bounds = Bounds(texts.starts[one[TEXT]], texts.ends[one[TEXT]])
    first, start, base = as_int(one[PAGE_START]), as_int(one[PAGE_END]), Position(0, bounds.start)
    origin = Position(start, bounds.start + one[WORK_END])
    ahead = extend_xdrop(page, near, texts.tokens, origin, 1, bounds, limits, memory, aligned_to, base)
    end = start + ahead.page_tokens
    if end < other[PAGE_END] - limits.band:
        aligned_to[start:end] = UNALIGNED
        return kept, False
    aligned_to[first:start] = kept.tracebacks[one[TRACEBACK] : one[TRACEBACK] + start - first]
    tracebacks, used, one[TRACEBACK] = keep_traceback(kept.tracebacks, kept.used, aligned_to[first:end])
    one[PAGE_END], one[WORK_END] = end, one[WORK_END] + ahead.work_tokens
    one[MATCHES], one[SCORE] = one[MATCHES] + ahead.matches, one[SCORE] + ahead.score
    return TracebackBuffer(tracebacks, used), True


@kernel(allocates=False)
def _is_near(one: NDArray[np.int32], other: NDArray[np.int32], max_gap: int, band: int) -> bool:
    """Whether it is worth a walk from the end of one segment to the next."""
    page_gap, work_gap = other[PAGE_START] - one[PAGE_END], other[WORK_START] - one[WORK_END]
    is_near = 0 <= page_gap <= max_gap and work_gap >= 0 and abs(work_gap - page_gap) <= band
    return bool(is_near and one[TRACEBACK] != NO_TRACEBACK)
