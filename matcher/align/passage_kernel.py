"""A passage from its characters to its changes in one compiled call: between two, arrays are handed to Python."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.change_kernels import ChangeNumbers, PassageChanges, classify_changes
from matcher.align.jump_alignment import align_with_jumps, fill_edges, fill_gaps
from matcher.align.jump_cells import UNALIGNED, JumpCosts, Side
from matcher.align.pair_kinds import CharacterTables, Stretch
from matcher.align.token_agreement import Bounds, NearTokens
from matcher.align.token_alignment import IN_WORK, ON_PAGE, Pieces, align_tokens


class ComparedStretches(NamedTuple):
    """What became of a passage.

    span: its first token on the page and the end, the same in the work; moved, displaced: `TokenAlignment`.
    """

    found: PassageChanges
    span: tuple[int, int, int, int]
    moved: Pieces
    displaced: int


@kernel()
def compare_stretches(  # noqa: PLR0917 - kernels take no keywords
    page: Stretch,
    page_begins: NDArray[np.bool_],
    near: NearTokens,
    work: Stretch,
    work_begins: NDArray[np.bool_],
    inner: Bounds,
    costs: JumpCosts,
    tables: CharacterTables,
    numbers: ChangeNumbers,
) -> ComparedStretches:
    """Find the counterparts of the page's tokens by a walk, and classify what differs.

    page_begins, work_begins: which tokens begin a sentence; near: of the page's tokens; inner: `align_with_jumps`.
    """
    page_side = Side(page.tokens, tables.folding[page.codes], page_begins)
    work_side = Side(work.tokens, tables.folding[work.codes], work_begins)
    aligned_to = align_with_jumps(page_side, near, work_side, inner, costs)
    fill_gaps(aligned_to, page.tokens, near, work.tokens)
    fill_edges(aligned_to, page_side, near, work_side)
    for at in range(aligned_to.size):
        if aligned_to[at] != UNALIGNED:
            aligned_to[at] += work.start
    return _compare(aligned_to, page, work, tables, numbers)


@kernel()
def compare_diagonal(
    page: Stretch, work: Stretch, tables: CharacterTables, numbers: ChangeNumbers
) -> ComparedStretches:
    """The same of as many tokens on both sides, each of which is the counterpart of the one beside it."""
    aligned_to = np.arange(work.start, work.start + work.tokens.size).astype(np.int32)
    return _compare(aligned_to, page, work, tables, numbers)


@kernel()
def _compare(
    aligned_to: NDArray[np.int32], page: Stretch, work: Stretch, tables: CharacterTables, numbers: ChangeNumbers
) -> ComparedStretches:
    pairs, gaps, moved, displaced = align_tokens(aligned_to, page.start)
    if not len(pairs):
        raise IndexError("a passage without any token that both sides have")
    found = classify_changes(pairs, gaps, page, work, tables, numbers)
    in_work = pairs[:, IN_WORK]
    span = (pairs[0, ON_PAGE], pairs[-1, ON_PAGE] + 1, in_work.min(), in_work.max() + 1)
    return ComparedStretches(found, span, moved, displaced)
