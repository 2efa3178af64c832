"""A walk with leaps: the best alignment of a page with a work whose pieces may be in another order.

Each token of the page matches, is aligned with another token, or is foreign; at any token the walk may leap to another
place of the work, which costs more than the edits inside a sentence and less than a sentence gains. The best walk is
found (Viterbi) among the few places that can still lead to it because no leap overtakes them. After Spang, Rehmsmeier
and Stoye, "A novel approach to remote homology detection: jumping alignments", Journal of Computational Biology 9,
2002, in which leaps lead to another sequence, and Brudno et al., "Glocal alignment", 2003. See
docs/decisions/matching.md.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.jump_cells import (
    NO_CELL,
    NO_PLACE,
    UNALIGNED,
    AlignmentSide,
    CellRow,
    Cells,
    Ends,
    RunSeeds,
    first_place,
)
from matcher.align.jump_runs import (
    CLEAR_RUN,
    RUN_BEHIND_EDIT,
    equal_tokens,
    follow_only_way,
    is_landing,
    leave_work,
    pair_score,
)
from matcher.align.pair_kinds import CharacterTables
from matcher.align.token_agreement import NearTokens, do_tokens_agree
from matcher.calibration import JumpCosts

NOWHERE = -(1 << 29)  # a score that nothing reaches
# How a cell was reached, beside the number of another cell.
FROM_FOREIGN, FROM_BEST = -2, -3
MAX_EDIT_PASSED = 3  # 1 gave the same, 6 shows five characters of 700,000 otherwise (as in jump_runs)
CELLS_A_TOKEN = 8  # 4 to 6 were needed; more room is made if it is too little


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
    """Return the counterparts of the page's tokens, and the piece number of each token."""
    tokens, room = page.tokens.size, CELLS_A_TOKEN * page.tokens.size + 64
    rows, works = np.zeros(tokens + 1, np.int32), np.empty(room, np.int32)
    cells = Cells(rows, works, np.empty(room, np.int32), np.empty(room, np.int32))
    places = work.tokens.size + costs.gap_tokens + 2
    row = CellRow(
        np.full(places, NOWHERE, np.int32),
        np.empty(places, np.int32),
        np.empty(places, np.bool_),
        np.empty(places, np.int32),
    )
    ends = Ends(
        np.full(tokens + 1, NOWHERE, np.int32),
        np.full(tokens + 1, NO_CELL, np.int32),
        np.zeros(tokens + 1, np.int32),
        np.full(tokens + 1, UNALIGNED, np.int32),
        np.zeros(tokens + 1, np.bool_),
    )
    at = _fill_rows(cells, row, ends, page, near, work, tables, seeds, owners, costs, 0)
    while at < tokens:
        cells = _with_room(cells)
        at = _fill_rows(cells, row, ends, page, near, work, tables, seeds, owners, costs, at)
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
    at: int,
) -> int:
    """Walk on from page token `at`; return the token without room for its cells, or the number of tokens."""
    while at < page.tokens.size:
        at = follow_only_way(cells, ends, page, near, work, tables, seeds, owners, at, costs)
        if at == page.tokens.size:
            break
        least = max(ends.best[at], ends.foreign[at]) - costs.leap - costs.backwards - costs.far
        offered = _offer_continuations(cells, row, page, near, work, at, least, costs)
        covered = _count_clear_tokens(cells, ends, page, work, at, costs)
        if covered < CLEAR_RUN:
            offered = _offer_leaps(cells, row, offered, ends, page, near, work, seeds, at, covered, costs)
        if cells.rows[at] + offered > cells.works.size:
            for number in range(offered):
                row.scores[row.touched[number]] = NOWHERE
            return at
        _keep_cells(cells, row, offered, ends, page, near, work, tables, owners, at, least, costs)
        earned = costs.boundary // 2 if page.begins[at] else 0
        leave_work(ends, at, cells.works[ends.cell[at]], ends.best[at] - costs.foreign + earned)
        at += 1
    return at


