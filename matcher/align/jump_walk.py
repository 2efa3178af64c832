"""Finds the best alignment of a page with a work whose pieces may be in another order: a walk with leaps.

Each page token is aligned with an equal token, with a different token, or is foreign. At any token the walk may leap to
another position in the work; this costs more than the edits inside a sentence and less than a sentence gains. The best
walk is found (Viterbi) among the few cells whose score no leap can surpass. After Spang, Rehmsmeier
and Stoye, "A novel approach to remote homology detection: jumping alignments", Journal of Computational Biology 9,
2002, in which leaps lead to another sequence, and Brudno et al., "Glocal alignment", 2003. See
docs/decisions/matching.md.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.jump_cells import (
    NO_CELL,
    NO_POSITION,
    UNALIGNED,
    AlignmentSide,
    CellRow,
    Cells,
    Ends,
    RunSeeds,
    first_candidate,
)
from matcher.align.jump_runs import (
    CLEAR_RUN,
    RUN_BEHIND_EDIT,
    count_equal_tokens,
    follow_only_way,
    is_landing,
    leave_work,
    pair_score,
)
from matcher.align.pair_kinds import CharacterTables
from matcher.align.token_agreement import NearTokens, do_tokens_agree
from matcher.calibration import JumpCosts

UNREACHED = -(1 << 29)  # the score of a cell that no walk has reached
# How a cell was reached if not from a cell of one of the previous tokens.
FROM_FOREIGN, FROM_BEST = -2, -3
MAX_EDIT_PASSED = 3  # 1 gave the same, 6 shows five characters of 700,000 otherwise (as in jump_runs)
CELLS_A_TOKEN = 8  # 4 to 6 were needed; the memory doubles if it is too small


@kernel()
def walk(  # noqa: PLR0917 - kernels take no keywords
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    costs: JumpCosts,
    seeds: RunSeeds,
    owners: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the counterpart of each page token, or UNALIGNED, and the number of its piece, int32[page tokens] each."""
    tokens, room = page.tokens.size, CELLS_A_TOKEN * page.tokens.size + 64
    rows, works = np.zeros(tokens + 1, np.int32), np.empty(room, np.int32)
    cells = Cells(rows, works, np.empty(room, np.int32), np.empty(room, np.int32))
    columns = work.tokens.size + costs.gap_tokens + 2
    row = CellRow(
        np.full(columns, UNREACHED, np.int32),
        np.empty(columns, np.int32),
        np.empty(columns, np.bool_),
        np.empty(columns, np.int32),
    )
    ends = Ends(
        np.full(tokens + 1, UNREACHED, np.int32),
        np.full(tokens + 1, NO_CELL, np.int32),
        np.zeros(tokens + 1, np.int32),
        np.full(tokens + 1, UNALIGNED, np.int32),
        np.zeros(tokens + 1, np.bool_),
    )
    page_index = _fill_rows(cells, row, ends, page, near, work, tables, seeds, owners, costs, 0)
    while page_index < tokens:
        cells = _double_room(cells)
        page_index = _fill_rows(cells, row, ends, page, near, work, tables, seeds, owners, costs, page_index)
    return _trace_walk(cells, ends, tokens)


@kernel(allocates=False)
def _fill_rows(  # noqa: PLR0917 - kernels take no keywords
    cells: Cells,
    row: CellRow,
    ends: Ends,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    seeds: RunSeeds,
    owners: NDArray[np.int32],
    costs: JumpCosts,
    page_index: int,
) -> int:
    """Continue the walk from page token `page_index` until the end, or until the memory for cells is full.

    Returns the next page token; at the end, the number of page tokens.
    """
    while page_index < page.tokens.size:
        page_index = follow_only_way(cells, ends, page, near, work, tables, seeds, owners, page_index, costs)
        if page_index == page.tokens.size:
            break
        min_score = max(ends.best[page_index], ends.foreign[page_index]) - costs.leap - costs.backward - costs.max_far
        offered = _offer_continuations(cells, row, page, near, work, page_index, min_score, costs)
        covered = _count_clear_tokens(cells, ends, page, work, page_index, costs)
        if covered < CLEAR_RUN:
            offered = _offer_leaps(cells, row, offered, ends, page, near, work, seeds, page_index, covered, costs)
        if cells.rows[page_index] + offered > cells.works.size:
            for number in range(offered):
                row.scores[row.offers[number]] = UNREACHED
            return page_index
        _keep_cells(cells, row, offered, ends, page, near, work, tables, owners, page_index, min_score, costs)
        earned = costs.boundary // 2 if page.is_sentence_start[page_index] else 0
        leave_work(ends, page_index, cells.works[ends.cell[page_index]], ends.best[page_index] - costs.foreign + earned)
        page_index += 1
    return page_index


