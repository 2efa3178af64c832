"""Continues a walk while there is only one way, along equal tokens with single edits between them.

The walk over all cells (matcher.align.jump_walk) would find the same steps, more slowly. Inside a run of equal tokens a
gap could as well come later. An edit is clear if RUN_BEHIND_EDIT equal tokens follow it, and no other edit is followed
by more than MAX_RUN_OF_OTHERS.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.stream import WILDCARD
from matcher.align.jump_cells import (
    NO_CELL,
    NO_POSITION,
    UNALIGNED,
    AlignmentSide,
    Cells,
    Ends,
    RunSeeds,
    first_candidate,
)
from matcher.align.pair_kinds import CharacterTables, are_similar_characters
from matcher.align.token_agreement import NearTokens, Tokens, do_tokens_agree
from matcher.calibration import JumpCosts

# Tried on 24 passages of 2,000 characters that repeat themselves, under 18 edits, 2026-11.
CLEAR_RUN = 16  # equal tokens at the beginning of a sentence after which no leap is considered; 8 gave the same
RUN_BEHIND_EDIT = 5  # 3: three characters of 700,000 shown otherwise; 8 gave the same walks
MAX_RUN_OF_OTHERS = 2  # 0: three characters shown otherwise; 4 gave the same
MIN_STRIDE = 4  # characters taken in one loop: a shorter loop costs more than it saves


@kernel(allocates=False)
def follow_only_way(  # noqa: PLR0917 - kernels take no keywords
    cells: Cells,
    ends: Ends,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    seeds: RunSeeds,
    owners: NDArray[np.int32],
    page_index: int,
    costs: JumpCosts,
) -> int:
    """Walk on from page token `page_index` while there is only one way.

    Return the token at which the way or the room ends.
    """
    if not _is_only_way(cells, ends, page.tokens, work.tokens, page_index, costs.gap_tokens):
        return page_index
    cell = as_int(ends.cell[page_index])
    work_index, score = as_int(cells.works[cell]) + 1, as_int(cells.scores[cell])
    while page_index < page.tokens.size and work_index < work.tokens.size:
        page_step, work_step, free_cells = 1, 1, cells.works.size - as_int(cells.rows[page_index])
        equal_count = _count_same_characters(page, work, owners, page_index, work_index, free_cells)
        if equal_count >= MIN_STRIDE and score - costs.foreign > ends.foreign[page_index]:
            cell = _take_run(cells, ends, page_index, work_index, equal_count, cell, score, costs)
            page_index, work_index, score = (
                page_index + equal_count,
                work_index + equal_count,
                score + equal_count * costs.same,
            )
            continue
        if not _continues_run(page, near, work, seeds, page_index, work_index, costs.gap_tokens):
            page_step, work_step = _clear_edit(page, work, page_index, work_index, costs.gap_tokens)
        if page_step == work_step == 1 and free_cells:
            score = _align_pair(
                cells, ends, page, near, work, tables, owners, page_index, work_index, cell, score, costs
            )
            cell = as_int(ends.cell[page_index + 1])
        elif page_step != work_step:
            _skip_page_tokens(cells, ends, page_index, page_step, cell, score - costs.foreign)
            score -= costs.gap + costs.gap_token * (page_step + work_step)
        else:
            break
        page_index, work_index = page_index + page_step, work_index + work_step
    return page_index


@kernel(allocates=False)
def _is_only_way(  # noqa: PLR0917
    cells: Cells, ends: Ends, page: Tokens, work: Tokens, page_index: int, max_gap: int
) -> bool:
    """Return whether the best walk continues with RUN_BEHIND_EDIT equal tokens, and no other walk with a few.

    max_gap: the longest gap by which another walk may continue.
    """
    best = ends.cell[page_index]
    if best == NO_CELL or ends.best[page_index] < ends.foreign[page_index]:
        return False
    work_index = cells.works[best] + 1
    if count_equal_tokens(page, work, page_index, work_index, RUN_BEHIND_EDIT) < RUN_BEHIND_EDIT:
        return False
    for cell in range(cells.rows[page_index - 1], cells.rows[page_index]):
        for gap in range(max_gap + 1):
            other_index = cells.works[cell] + 1 + gap
            if (
                other_index != work_index
                and count_equal_tokens(page, work, page_index, other_index, MAX_RUN_OF_OTHERS + 1) > MAX_RUN_OF_OTHERS
            ):
                return False
    for cell in range(cells.rows[max(page_index - 1 - max_gap, 0)], cells.rows[page_index - 1]):
        other_index = cells.works[cell] + 1
        if (
            other_index != work_index
            and count_equal_tokens(page, work, page_index, other_index, MAX_RUN_OF_OTHERS + 1) > MAX_RUN_OF_OTHERS
        ):
            return False
    return True


@kernel(allocates=False)
def _continues_run(  # noqa: PLR0917
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    seeds: RunSeeds,
    page_index: int,
    work_index: int,
    min_equal: int,
) -> bool:
    """Return whether the walk continues with an equal token, so that neither a leap nor an edit can be better here.

    min_equal: how many equal tokens must follow if the characters differ although their tokens are equal.
    """
    if page.tokens[page_index] != work.tokens[work_index]:
        return False
    if page.is_sentence_start[page_index]:
        same = count_equal_tokens(page.tokens, work.tokens, page_index, work_index, CLEAR_RUN)
        if same < CLEAR_RUN and leads_farther(page.tokens, near, work.tokens, seeds, page_index, same):
            return False
    is_same = page.characters[page_index] == work.characters[work_index]
    return bool(
        is_same or count_equal_tokens(page.tokens, work.tokens, page_index, work_index, min_equal + 1) > min_equal
    )


@kernel(allocates=False)
def leads_farther(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, seeds: RunSeeds, page_index: int, covered: int
) -> bool:
    """Return whether more than `covered` of the page's next tokens occur consecutively anywhere in the work."""
    for lead in range(min(seeds.length + 1, page.size - page_index)):
        position = first_candidate(seeds, page, page_index + lead)
        while position != NO_POSITION:
            if is_landing(page, near, work, seeds, page_index, position, lead, covered):
                return True
            position = as_int(seeds.next_positions[position])
    return False


