"""Extends hits to segments, and joins neighbouring segments.

Each hit is first extended along its diagonal. A hit with a sufficient score is then extended with gaps.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.numbered_hits import NumberForm, number_hits, promising_hits
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
    SegmentBlocks,
    Segments,
    add_segment,
    block_number,
    clear_blocks,
    is_covered,
    new_blocks,
)
from matcher.align.token_agreement import NearTokens, TokenBounds, TokenPosition, Tokens, agreeing_run
from matcher.align.xdrop import Extension, Memory, extend_xdrop, working_memory
from matcher.calibration import Calibration, ExtensionLimits, XDropLimits
from matcher.corpus import Hits, TokenStreams


class ExtensionState(NamedTuple):
    """The segments and phrases found so far, in arrays with room for one per hit.

    counters: the number of segments, the number of phrases, the first segment of the current text, and the number of
    links in use.
    """

    segments: Segments
    phrases: Phrases
    counters: NDArray[np.int64]


SEGMENTS, PHRASES, FIRST_OF_TEXT, LINKS = range(4)


@kernel()
def extend_hits(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, near: NearTokens, texts: TokenStreams, hits: Hits, limits: ExtensionLimits, memory: Memory
) -> tuple[Segments, Phrases]:
    """Return the segments and phrases of hits.

    hits: ordered by text, diagonal and page position.
    """
    size = hits.texts.size
    segments, phrases = np.empty((size, SEGMENT_COLUMNS), np.int32), np.empty((size, PHRASE_COLUMNS), np.int32)
    output = ExtensionState(segments, phrases, np.zeros(4, np.int64))
    # Room for the longest possible segments: memory that is not written takes no space.
    links = min(size, limits.max_segments_of_text) * (block_number(page.size) + 2)
    _extend_text_by_text(page, near, texts, hits, limits, memory, output, new_blocks(page.size, links))
    return segments[: output.counters[SEGMENTS]], phrases[: output.counters[PHRASES]]


@kernel(allocates=False)
def _extend_text_by_text(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    hits: Hits,
    limits: ExtensionLimits,
    memory: Memory,
    output: ExtensionState,
    blocks: SegmentBlocks,
) -> None:
    """Extend the hits of each text, and skip those in the run of the previous hit or covered by a segment."""
    segments, _, counters = output
    last_diagonal, last_end = 0, -1
    for hit in range(hits.texts.size):
        text, page_index, work_index = as_int(hits.texts[hit]), as_int(hits.pages[hit]), as_int(hits.works[hit])
        if hit == 0 or text != hits.texts[hit - 1]:
            clear_blocks(blocks, segments, counters[FIRST_OF_TEXT], counters[SEGMENTS])
            counters[FIRST_OF_TEXT], counters[LINKS], last_end = counters[SEGMENTS], 0, -1
        if work_index - page_index == last_diagonal and page_index < last_end:
            continue
        is_full = counters[SEGMENTS] - counters[FIRST_OF_TEXT] >= limits.max_segments_of_text
        if not (is_full or is_covered(segments, blocks, page_index, work_index, limits.gapped.band)):
            last_diagonal = work_index - page_index
            last_end = _extend_hit(page, near, texts, hits, hit, limits, memory, output, blocks)


@kernel(allocates=False)
def _extend_hit(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    hits: Hits,
    hit: int,
    limits: ExtensionLimits,
    memory: Memory,
    output: ExtensionState,
    blocks: SegmentBlocks,
) -> int:
    """Extend one hit, and store its phrase and its segment if their scores suffice.

    Returns the end of the diagonal run on the page.
    """
    text, page_index, work_index = as_int(hits.texts[hit]), as_int(hits.pages[hit]), as_int(hits.works[hit])
    bounds = TokenBounds(texts.starts[text], texts.ends[text])
    seed = TokenPosition(page_index, bounds.start + work_index)
    run = extend_ungapped(page, near, texts.tokens, seed, bounds, limits.ungapped_drop)
    if run.score < limits.min_ungapped_score:
        return page_index + run.tokens_ahead
    phrase = output.phrases[output.counters[PHRASES]]
    phrase[PHRASE_START], phrase[PHRASE_END], phrase[PHRASE_TEXT] = (
        page_index - run.tokens_before,
        page_index + run.tokens_ahead,
        text,
    )
    output.counters[PHRASES] += 1
    if run.score < limits.min_ungapped_score_alone and not _has_neighbour(hits, hit, limits.gapped.band):
        return page_index + run.tokens_ahead
    back, ahead = extend_both(page, near, texts.tokens, seed, bounds, limits.gapped, memory)
    is_faint = run.score < 2 * limits.min_faint_score
    if back.score + ahead.score >= (limits.min_faint_score if is_faint else limits.min_segment_score):
        row = output.segments[output.counters[SEGMENTS]]
        row[PAGE_START], row[PAGE_END] = page_index - back.page_tokens, page_index + ahead.page_tokens
        row[WORK_START], row[WORK_END] = work_index - back.work_tokens, work_index + ahead.work_tokens
        row[MATCHES], row[SCORE], row[TEXT] = back.matches + ahead.matches, back.score + ahead.score, text
        number = output.counters[SEGMENTS]
        output.counters[LINKS] = add_segment(blocks, output.counters[LINKS], row[PAGE_START], row[PAGE_END], number)
        output.counters[SEGMENTS] += 1
    return page_index + run.tokens_ahead


@kernel(allocates=False)
def extend_both(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    tokens: Tokens,
    seed: TokenPosition,
    bounds: TokenBounds,
    limits: XDropLimits,
    memory: Memory,
) -> tuple[Extension, Extension]:
    """Return the extension before a seed, and the extension from the seed on."""
    ahead = extend_xdrop(page, near, tokens, seed, 1, bounds, limits, memory)
    before = TokenPosition(seed.page - 1, seed.work - 1)
    return extend_xdrop(page, near, tokens, before, -1, bounds, limits, memory), ahead


@kernel(allocates=False)
def _has_neighbour(hits: Hits, hit: int, band: int) -> bool:
    """Return whether the previous or the next hit is in the same text, at most `band` diagonals away."""
    diagonal = hits.works[hit] - hits.pages[hit]
    for neighbour in (hit - 1, hit + 1):
        has_same_text = 0 <= neighbour < hits.texts.size and hits.texts[neighbour] == hits.texts[hit]
        if has_same_text and abs(hits.works[neighbour] - hits.pages[neighbour] - diagonal) <= band:
            return True
    return False


class DiagonalRun(NamedTuple):
    """The best stretch of a diagonal around a hit: its score, and its tokens before the hit and from the hit on."""

    score: int
    tokens_before: int
    tokens_ahead: int


@kernel(allocates=False)
def extend_ungapped(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, near: NearTokens, work: Tokens, hit: TokenPosition, bounds: TokenBounds, drop: int
) -> DiagonalRun:
    """Return the best run through a hit. Each side ends where its score falls more than `drop` below its best score."""
    max_tokens = min(page.size - hit.page, bounds.end - hit.work)
    score, tokens_ahead = _best_run(page, near, work, hit, 1, max_tokens, drop)
    behind = TokenPosition(hit.page - 1, hit.work - 1)
    score_back, tokens_before = _best_run(page, near, work, behind, -1, min(hit.page, hit.work - bounds.start), drop)
    return DiagonalRun(score + score_back, tokens_before, tokens_ahead)


@kernel(allocates=False)
def _best_run(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, origin: TokenPosition, direction: int, limit: int, drop: int
) -> tuple[int, int]:
    """Return the best score on one side of a position, and the number of tokens up to it.

    direction: 1 ahead, -1 back; limit: the tokens available on this side.
    """
    score, best, reached, step = 0, 0, 0, 0
    rows, masks = near
    while step < limit:
        page_index, work_index = origin.page + step * direction, origin.work + step * direction
        run = agreeing_run(page, rows, masks, work, page_index, work_index, direction, limit - step)
        score += run.readable
        if score > best:
            best, reached = score, step + run.firm
        step += run.length
        score, step = score - 1, step + 1
        if score < best - drop:
            break
    return best, reached


@kernel()
def bridge_gaps(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    segments: Segments,
    limits: XDropLimits,
    max_gap: int,
    memory: Memory,
) -> Segments:
    """Join neighbouring segments of a text whose gap can be aligned, and return the remaining segments.

    segments: grouped by text; changed in place. max_gap: the largest number of page tokens between two segments. The
    matches of the second segment must outweigh the score that the alignment loses in the gap.
    """
    is_joined = np.zeros(len(segments), np.bool_)
    first = 0
    while first < len(segments):
        last = first + 1
        while last < len(segments) and segments[last, TEXT] == segments[first, TEXT]:
            last += 1
        order = first + np.argsort(segments[first:last, PAGE_START])
        current = order[0]
        for candidate in order[1:]:
            segment, next_segment = segments[current], segments[candidate]
            if not _is_bridgeable(segment, next_segment, max_gap, limits.band):
                current = candidate if next_segment[PAGE_END] > segment[PAGE_END] else current
                continue
            is_joined[candidate] = bridge_gap(page, near, texts, segment, next_segment, limits, memory)
            current = current if is_joined[candidate] else candidate
        first = last
    return segments[~is_joined]


@kernel(allocates=False)
def bridge_gap(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    segment: NDArray[np.int32],
    next_segment: NDArray[np.int32],
    limits: XDropLimits,
    memory: Memory,
) -> bool:
    """Extend `segment` in place so that it includes `next_segment`; return whether this succeeded."""
    bounds = TokenBounds(texts.starts[segment[TEXT]], texts.ends[segment[TEXT]])
    start = as_int(segment[PAGE_END])
    origin = TokenPosition(start, bounds.start + segment[WORK_END])
    ahead = extend_xdrop(page, near, texts.tokens, origin, 1, bounds, limits, memory)
    end = start + ahead.page_tokens
    if end < next_segment[PAGE_END] - limits.band:
        return False
    segment[PAGE_END], segment[WORK_END] = end, segment[WORK_END] + ahead.work_tokens
    segment[MATCHES], segment[SCORE] = segment[MATCHES] + ahead.matches, segment[SCORE] + ahead.score
    return True


@kernel(allocates=False)
def _is_bridgeable(segment: NDArray[np.int32], next_segment: NDArray[np.int32], max_gap: int, band: int) -> bool:
    """Return whether the gap between two segments is small enough, and near enough to one diagonal, to be aligned."""
    page_gap, work_gap = next_segment[PAGE_START] - segment[PAGE_END], next_segment[WORK_START] - segment[WORK_END]
    return bool(0 <= page_gap <= max_gap and work_gap >= 0 and abs(work_gap - page_gap) <= band)


class PageSegments(NamedTuple):
    """The segments and phrases of a page's hits."""

    segments: Segments
    phrases: Phrases


