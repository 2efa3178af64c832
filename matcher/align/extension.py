"""Extends hits to segments and joins neighbouring segments.

Each hit is extended along its diagonal; promising hits are also extended with gaps.
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
    """Segments and phrases, in arrays with room for one per hit.

    state: the numbers of segments and phrases, the first segment of this text, and the number of links in use.
    """

    segments: Segments
    phrases: Phrases
    state: NDArray[np.int64]


SEGMENTS, PHRASES, FIRST_OF_TEXT, LINKS = range(4)


@kernel()
def extend_hits(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, near: NearTokens, texts: TokenStreams, hits: Hits, limits: ExtensionLimits, memory: Memory
) -> tuple[Segments, Phrases]:
    """Return the segments and phrases of hits. hits: ordered by text, diagonal and page position."""
    size = hits.texts.size
    segments, phrases = np.empty((size, SEGMENT_COLUMNS), np.int32), np.empty((size, PHRASE_COLUMNS), np.int32)
    found = ExtensionState(segments, phrases, np.zeros(4, np.int64))
    # Room for the longest possible segments: memory that is not written takes no space.
    links = min(size, limits.max_segments_of_text) * (block_number(page.size) + 2)
    _extend_text_by_text(page, near, texts, hits, limits, memory, found, new_blocks(page.size, links))
    return segments[: found.state[SEGMENTS]], phrases[: found.state[PHRASES]]


@kernel(allocates=False)
def _extend_text_by_text(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    hits: Hits,
    limits: ExtensionLimits,
    memory: Memory,
    found: ExtensionState,
    blocks: SegmentBlocks,
) -> None:
    """Process the hits.

    Skips cheaply: hits in the run of the previous hit, hits covered by a segment, and hits with too little on their
    diagonal.
    """
    segments, _, state = found
    last_diagonal, last_end = 0, -1
    for hit in range(hits.texts.size):
        text, page_at, work_at = as_int(hits.texts[hit]), as_int(hits.pages[hit]), as_int(hits.works[hit])
        if hit == 0 or text != hits.texts[hit - 1]:
            clear_blocks(blocks, segments, state[FIRST_OF_TEXT], state[SEGMENTS])
            state[FIRST_OF_TEXT], state[LINKS], last_end = state[SEGMENTS], 0, -1
        if work_at - page_at == last_diagonal and page_at < last_end:
            continue
        is_full = state[SEGMENTS] - state[FIRST_OF_TEXT] >= limits.max_segments_of_text
        if not (is_full or is_covered(segments, blocks, page_at, work_at, limits.gapped.band)):
            last_diagonal = work_at - page_at
            last_end = _extend_hit(page, near, texts, hits, hit, limits, memory, found, blocks)


@kernel(allocates=False)
def _extend_hit(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    texts: TokenStreams,
    hits: Hits,
    hit: int,
    limits: ExtensionLimits,
    memory: Memory,
    found: ExtensionState,
    blocks: SegmentBlocks,
) -> int:
    """Extend one hit and store its segment or phrase; return the end of its diagonal run on the page."""
    text, page_at, work_at = as_int(hits.texts[hit]), as_int(hits.pages[hit]), as_int(hits.works[hit])
    bounds = TokenBounds(texts.starts[text], texts.ends[text])
    seed = TokenPosition(page_at, bounds.start + work_at)
    run = extend_ungapped(page, near, texts.tokens, seed, bounds, limits.ungapped_drop)
    if run.score < limits.min_ungapped_score:
        return page_at + run.ahead
    phrase = found.phrases[found.state[PHRASES]]
    phrase[PHRASE_START], phrase[PHRASE_END], phrase[PHRASE_TEXT] = page_at - run.back, page_at + run.ahead, text
    found.state[PHRASES] += 1
    if run.score < limits.min_ungapped_score_alone and not _has_neighbour(hits, hit, limits.gapped.band):
        return page_at + run.ahead
    back, ahead = extend_both(page, near, texts.tokens, seed, bounds, limits.gapped, memory)
    is_faint = run.score < 2 * limits.min_faint_score
    if back.score + ahead.score >= (limits.min_faint_score if is_faint else limits.min_segment_score):
        row = found.segments[found.state[SEGMENTS]]
        row[PAGE_START], row[PAGE_END] = page_at - back.page_tokens, page_at + ahead.page_tokens
        row[WORK_START], row[WORK_END] = work_at - back.work_tokens, work_at + ahead.work_tokens
        row[MATCHES], row[SCORE], row[TEXT] = back.matches + ahead.matches, back.score + ahead.score, text
        number = found.state[SEGMENTS]
        found.state[LINKS] = add_segment(blocks, found.state[LINKS], row[PAGE_START], row[PAGE_END], number)
        found.state[SEGMENTS] += 1
    return page_at + run.ahead


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
    """Return the extensions before and after a seed."""
    ahead = extend_xdrop(page, near, tokens, seed, 1, bounds, limits, memory)
    before = TokenPosition(seed.page - 1, seed.work - 1)
    return extend_xdrop(page, near, tokens, before, -1, bounds, limits, memory), ahead


@kernel(allocates=False)
def _has_neighbour(hits: Hits, hit: int, band: int) -> bool:
    """Return whether the previous or next hit belongs to the same text and nearly the same diagonal."""
    diagonal = hits.works[hit] - hits.pages[hit]
    for other in (hit - 1, hit + 1):
        is_of_text = 0 <= other < hits.texts.size and hits.texts[other] == hits.texts[hit]
        if is_of_text and abs(hits.works[other] - hits.pages[other] - diagonal) <= band:
            return True
    return False


class DiagonalRun(NamedTuple):
    """The best stretch of a diagonal around a hit: its score, and its tokens before the hit and from the hit on."""

    score: int
    back: int
    ahead: int


@kernel(allocates=False)
def extend_ungapped(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, near: NearTokens, work: Tokens, hit: TokenPosition, bounds: TokenBounds, drop: int
) -> DiagonalRun:
    """Return the best run through a hit; a side ends where its score falls more than `drop` below its best."""
    limit = min(page.size - hit.page, bounds.end - hit.work)
    score, ahead = _best_run(page, near, work, hit, 1, limit, drop)
    behind = TokenPosition(hit.page - 1, hit.work - 1)
    score_back, back = _best_run(page, near, work, behind, -1, min(hit.page, hit.work - bounds.start), drop)
    return DiagonalRun(score + score_back, back, ahead)


@kernel(allocates=False)
def _best_run(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, origin: TokenPosition, direction: int, limit: int, drop: int
) -> tuple[int, int]:
    """Return the best score of one side and its number of tokens."""
    score, best, reached, step = 0, 0, 0, 0
    rows, masks = near
    while step < limit:
        here, there = origin.page + step * direction, origin.work + step * direction
        run = agreeing_run(page, rows, masks, work, here, there, direction, limit - step)
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
    """Return the segments by text, in order of the page, and join neighbours whose gap can be aligned.

    segments: grouped by text; changed in place. max_gap: the most page tokens between two segments. The second segment
    must outweigh the score that the alignment loses in the gap.
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
    texts: TokenStreams,
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    limits: XDropLimits,
    memory: Memory,
) -> bool:
    """Extend `one` in place until it includes `other`; return whether this succeeded."""
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


class PageSegments(NamedTuple):
    """The segments and phrases of a page's hits."""

    segments: Segments
    phrases: Phrases


def find_segments(
    page: Tokens, near: NearTokens, streams: TokenStreams, hits: Hits, calibration: Calibration
) -> PageSegments:
    """Return the segments of hits in any order: X-drop along the diagonal, then with gaps, then bridging."""
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
    """Return segments and phrases.

    numbers: the hits as sorted integers, if each fits in 64 bits; otherwise `hits` is sorted.
    """
    memory = working_memory()
    if form.page_bits:
        hits = promising_hits(page, texts, numbers, form, limits.gapped.band)
    segments, phrases = extend_hits(page, near, texts, hits, limits, memory)
    return bridge_gaps(page, near, texts, segments, limits.bridge, limits.max_bridge_tokens, memory), phrases