@kernel(allocates=False)
def is_landing(  # noqa: PLR0917
    page: Tokens,
    near: NearTokens,
    work: Tokens,
    seeds: RunSeeds,
    page_index: int,
    position: int,
    lead: int,
    covered: int,
) -> bool:
    """Return whether a leap may land `lead` tokens before a seed.

    The tokens before the seed must agree. The tokens from the seed on must be equal, and more than `covered` in all.
    """
    min_length = max(seeds.length, covered + 1 - lead)
    if position < lead or count_equal_tokens(page, work, page_index + lead, position, min_length) < min_length:
        return False
    for offset in range(lead):
        if not do_tokens_agree(page, near.rows, near.masks, work, page_index + offset, position - lead + offset):
            return False
    return True


@kernel(allocates=False)
def _count_same_characters(  # noqa: PLR0917
    page: AlignmentSide,
    work: AlignmentSide,
    owners: NDArray[np.int32],
    page_index: int,
    work_index: int,
    max_count: int,
) -> int:
    """Count the equal characters from two positions on, within a sentence and without owners; at most `max_count`."""
    size = min(max_count, page.tokens.size - page_index, work.tokens.size - work_index)
    for offset in range(size):
        is_same = page.tokens[page_index + offset] == work.tokens[work_index + offset]
        is_same &= page.characters[page_index + offset] == work.characters[work_index + offset]
        if not is_same or page.is_sentence_start[page_index + offset] or owners[work_index + offset] != UNALIGNED:
            return offset
    return max(size, 0)


@kernel(allocates=False)
def _take_run(  # noqa: PLR0917
    cells: Cells, ends: Ends, page_index: int, work_index: int, size: int, cell: int, score: int, costs: JumpCosts
) -> int:
    """Store cells for `size` equal tokens, and return the last cell.

    cell, score: the cell before them and its score, from which leaving the work would not be better.
    """
    first = as_int(cells.rows[page_index])
    for offset in range(size):
        before, behind = score + offset * costs.same, score + (offset + 1) * costs.same
        cells.works[first + offset], cells.scores[first + offset] = work_index + offset, behind
        cells.previous[first + offset], cells.rows[page_index + offset + 1] = first + offset - 1, first + offset + 1
        ends.best[page_index + offset + 1], ends.cell[page_index + offset + 1] = behind, first + offset
        ends.foreign[page_index + offset + 1], ends.last_work_index[page_index + offset + 1] = (
            before - costs.foreign,
            work_index + offset - 1,
        )
        ends.leaves_work[page_index + offset + 1] = True
    cells.previous[first] = cell
    return first + size - 1


