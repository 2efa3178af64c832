"""From hits to segments: each hit is extended along its diagonal, and what is promising with gaps."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.segments import (
    MATCHES,
    PAGE_END,
    PAGE_START,
    PHRASE_COLUMNS,
    PHRASE_END,
    PHRASE_START,
    PHRASE_TEXT,
    SCORE,
    SEGMENT_COLUMNS,
    TEXT,
    WORK_END,
    WORK_START,
    Phrases,
    Segments,
    add_segment,
    clear_blocks,
    double_rows,
    is_covered,
    new_blocks,
)
from matcher.align.token_agreement import Bounds, NearTokens, Position, Tokens
from matcher.align.ungapped import extend_ungapped
from matcher.align.xdrop import Extension, Memory, XDropLimits, extend_xdrop

SURE_TOKENS = 5  # of every hit, but for one of windows, which is kept however few more it has
GLANCE = 8


class Texts(NamedTuple):
    """Tokens of many texts: that of text t is tokens[starts[t]:ends[t]]."""

    tokens: Tokens
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class Hits(NamedTuple):
    """Where page and texts agree; int32[h] each. works: positions within the texts."""

    texts: NDArray[np.int32]
    pages: NDArray[np.int32]
    works: NDArray[np.int32]


class ExtensionLimits(NamedTuple):
    """The thresholds of extension; what they mean and why: matcher.calibration."""

    ungapped_drop: int
    min_ungapped_score: int
    min_ungapped_score_alone: int
    min_segment_score: int
    min_faint_score: int
    gapped: XDropLimits
    bridge: XDropLimits
    max_bridge_tokens: int
    max_segments_of_text: int


class SegmentBuffers(NamedTuple):
    """Segments and phrases so far, in arrays with room for more."""

    segments: Segments
    segment_count: int
    phrases: Phrases
    phrase_count: int


@kernel()
def extend_hits(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    texts: Texts,
    hits: Hits,
    limits: ExtensionLimits,
    memory: Memory,
) -> SegmentBuffers:
    """The segments and phrases that hits lead to; `SegmentBuffers` is filled up to its counts.

    hits: ordered by text, diagonal and page position. Passed by, each as cheaply as can be: hits in the run of the hit
    before, hits that a segment covers, and those whose diagonal has too little.
    """
    found, blocks = _empty_buffers(), new_blocks(page.size)
    text_of, page_position_of, work_position_of = hits
    tokens, starts, ends = texts
    first, last_text, last_diagonal, last_end = 0, -1, 0, -1
    for hit in range(text_of.size):
        text, page_at, work_at = as_int(text_of[hit]), as_int(page_position_of[hit]), as_int(work_position_of[hit])
        diagonal = work_at - page_at
        if text != last_text:
            blocks = clear_blocks(blocks, found.segments[first : found.segment_count])
            first, last_text, last_end = found.segment_count, text, -1
        elif diagonal == last_diagonal and page_at < last_end:
            continue
        is_full = found.segment_count - first >= limits.max_segments_of_text
        if is_full or is_covered(found.segments, blocks, page_at, work_at, limits.gapped.band):
            continue
        bounds = Bounds(starts[text], ends[text])
        seed = Position(page_at, bounds.start + work_at)
        run = extend_ungapped(page, near, tokens, seed, bounds, limits.ungapped_drop)
        last_diagonal, last_end = diagonal, page_at + run.ahead
        if run.score < limits.min_ungapped_score:
            continue
        found = _add_phrase(found, page_at - run.back, page_at + run.ahead, text)
        if run.score < limits.min_ungapped_score_alone and not _has_neighbour(hits, hit, limits.gapped.band):
            continue
        back, ahead = extend_both(page, near, tokens, seed, bounds, limits.gapped, memory)
        is_faint = run.score < 2 * limits.min_faint_score
        least = limits.min_faint_score if is_faint else limits.min_segment_score
        if back.score + ahead.score < least:
            continue
        found = _add_segment(found, Position(page_at, work_at), text, back, ahead)
        row = found.segments[found.segment_count - 1]
        blocks = add_segment(blocks, row[PAGE_START], row[PAGE_END], found.segment_count - 1)
    return found


@kernel()
def without_idle_hits(page: Tokens, texts: Texts, hits: Hits, band: int) -> Hits:
    """The hits but for those that are alone on their diagonals and have no equal token within GLANCE on either side.

    These are most texts of a page, and half of its hits: a tenth of the time that extending them took. hits: as of
    `extend_hits`; band: diagonals on either side that count as the same.
    """
    rows = np.empty(hits.texts.size, np.int64)
    rows = rows[: _list_promising(rows, page, texts, hits, band)]
    return Hits(hits.texts[rows], hits.pages[rows], hits.works[rows])


@kernel(allocates=False)
def _list_promising(rows: NDArray[np.int64], page: Tokens, texts: Texts, hits: Hits, band: int) -> int:
    tokens, starts, ends = texts
    count = 0
    for hit in range(hits.texts.size):
        rows[count] = hit
        if _has_neighbour(hits, hit, band):
            count += 1
            continue
        text, page_at = hits.texts[hit], as_int(hits.pages[hit])
        work_at = starts[text] + hits.works[hit]
        ahead = work_at + SURE_TOKENS
        is_inside = GLANCE <= page_at < page.size - SURE_TOKENS - GLANCE and ahead + GLANCE <= ends[text]
        count += (
            not (is_inside and work_at - GLANCE >= starts[text])
            or _has_equal(page, tokens, page_at - GLANCE, work_at - GLANCE)
            or _has_equal(page, tokens, page_at + SURE_TOKENS, ahead)
        )
    return count


@kernel(allocates=False)
def _has_equal(page: Tokens, work: Tokens, page_at: int, work_at: int) -> bool:
    """Whether any of GLANCE tokens from two places on are equal; all are looked at, which is vector code."""
    here, there, is_any = np.uint64(page_at), np.uint64(work_at), False
    for place in range(GLANCE):
        is_any |= page[here + np.uint64(place)] == work[there + np.uint64(place)]
    return is_any


@kernel(allocates=False)
def extend_both(  # noqa: PLR0917
    page: Tokens, near: NearTokens, tokens: Tokens, seed: Position, bounds: Bounds, limits: XDropLimits, memory: Memory
) -> tuple[Extension, Extension]:
    """The extensions behind and ahead of a seed."""
    ahead = extend_xdrop(page, near, tokens, seed, 1, bounds, limits, memory)
    before = Position(seed.page - 1, seed.work - 1)
    return extend_xdrop(page, near, tokens, before, -1, bounds, limits, memory), ahead


@kernel()
def _empty_buffers() -> SegmentBuffers:
    segments, phrases = np.empty((64, SEGMENT_COLUMNS), np.int32), np.empty((256, PHRASE_COLUMNS), np.int32)
    return SegmentBuffers(segments, 0, phrases, 0)


@kernel()
def _add_phrase(found: SegmentBuffers, start: int, end: int, text: int) -> SegmentBuffers:
    segments, segment_count, phrases, count = found
    if count == phrases.shape[0]:
        phrases = double_rows(phrases)
    phrases[count, PHRASE_START], phrases[count, PHRASE_END], phrases[count, PHRASE_TEXT] = start, end, text
    return SegmentBuffers(segments, segment_count, phrases, count + 1)


@kernel()
def _add_segment(found: SegmentBuffers, seed: Position, text: int, back: Extension, ahead: Extension) -> SegmentBuffers:
    segments, count, phrases, phrase_count = found
    if count == segments.shape[0]:
        segments = double_rows(segments)
    row = segments[count]
    row[PAGE_START], row[PAGE_END] = seed.page - back.page_tokens, seed.page + ahead.page_tokens
    row[WORK_START], row[WORK_END] = seed.work - back.work_tokens, seed.work + ahead.work_tokens
    row[MATCHES], row[SCORE], row[TEXT] = back.matches + ahead.matches, back.score + ahead.score, text
    return SegmentBuffers(segments, count + 1, phrases, phrase_count)


@kernel(allocates=False)
def _has_neighbour(hits: Hits, hit: int, band: int) -> bool:
    """Whether the hit before or behind is of the same text and nearly the same diagonal."""
    diagonal = hits.works[hit] - hits.pages[hit]
    for other in (hit - 1, hit + 1):
        is_of_text = 0 <= other < hits.texts.size and hits.texts[other] == hits.texts[hit]
        if is_of_text and abs(hits.works[other] - hits.pages[other] - diagonal) <= band:
            return True
    return False