@kernel(allocates=False)
def _count_clear_tokens(  # noqa: PLR0917
    cells: Cells, ends: Ends, page: AlignmentSide, work: AlignmentSide, page_index: int, costs: JumpCosts
) -> int:
    """Count the tokens from `page_index` on that the best walk covers without a leap, by a short look-ahead.

    These are a run of equal tokens, or an edit of up to MAX_EDIT_PASSED tokens with a run after it; 0 if there is none.
    """
    cell = ends.cell[page_index]
    if cell == NO_CELL or ends.best[page_index] < ends.foreign[page_index]:
        return 0
    work_index = cells.works[cell] + 1
    equal_count = count_equal_tokens(page.tokens, work.tokens, page_index, work_index, CLEAR_RUN)
    if equal_count and not page.is_sentence_start[page_index]:
        return CLEAR_RUN
    if equal_count:
        return equal_count
    if page.is_sentence_start[page_index]:
        return 0
    for edit in range(1, MAX_EDIT_PASSED + 1):
        for page_tokens, work_tokens in ((edit, edit), (edit, 0), (0, edit)):
            equal_count = count_equal_tokens(
                page.tokens, work.tokens, page_index + page_tokens, work_index + work_tokens, RUN_BEHIND_EDIT
            )
            if equal_count == RUN_BEHIND_EDIT:
                return page_tokens + equal_count
    return 0


@kernel(allocates=False)
def _offer_cell(  # noqa: PLR0917
    row: CellRow, offered: int, work_index: int, score: int, before: int, is_edit: bool
) -> int:
    """Offer a way to a cell, stored if its score is the best so far; return the number of offered cells."""
    if score > row.scores[work_index]:
        if row.scores[work_index] == UNREACHED:
            row.offers[offered] = work_index
            offered += 1
        row.scores[work_index], row.previous[work_index], row.is_edit[work_index] = score, before, is_edit
    return offered


@kernel(allocates=False)
def _offer_continuations(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    page_index: int,
    min_score: int,
    costs: JumpCosts,
) -> int:
    """Offer the continuations of earlier cells: to the next work token, and over a gap on either side to a match.

    Returns the number of offered cells. No gap in the work begins before an equal token, since it could come later.
    """
    offered = 0
    if page_index == 0:
        return offered
    rows, works, scores, _ = cells
    size = work.tokens.size
    for cell in range(rows[page_index - 1], rows[page_index]):
        work_index, score = works[cell] + 1, scores[cell]
        if score < min_score or work_index >= size:
            continue
        offered = _offer_cell(row, offered, work_index, score, cell, False)
        if page.characters[page_index] == work.characters[work_index]:
            continue
        for gap in range(1, min(costs.gap_tokens + 1, size - work_index)):
            score = scores[cell] - costs.gap - costs.gap_token * gap
            if score < min_score:
                break
            if do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, page_index, work_index + gap):
                offered = _offer_cell(row, offered, work_index + gap, score, cell, True)
    return _offer_page_gaps(cells, row, offered, page, near, work, page_index, min_score, costs)


@kernel(allocates=False)
def _offer_page_gaps(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    offered: int,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    page_index: int,
    min_score: int,
    costs: JumpCosts,
) -> int:
    """Offer the continuations of earlier cells over a gap on the page; return the number of offered cells."""
    rows, works, scores, _ = cells
    for gap in range(1, min(costs.gap_tokens, page_index - 1) + 1):
        cost = costs.gap + costs.gap_token * gap
        for cell in range(rows[page_index - 1 - gap], rows[page_index - gap]):
            work_index, score = works[cell] + 1, scores[cell] - cost
            if score < min_score or work_index >= work.tokens.size:
                continue
            if do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, page_index, work_index):
                offered = _offer_cell(row, offered, work_index, score, cell, True)
    return offered


@kernel(allocates=False)
def _offer_leaps(  # noqa: PLR0917 - kernels take no keywords
    cells: Cells,
    row: CellRow,
    offered: int,
    ends: Ends,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    seeds: RunSeeds,
    page_index: int,
    covered: int,
    costs: JumpCosts,
) -> int:
    """Offer the targets of leaps, and the position where the walk left the work; return the number of offered cells.

    covered: how many tokens the walk covers without a leap; a leap must cover more.
    """
    last_work_index = ends.last_work_index[page_index]
    if 0 <= last_work_index < work.tokens.size - 1:
        offered = _offer_cell(
            row, offered, last_work_index + 1, ends.foreign[page_index] - costs.resume, FROM_FOREIGN, True
        )
    for lead in range(min(seeds.length + 1, page.tokens.size - page_index)):
        position = first_candidate(seeds, page.tokens, page_index + lead)
        while position != NO_POSITION:
            if is_landing(page.tokens, near, work.tokens, seeds, page_index, position, lead, covered):
                work_index = position - lead
                offered = _offer_leap(
                    cells,
                    row,
                    offered,
                    ends,
                    page.is_sentence_start[page_index],
                    work.is_sentence_start[work_index],
                    page_index,
                    work_index,
                    costs,
                )
            position = as_int(seeds.next_positions[position])
    return offered


