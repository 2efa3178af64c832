"""Compares a passage in one compiled call, from characters to changes, without intermediate arrays in Python."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.change_kernels import ChangeNumbers, Changes, Totals, WorkRanges, WorkTokens, classify_changes
from matcher.align.jump_alignment import align_with_jumps, fill_edges, fill_gaps
from matcher.align.jump_cells import UNALIGNED, AlignmentSide
from matcher.align.pair_kinds import CharacterTables
from matcher.align.token_agreement import NearTokens, TokenBounds, do_tokens_agree
from matcher.align.token_alignment import (
    IN_WORK,
    ON_PAGE,
    RANGE_COLUMNS,
    RUN_COLUMNS,
    SIZE,
    Pieces,
    TokenAlignment,
    align_tokens,
)
from matcher.align.tokenized_text import TextPart, TokenStretch, find_sentence_starts, read_stretch
from matcher.align.transpositions import settle_transpositions
from matcher.align.whole_sentences import match_sentences
from matcher.calibration import JumpCosts

# Tokens. On 24 passages 1 and 2 are alike; with 4, of 30 % random characters 24 are shown as left out instead of 21
# (2026-11-25, seed 77 of the measure of comparisons).
MAX_DISTANCE = 2
OTHER, NEAR, SAME = range(3)

# A passage as the kernels return it: a plain tuple, since passing a named tuple to Python takes as long as three
# arrays. Changes, totals, work ranges, work tokens matched, moved pieces; first token on the page and end, the same in
# the work; matched, same, longest run, displaced, transposed, covered. See PassageChanges, TokenAlignment,
# transpositions.
Compared = tuple[Changes, Totals, WorkRanges, WorkTokens, Pieces, int, int, int, int, int, int, int, int, int, int]


@kernel()
def compare_parts(  # noqa: PLR0917 - kernels take no keywords
    page: TextPart,
    near: NearTokens,
    work: TextPart,
    inner: TokenBounds,
    costs: JumpCosts,
    tables: CharacterTables,
    numbers: ChangeNumbers,
) -> Compared:
    """Align the tokens of two parts by a walk, and classify the differences.

    near: the masks of all tokens of the page; inner: see `align_with_jumps`, but in tokens of the whole page. Raises
    IndexError if no token is aligned.
    """
    page_stretch, work_stretch = read_stretch(page), read_stretch(work)
    page_side = AlignmentSide(page_stretch.tokens, tables.folding[page_stretch.codes], find_sentence_starts(page))
    work_side = AlignmentSide(work_stretch.tokens, tables.folding[work_stretch.codes], find_sentence_starts(work))
    near = NearTokens(near.rows[page.start : page.end], near.masks)
    inside = TokenBounds(inner.start - page.start, inner.end - page.start)
    aligned_to = align_with_jumps(page_side, near, work_side, tables, inside, costs)
    fill_gaps(aligned_to, page_stretch.tokens, near, work_stretch.tokens)
    fill_edges(aligned_to, page_side, near, work_side)
    settle_replaced(aligned_to, page_side, near, work_side)
    match_sentences(aligned_to, page_side, work_side)
    transposed = settle_transpositions(aligned_to, page_side, work_side)
    for index in range(aligned_to.size):
        if aligned_to[index] != UNALIGNED:
            aligned_to[index] += work.start
    aligned = align_tokens(aligned_to, page.start)
    if not len(aligned.runs):
        raise IndexError("no token of the passage is aligned")
    return _classify_alignment(aligned, transposed, page_stretch, work_stretch, tables, numbers)


@kernel()
def compare_diagonal(page: TextPart, work: TextPart, tables: CharacterTables, numbers: ChangeNumbers) -> Compared:
    """Compare equally many tokens on both sides, aligned one to one."""
    runs = np.empty((1, RUN_COLUMNS), np.int32)
    runs[0, ON_PAGE], runs[0, IN_WORK], runs[0, SIZE] = page.start, work.start, work.end - work.start
    no_gaps, no_pieces = np.empty((0, RANGE_COLUMNS), np.int32), np.empty((0, RANGE_COLUMNS - 1), np.int32)
    aligned = TokenAlignment(runs, no_gaps, no_pieces, 0, work.end - work.start)
    return _classify_alignment(aligned, 0, read_stretch(page), read_stretch(work), tables, numbers)


@kernel()
def _classify_alignment(  # noqa: PLR0917
    aligned: TokenAlignment,
    transposed: int,
    page: TokenStretch,
    work: TokenStretch,
    tables: CharacterTables,
    numbers: ChangeNumbers,
) -> Compared:
    runs, gaps, moved, displaced, covered = aligned
    found = classify_changes(runs, gaps, page, work, tables, numbers)
    return (
        found.changes,
        found.totals,
        found.work_ranges,
        found.work_matched,
        moved,
        as_int(runs[0, ON_PAGE]),
        as_int(runs[-1, ON_PAGE] + runs[-1, SIZE]),
        as_int(runs[:, IN_WORK].min()),
        as_int((runs[:, IN_WORK] + runs[:, SIZE]).max()),
        as_int(found.matched),
        as_int(found.same),
        as_int(found.longest_equal_run),
        as_int(displaced),
        as_int(transposed),
        as_int(covered),
    )


@kernel()
def settle_replaced(aligned_to: NDArray[np.int32], page: AlignmentSide, near: NearTokens, work: AlignmentSide) -> int:
    """Move replaced tokens to the most similar free work token nearby; return how many were moved.

    If one of two characters was replaced and the other deleted, a walk may align the remaining one with either. Free
    tokens are unaligned work tokens between the first and the last aligned one, at most MAX_DISTANCE away. aligned_to:
    the work token of each page token, or UNALIGNED.
    """
    is_free, moved_count, first, end = np.ones(work.tokens.size, np.bool_), 0, work.tokens.size, 0
    for work_index in aligned_to:
        if work_index != UNALIGNED:
            is_free[work_index] = False
            first, end = min(first, work_index), max(end, work_index + 1)
    for page_index in range(aligned_to.size):
        work_index = aligned_to[page_index]
        if work_index == UNALIGNED or page.characters[page_index] == work.characters[work_index]:
            continue
        best_index, max_similarity = work_index, UNALIGNED
        for step in (-1, 1):
            index = work_index + step
            while abs(index - work_index) <= MAX_DISTANCE and first <= index < end and is_free[index]:
                if max_similarity == UNALIGNED:
                    max_similarity = _pair_similarity(page, near, work, page_index, work_index)
                similarity = _pair_similarity(page, near, work, page_index, index)
                if similarity > max_similarity:
                    best_index, max_similarity = index, similarity
                index += step
        if best_index != work_index:
            is_free[work_index], is_free[best_index] = True, False
            aligned_to[page_index] = best_index
            moved_count += 1
    return moved_count


@kernel(allocates=False)
def _pair_similarity(
    page: AlignmentSide, near: NearTokens, work: AlignmentSide, page_index: int, work_index: int
) -> int:
    if page.characters[page_index] == work.characters[work_index]:
        return SAME
    return NEAR if do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, page_index, work_index) else OTHER