@kernel(allocates=False)
def _clear_edit(
    page: AlignmentSide, work: AlignmentSide, page_index: int, work_index: int, max_tokens: int
) -> tuple[int, int]:
    """Return the numbers of page and work tokens in the next edit; (0, 0) if more than one edit is possible.

    The numbers are (1, 1), or one of them is 0.
    """
    edit, longest_other = (0, 0), 0
    for size in range(max_tokens + 1):
        for page_tokens, work_tokens in ((size, 0), (0, size)) if size else ((1, 1), (2, 2)):
            equal_count = count_equal_tokens(
                page.tokens, work.tokens, page_index + page_tokens, work_index + work_tokens, RUN_BEHIND_EDIT
            )
            if equal_count < RUN_BEHIND_EDIT:
                longest_other = max(longest_other, equal_count)
            elif edit == (0, 0):
                edit = (page_tokens, work_tokens)
            elif (page_tokens, work_tokens) != (2, 2):
                return 0, 0
    if longest_other > MAX_RUN_OF_OTHERS:
        return 0, 0
    for position in range(page_index, min(page_index + edit[0] + 1, page.is_sentence_start.size)):
        if page.is_sentence_start[position]:
            return 0, 0
    return (1, 1) if edit == (2, 2) else edit


@kernel(allocates=False)
def _align_pair(  # noqa: PLR0917
    cells: Cells,
    ends: Ends,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    owners: NDArray[np.int32],
    page_index: int,
    work_index: int,
    cell: int,
    score: int,
    costs: JumpCosts,
) -> int:
    """Add a cell that aligns a page token with a work token, and return its score.

    cell, score: the previous cell and its score.
    """
    leave_work(
        ends,
        page_index,
        work_index - 1,
        score - costs.foreign + (costs.boundary // 2 if page.is_sentence_start[page_index] else 0),
    )
    score += pair_score(page, near, work, tables, owners, page_index, work_index, costs)
    new_cell = as_int(cells.rows[page_index])
    cells.works[new_cell], cells.scores[new_cell], cells.previous[new_cell] = work_index, score, cell
    ends.best[page_index + 1], ends.cell[page_index + 1] = score, new_cell
    cells.rows[page_index + 1] = new_cell + 1
    return score


@kernel(allocates=False)
def _skip_page_tokens(  # noqa: PLR0917
    cells: Cells, ends: Ends, page_index: int, on_page: int, cell: int, foreign: int
) -> None:
    """Skip `on_page` page tokens from `page_index` on.

    cell: the cell before them; foreign: the score of a walk that leaves the work at this cell.
    """
    for position in range(page_index, page_index + on_page):
        leave_work(ends, position, as_int(cells.works[cell]), foreign)
        cells.rows[position + 1] = cells.rows[position]


@kernel(allocates=False)
def leave_work(ends: Ends, page_index: int, work_index: int, score: int) -> None:
    """Store the better walk for which a page token is foreign: one that leaves the work here, or an earlier one.

    work_index, score: the last work token of the walk that leaves here, and its score.
    """
    leaves_work = score > ends.foreign[page_index]
    ends.leaves_work[page_index + 1] = leaves_work
    ends.last_work_index[page_index + 1] = work_index if leaves_work else ends.last_work_index[page_index]
    ends.foreign[page_index + 1] = score if leaves_work else ends.foreign[page_index]


@kernel(allocates=False)
def pair_score(  # noqa: PLR0917
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    owners: NDArray[np.int32],
    page_index: int,
    work_index: int,
    costs: JumpCosts,
) -> int:
    """Return the score of aligning a page token with a work token."""
    repeat_cost = costs.repeat if owners[work_index] not in (UNALIGNED, page_index) else 0
    page_token, work_token = page.tokens[page_index], work.tokens[work_index]
    if page_token == work_token:
        return (costs.same if page.characters[page_index] == work.characters[work_index] else costs.near) - repeat_cost
    if not do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, page_index, work_index):
        return costs.different
    if page_token == WILDCARD or work_token == WILDCARD:  # noqa: PLR1714 - compiled: no tuples
        return costs.near - repeat_cost
    is_similar = are_similar_characters(
        tables, page.characters[page_index], work.characters[work_index], page_token, work_token
    )
    return costs.near - repeat_cost if is_similar else costs.different


@kernel(allocates=False)
def count_equal_tokens(page: Tokens, work: Tokens, page_start: int, work_start: int, max_count: int) -> int:
    """Count the equal consecutive tokens from two positions on, at most `max_count`."""
    size = min(max_count, page.size - page_start, work.size - work_start)
    page_base, work_base = (
        np.uint64(page_start),
        np.uint64(work_start),
    )  # unsigned: numba counts negative indexes from the end
    for offset in range(size):
        if page[page_base + np.uint64(offset)] != work[work_base + np.uint64(offset)]:
            return offset
    return max(size, 0)