@kernel(allocates=False)
def _count_clear_tokens(  # noqa: PLR0917
    cells: Cells, ends: Ends, page: AlignmentSide, work: AlignmentSide, at: int, costs: JumpCosts
) -> int:
    """Count the tokens from `at` on that the best walk takes without a leap, by a short look-ahead.

    These are a run of equal tokens, here or after a few replaced, inserted or deleted tokens; 0 if there is none.
    """
    cell = ends.cell[at]
    if cell == NO_CELL or ends.best[at] < ends.foreign[at]:
        return 0
    there = cells.works[cell] + 1
    same = equal_tokens(page.tokens, work.tokens, at, there, CLEAR_RUN)
    if same and not page.begins[at]:
        return CLEAR_RUN
    if same:
        return same
    if page.begins[at]:
        return 0
    for edit in range(1, MAX_EDIT_PASSED + 1):
        for on_page, in_work in ((edit, edit), (edit, 0), (0, edit)):
            same = equal_tokens(page.tokens, work.tokens, at + on_page, there + in_work, RUN_BEHIND_EDIT)
            if same == RUN_BEHIND_EDIT:
                return on_page + same
    return 0


@kernel(allocates=False)
def _offer_cell(  # noqa: PLR0917
    row: CellRow, offered: int, there: int, score: int, before: int, is_edit: bool
) -> int:
    """Store a way to a cell if it is the best so far; return the number of cells."""
    if score > row.scores[there]:
        if row.scores[there] == NOWHERE:
            row.touched[offered] = there
            offered += 1
        row.scores[there], row.before[there], row.is_edit[there] = score, before, is_edit
    return offered


@kernel(allocates=False)
def _offer_continuations(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    at: int,
    least: int,
    costs: JumpCosts,
) -> int:
    """Offer the continuations of the cells before `at`: direct ones, and gaps on either side that lead to a match.

    No gap begins before an equal token, since it could as well come later.
    """
    offered = 0
    if at == 0:
        return offered
    rows, works, scores, _ = cells
    size = work.tokens.size
    for cell in range(rows[at - 1], rows[at]):
        there, score = works[cell] + 1, scores[cell]
        if score < least or there >= size:
            continue
        offered = _offer_cell(row, offered, there, score, cell, False)
        if page.characters[at] == work.characters[there]:
            continue
        for gap in range(1, min(costs.gap_tokens + 1, size - there)):
            score = scores[cell] - costs.gap - costs.gap_more * gap
            if score < least:
                break
            if do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, at, there + gap):
                offered = _offer_cell(row, offered, there + gap, score, cell, True)
    return _offer_page_gaps(cells, row, offered, page, near, work, at, least, costs)


@kernel(allocates=False)
def _offer_page_gaps(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    offered: int,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    at: int,
    least: int,
    costs: JumpCosts,
) -> int:
    """Offer the continuations of earlier cells by a gap on the page."""
    rows, works, scores, _ = cells
    for gap in range(1, min(costs.gap_tokens, at - 1) + 1):
        cost = costs.gap + costs.gap_more * gap
        for cell in range(rows[at - 1 - gap], rows[at - gap]):
            there, score = works[cell] + 1, scores[cell] - cost
            if score < least or there >= work.tokens.size:
                continue
            if do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, at, there):
                offered = _offer_cell(row, offered, there, score, cell, True)
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
    at: int,
    covered: int,
    costs: JumpCosts,
) -> int:
    """Offer the targets of leaps with equal tokens there or soon after, and the place where the walk was left.

    covered: the tokens that continue without a leap; a leap must lead farther.
    """
    left_at = ends.left_at[at]
    if 0 <= left_at < work.tokens.size - 1:
        offered = _offer_cell(row, offered, left_at + 1, ends.foreign[at] - costs.back, FROM_FOREIGN, True)
    for ahead in range(min(seeds.length + 1, page.tokens.size - at)):
        place = first_place(seeds, page.tokens, at + ahead)
        while place != NO_PLACE:
            if is_landing(page.tokens, near, work.tokens, seeds, at, place, ahead, covered):
                there = place - ahead
                offered = _offer_leap(cells, row, offered, ends, page.begins[at], work.begins[there], at, there, costs)
            place = as_int(seeds.following[place])
    return offered