@kernel(allocates=False)
def _offer_leap(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    offered: int,
    ends: Ends,
    begins_page_sentence: bool,
    begins_work_sentence: bool,
    page_index: int,
    work_index: int,
    costs: JumpCosts,
) -> int:
    earned = (costs.boundary * begins_page_sentence + costs.boundary * begins_work_sentence) // 2
    last_work_index, cell = ends.last_work_index[page_index], ends.cell[page_index]
    from_foreign = (
        costs.leap + costs.max_far
        if last_work_index == UNALIGNED
        else _cost_of_leap(last_work_index, work_index, costs)
    )
    score = ends.foreign[page_index] + earned - from_foreign
    offered = _offer_cell(row, offered, work_index, score, FROM_FOREIGN, True)
    if cell != NO_CELL:
        score = ends.best[page_index] + earned - _cost_of_leap(cells.works[cell], work_index, costs)
        offered = _offer_cell(row, offered, work_index, score, FROM_BEST, True)
    return offered


@kernel(allocates=False)
def _cost_of_leap(before: int, work_index: int, costs: JumpCosts) -> int:
    distance, doublings = abs(work_index - before - 1) >> 3, 0
    while distance and doublings < costs.max_far:
        distance, doublings = distance >> 1, doublings + 1
    return as_int(costs.leap + doublings + (costs.backward if work_index <= before else 0))


@kernel(allocates=False)
def _keep_cells(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    offered: int,
    ends: Ends,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    owners: NDArray[np.int32],
    page_index: int,
    min_score: int,
    costs: JumpCosts,
) -> None:
    """Store the offered cells of a page token that can still lead to the best walk, and clear the row."""
    count, best, best_index = cells.rows[page_index], as_int(UNREACHED), 0
    for number in range(offered):
        work_index = row.offers[number]
        earned = pair_score(page, near, work, tables, owners, page_index, work_index, costs)
        score = row.scores[work_index] + earned
        # An edit is followed by a match: otherwise the edit could as well come later.
        if score < min_score or (earned < 0 and row.is_edit[work_index]):
            score = as_int(UNREACHED)
        row.scores[work_index] = score
        if score > best:
            best, best_index = score, work_index
    for number in range(offered):
        work_index = row.offers[number]
        score = as_int(row.scores[work_index])
        row.scores[work_index] = UNREACHED
        if score == UNREACHED or score < best - _cost_of_leap(best_index, work_index, costs):
            continue
        cells.works[count], cells.scores[count], cells.previous[count] = work_index, score, row.previous[work_index]
        if score > ends.best[page_index + 1]:
            ends.best[page_index + 1], ends.cell[page_index + 1] = score, count
        count += 1
    cells.rows[page_index + 1] = count


@kernel()
def _double_room(cells: Cells) -> Cells:
    """Return the same cells in arrays of twice the size."""
    used = cells.works.size
    longer = np.empty((3, 2 * used), np.int32)
    longer[0, :used], longer[1, :used], longer[2, :used] = cells.works, cells.scores, cells.previous
    return Cells(cells.rows, longer[0], longer[1], longer[2])


@kernel()
def _trace_walk(cells: Cells, ends: Ends, tokens: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Trace the best walk back from its end; return the work token and the piece number of each page token."""
    aligned_to, pieces = np.full(tokens, UNALIGNED, np.int32), np.zeros(tokens, np.int32)
    page_index, cell, piece = tokens, as_int(ends.cell[tokens]), 0
    is_foreign = ends.foreign[tokens] >= ends.best[tokens]
    while page_index > 0:
        if is_foreign:
            is_foreign = not ends.leaves_work[page_index]
            page_index -= 1
            cell = as_int(ends.cell[page_index])
            continue
        aligned_to[page_index - 1], pieces[page_index - 1] = cells.works[cell], piece
        before = as_int(cells.previous[cell])
        page_index -= 1
        if before >= 0:
            while cells.rows[page_index - 1] > before:
                page_index -= 1
            cell = before
        else:
            piece += 1
            is_foreign, cell = before == FROM_FOREIGN, as_int(ends.cell[page_index])
    return aligned_to, pieces
