"""Aligns page tokens with work tokens, even if the page has pieces of the work in another order.

A walk with leaps (matcher.align.jump_walk) along the page finds the counterparts. A piece is a range of the page
between two leaps. If the page repeats parts of the work, a second walk follows. Pieces of a few tokens around the
passage are dropped. Gaps of equal size on both sides, and edges of sentences, are aligned token by token.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.jump_cells import UNALIGNED, AlignmentSide, find_seeds
from matcher.align.jump_walk import walk
from matcher.align.pair_kinds import CharacterTables
from matcher.align.token_agreement import NearTokens, TokenBounds, Tokens, do_tokens_agree
from matcher.calibration import JumpCosts

# The least size of a piece around the passage: fewer tokens agree by chance. 4 to 14 tried on 24 passages that repeat
# themselves, 2026-11: of their shuffled sentences .0001 are left out with 4 and 6, .0016 with 10, .0027 with 14.
MIN_TOKENS_AROUND = 6
# In a gap of similar size on both sides, one token in 8 agrees if single words were replaced; by chance it is one in
# thirty (16 passages with 30 % random characters beside 16 with foreign sentences, 2026-11; 3-6 tried).
TOKENS_A_MATCH = 8
# The longest head or tail of a sentence whose remainder has counterparts. 2, 4, 8 tried on 48 passages under a heavy
# mixture of edits, 2026-11: of the unchanged text .0017, .0016 and .0015 is not shown as unchanged; without this,
# .0021.
MAX_EDGE_TOKENS = 4


@kernel()
def align_with_jumps(  # noqa: PLR0917 - kernels take no keywords
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    inner: TokenBounds,
    costs: JumpCosts,
) -> NDArray[np.int32]:
    """Return the index in `work` of each page token's counterpart, or UNALIGNED, int32[page tokens].

    inner: the range of the page known to belong to the work. Around it, pieces of fewer than MIN_TOKENS_AROUND aligned
    tokens are dropped. If two pieces of the page share a part of the work, the shorter piece moves to another
    occurrence of the same text, if there is one.
    """
    seeds = find_seeds(page.tokens, work.tokens)
    owners = np.full(work.tokens.size, UNALIGNED, np.int32)
    aligned_to, pieces = walk(page, near, work, tables, costs, seeds, owners)
    if _assign_owners(aligned_to, pieces, owners) > costs.gap_tokens:
        aligned_to, pieces = walk(page, near, work, tables, costs, seeds, owners)
    _drop_outer_pieces(aligned_to, pieces, inner)
    return aligned_to


@kernel()
def _assign_owners(aligned_to: NDArray[np.int32], pieces: NDArray[np.int32], owners: NDArray[np.int32]) -> int:
    """Store in `owners` the page token of each work token, preferring the longest piece.

    Return the number of conflicts.

    A conflict is a work token with more than one page token.
    """
    sizes, conflicts = np.zeros(pieces.size + 1, np.int32), 0
    for page_index in range(aligned_to.size):
        sizes[pieces[page_index]] += aligned_to[page_index] != UNALIGNED
    for page_index in range(aligned_to.size):
        work_index = aligned_to[page_index]
        if work_index == UNALIGNED:
            continue
        owner = owners[work_index]
        conflicts += owner != UNALIGNED
        if owner == UNALIGNED or sizes[pieces[page_index]] > sizes[pieces[owner]]:
            owners[work_index] = page_index
    return conflicts


@kernel(allocates=False)
def _drop_outer_pieces(aligned_to: NDArray[np.int32], pieces: NDArray[np.int32], inner: TokenBounds) -> None:
    """Remove the counterparts of pieces outside `inner` that have fewer than MIN_TOKENS_AROUND aligned tokens."""
    start = 0
    while start < aligned_to.size:
        limit = aligned_to.size if start >= inner.end else inner.start
        end, aligned_count = start, 0
        while end < limit and pieces[end] == pieces[start]:
            aligned_count += aligned_to[end] != UNALIGNED
            end += 1
        if aligned_count < MIN_TOKENS_AROUND:
            aligned_to[start:end] = UNALIGNED
        start = end if end < limit or end == aligned_to.size else inner.end


@kernel(allocates=False)
def fill_gaps(aligned_to: NDArray[np.int32], page: Tokens, near: NearTokens, work: Tokens) -> None:
    """Align tokens in gaps of equal length on both sides, if enough of them agree."""
    previous_index = UNALIGNED
    for page_index in range(aligned_to.size):
        if aligned_to[page_index] == UNALIGNED:
            continue
        size = page_index - previous_index - 1
        if previous_index != UNALIGNED and size and aligned_to[page_index] - aligned_to[previous_index] - 1 == size:
            shift, agreeing = aligned_to[previous_index] - previous_index, 0
            for position in range(previous_index + 1, page_index):
                agreeing += do_tokens_agree(page, near.rows, near.masks, work, position, position + shift)
            if agreeing * TOKENS_A_MATCH >= size:
                for position in range(previous_index + 1, page_index):
                    aligned_to[position] = position + shift
        previous_index = page_index


@kernel()
def fill_edges(aligned_to: NDArray[np.int32], page: AlignmentSide, near: NearTokens, work: AlignmentSide) -> None:
    """Align up to MAX_EDGE_TOKENS tokens at the edge of a sentence with the tokens at the same edge in the work.

    The walk misses them: if a word near the edge was left out, a leap costs more than the few tokens before it gain.
    """
    is_page_free, is_work_free = aligned_to == UNALIGNED, np.ones(work.tokens.size, np.bool_)
    for work_index in aligned_to:
        if work_index != UNALIGNED:
            is_work_free[work_index] = False
    for edge_index in range(aligned_to.size):
        if aligned_to[edge_index] == UNALIGNED:
            continue
        for step in (-1, 1):
            if not 0 <= edge_index + step < aligned_to.size or not is_page_free[edge_index + step]:
                continue
            page_rest = _count_tokens_to_edge(is_page_free, page.is_sentence_start, edge_index, step)
            work_rest = (
                _count_tokens_to_edge(is_work_free, work.is_sentence_start, aligned_to[edge_index], step)
                if page_rest
                else 0
            )
            page_index, work_index = edge_index + step, aligned_to[edge_index] + step
            while page_rest and work_rest:
                skipped = 0
                if page_rest != work_rest:
                    skipped = _count_disagreeing(
                        page.tokens, near, work.tokens, page_index, work_index, work_rest, step
                    )
                if skipped < work_rest:
                    work_index += skipped * step
                    aligned_to[page_index] = work_index
                    is_page_free[page_index] = is_work_free[work_index] = False
                    work_index += step
                    work_rest -= skipped + 1
                page_index += step
                page_rest -= 1


@kernel(allocates=False)
def _count_disagreeing(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, page_index: int, work_index: int, max_count: int, step: int
) -> int:
    """Count the consecutive work tokens, from `work_index` on, that disagree with a page token; at most `max_count`."""
    for skipped in range(max_count):
        if do_tokens_agree(page, near.rows, near.masks, work, page_index, work_index + skipped * step):
            return skipped
    return max_count


@kernel(allocates=False)
def _count_tokens_to_edge(
    is_free: NDArray[np.bool_], is_sentence_start: NDArray[np.bool_], index: int, step: int
) -> int:
    """Count the tokens between `index` and the edge of its sentence; 0 if they are not free, or too many."""
    size = 0
    while True:
        if step < 0 and is_sentence_start[index]:
            return size
        index += step
        if index < 0 or index == is_sentence_start.size:
            return 0
        if step > 0 and is_sentence_start[index]:
            return size
        if not is_free[index] or size == MAX_EDGE_TOKENS:
            return 0
        size += 1