def find_segments(
    page: Tokens, near: NearTokens, streams: TokenStreams, hits: Hits, calibration: Calibration
) -> PageSegments:
    """Return the segments and phrases of hits, which may be in any order."""
    numbers, form = number_hits(page.size, hits)
    if form.page_bits:
        numbers.sort()
    else:
        order = np.lexsort((hits.pages, hits.works.astype(np.int64) - hits.pages, hits.texts))
        hits = Hits(hits.texts[order], hits.pages[order], hits.works[order])
    return PageSegments(*_extend_sorted(page, near, streams, hits, numbers, form, calibration.extension))


@kernel()
def _extend_sorted(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    hits: Hits,
    numbers: NDArray[np.int64],
    form: NumberForm,
    limits: ExtensionLimits,
) -> tuple[Segments, Phrases]:
    """Return the segments and phrases of sorted hits, with neighbouring segments joined.

    numbers: the sorted hits as integers, if they fit; otherwise `hits` is sorted (form.page_bits is 0).
    """
    memory = working_memory()
    if form.page_bits:
        hits = promising_hits(page, texts, numbers, form, limits.gapped.band)
    segments, phrases = extend_hits(page, near, texts, hits, limits, memory)
    return bridge_gaps(page, near, texts, segments, limits.bridge, limits.max_bridge_tokens, memory), phrases