@kernel(allocates=False)
def _offer_leap(  # noqa: PLR0917
    cells: Cells,
    row: CellRow,
    offered: int,
    ends: Ends,
    begins_here: bool,
    begins_there: bool,
    at: int,
    there: int,
    costs: JumpCosts,
) -> int:
    earned = (costs.boundary * begins_here + costs.boundary * begins_there) // 2
    left_at, cell = ends.left_at[at], ends.cell[at]
    from_foreign = costs.leap + costs.far if left_at == UNALIGNED else _cost_of_leap(left_at, there, costs)
    score = ends.foreign[at] + earned - from_foreign
    offered = _offer_cell(row, offered, there, score, FROM_FOREIGN, True)
    if cell != NO_CELL:
        score = ends.best[at] + earned - _cost_of_leap(cells.works[cell], there, costs)
        offered = _offer_cell(row, offered, there, score, FROM_BEST, True)
    return offered


@kernel(allocates=False)
def _cost_of_leap(before: int, there: int, costs: JumpCosts) -> int:
    distance, doublings = abs(there - before - 1) >> 3, 0
    while distance and doublings < costs.far:
        distance, doublings = distance >> 1, doublings + 1
    return as_int(costs.leap + doublings + (costs.backwards if there <= before else 0))


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
    at: int,
    least: int,
    costs: JumpCosts,
) -> None:
    """Make cells of the sufficient offers for page token `at`, and clear the row."""
    count, best, best_there = cells.rows[at], as_int(NOWHERE), 0
    for number in range(offered):
        there = row.touched[number]
        earned = pair_score(page, near, work, tables, owners, at, there, costs)
        score = row.scores[there] + earned
        # An edit is followed by a match: otherwise the edit could as well come later.
        if score < least or (earned < 0 and row.is_edit[there]):
            score = as_int(NOWHERE)
        row.scores[there] = score
        if score > best:
            best, best_there = score, there
    for number in range(offered):
        there = row.touched[number]
        score = as_int(row.scores[there])
        row.scores[there] = NOWHERE
        if score == NOWHERE or score < best - _cost_of_leap(best_there, there, costs):
            continue
        cells.works[count], cells.scores[count], cells.before[count] = there, score, row.before[there]
        if score > ends.best[at + 1]:
            ends.best[at + 1], ends.cell[at + 1] = score, count
        count += 1
    cells.rows[at + 1] = count


@kernel()
def _with_room(cells: Cells) -> Cells:
    """Return the same cells with more than twice the room."""
    used = cells.works.size
    longer = np.empty((3, 2 * used), np.int32)
    longer[0, :used], longer[1, :used], longer[2, :used] = cells.works, cells.scores, cells.before
    return Cells(cells.rows, longer[0], longer[1], longer[2])


@kernel()
def _trace_walk(cells: Cells, ends: Ends, tokens: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Trace the best walk back from its end; return the work token and the piece of each page token."""
    aligned_to, pieces = np.full(tokens, UNALIGNED, np.int32), np.zeros(tokens, np.int32)
    at, cell, piece = tokens, as_int(ends.cell[tokens]), 0
    is_foreign = ends.foreign[tokens] >= ends.best[tokens]
    while at > 0:
        if is_foreign:
            is_foreign = not ends.is_left[at]
            at -= 1
            cell = as_int(ends.cell[at])
            continue
        aligned_to[at - 1], pieces[at - 1] = cells.works[cell], piece
        before = as_int(cells.before[cell])
        at -= 1
        if before >= 0:
            while cells.rows[at - 1] > before:
                at -= 1
            cell = before
        else:
            piece += 1
            is_foreign, cell = before == FROM_FOREIGN, as_int(ends.cell[at])
    return aligned_to, pieces
