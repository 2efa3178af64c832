"""Aligns page tokens with work tokens, even if pieces are in another order.

A walk with leaps (matcher.align.jump_walk) along the page finds the counterparts. If the page repeats parts of the
work, it walks again. Pieces of a few tokens around a passage are dropped. Parts too small for a leap, in gaps of
similar size on both sides or at the edge of a sentence, are aligned token by token.
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
    """Return the place in `work` of each token's counterpart, or UNALIGNED, int32[page tokens].

    inner: the range of the page known to belong to the work; around it, only pieces of some length have a counterpart.
    If two pieces of the page share the same part of the work, the shorter one moves to another place with the same
    text, if any.
    """
    seeds = find_seeds(page.tokens, work.tokens)
    owners = np.full(work.tokens.size, UNALIGNED, np.int32)
    aligned_to, pieces = walk(page, near, work, tables, costs, seeds, owners)
    if _give_to_owners(aligned_to, pieces, owners) > costs.gap_tokens:
        aligned_to, pieces = walk(page, near, work, tables, costs, seeds, owners)
    _cut_off_around(aligned_to, pieces, inner)
    return aligned_to


@kernel()
def _give_to_owners(aligned_to: NDArray[np.int32], pieces: NDArray[np.int32], owners: NDArray[np.int32]) -> int:
    """Store the page token of each work token in `owners`, by the longest piece; return the number of conflicts."""
    sizes, others = np.zeros(pieces.size + 1, np.int32), 0
    for at in range(aligned_to.size):
        sizes[pieces[at]] += aligned_to[at] != UNALIGNED
    for at in range(aligned_to.size):
        there = aligned_to[at]
        if there == UNALIGNED:
            continue
        owner = owners[there]
        others += owner != UNALIGNED
        if owner == UNALIGNED or sizes[pieces[at]] > sizes[pieces[owner]]:
            owners[there] = at
    return others


@kernel(allocates=False)
def _cut_off_around(aligned_to: NDArray[np.int32], pieces: NDArray[np.int32], inner: TokenBounds) -> None:
    """Remove the counterparts of short pieces around `inner`."""
    start = 0
    while start < aligned_to.size:
        limit = aligned_to.size if start >= inner.end else inner.start
        end, found = start, 0
        while end < limit and pieces[end] == pieces[start]:
            found += aligned_to[end] != UNALIGNED
            end += 1
        if found < MIN_TOKENS_AROUND:
            aligned_to[start:end] = UNALIGNED
        start = end if end < limit or end == aligned_to.size else inner.end


@kernel(allocates=False)
def fill_gaps(aligned_to: NDArray[np.int32], page: Tokens, near: NearTokens, work: Tokens) -> None:
    """Align tokens in gaps of equal length on both sides, if enough of them agree."""
    before = UNALIGNED
    for at in range(aligned_to.size):
        if aligned_to[at] == UNALIGNED:
            continue
        size = at - before - 1
        if before != UNALIGNED and size and aligned_to[at] - aligned_to[before] - 1 == size:
            shift, agreeing = aligned_to[before] - before, 0
            for place in range(before + 1, at):
                agreeing += do_tokens_agree(page, near.rows, near.masks, work, place, place + shift)
            if agreeing * TOKENS_A_MATCH >= size:
                for place in range(before + 1, at):
                    aligned_to[place] = place + shift
        before = at


@kernel()
def fill_edges(aligned_to: NDArray[np.int32], page: AlignmentSide, near: NearTokens, work: AlignmentSide) -> None:
    """Align the few tokens at the edge of a sentence with the same edge in the work, if their numbers are similar.

    If a word after the first word of a sentence was left out, a leap to the place before it costs more than it gains.
    """
    is_free_here, is_free_there = aligned_to == UNALIGNED, np.ones(work.tokens.size, np.bool_)
    for there in aligned_to:
        if there != UNALIGNED:
            is_free_there[there] = False
    for at in range(aligned_to.size):
        if aligned_to[at] == UNALIGNED:
            continue
        for step in (-1, 1):
            if not 0 <= at + step < aligned_to.size or not is_free_here[at + step]:
                continue
            rest = _tokens_to_edge(is_free_here, page.begins, at, step)
            rest_there = _tokens_to_edge(is_free_there, work.begins, aligned_to[at], step) if rest else 0
            here, there = at + step, aligned_to[at] + step
            while rest and rest_there:
                skipped = 0
                if rest != rest_there:
                    skipped = _count_disagreeing(page.tokens, near, work.tokens, here, there, rest_there, step)
                if skipped < rest_there:
                    there += skipped * step
                    aligned_to[here] = there
                    is_free_here[here] = is_free_there[there] = False
                    there += step
                    rest_there -= skipped + 1
                here += step
                rest -= 1


@kernel(allocates=False)
def _count_disagreeing(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, here: int, there: int, most: int, step: int
) -> int:
    """Count the work tokens from `there` on that disagree with this page token; `most` if none agrees."""
    for skipped in range(most):
        if do_tokens_agree(page, near.rows, near.masks, work, here, there + skipped * step):
            return skipped
    return most


@kernel(allocates=False)
def _tokens_to_edge(is_free: NDArray[np.bool_], begins: NDArray[np.bool_], at: int, step: int) -> int:
    """Count the tokens between `at` and the edge of its sentence; 0 if they are not free, or too many."""
    size = 0
    while True:
        if step < 0 and begins[at]:
            return size
        at += step
        if at < 0 or at == begins.size:
            return 0
        if step > 0 and begins[at]:
            return size
        if not is_free[at] or size == MAX_EDGE_TOKENS:
            return 0
        size += 1
