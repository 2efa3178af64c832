"""Continues a walk while there is only one way: along equal tokens with single edits among them.

The steps taken here are those that the walk over all cells (matcher.align.jump_walk) would find. Inside a run of equal
tokens a gap could as well come later. An edit is clear if both sides continue behind it for RUN_BEHIND_EDIT tokens, and
no other way continues for more than two.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.stream import WILDCARD
from matcher.align.jump_cells import (
    NO_CELL,
    NO_PLACE,
    UNALIGNED,
    AlignmentSide,
    Cells,
    Ends,
    RunSeeds,
    first_place,
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
    at: int,
    costs: JumpCosts,
) -> int:
    """Walk on from page token `at` while there is only one way; return the token at which the way or the room ends."""
    if not _is_only_way(cells, ends, page.tokens, work.tokens, at, costs.gap_tokens):
        return at
    cell = as_int(ends.cell[at])
    there, score = as_int(cells.works[cell]) + 1, as_int(cells.scores[cell])
    while at < page.tokens.size and there < work.tokens.size:
        on_page, in_work, room = 1, 1, cells.works.size - as_int(cells.rows[at])
        same = _same_characters(page, work, owners, at, there, room)
        if same >= MIN_STRIDE and score - costs.foreign > ends.foreign[at]:
            cell = _take_run(cells, ends, at, there, same, cell, score, costs)
            at, there, score = at + same, there + same, score + same * costs.same
            continue
        if not _continues_run(page, near, work, seeds, at, there, costs.gap_tokens):
            on_page, in_work = _clear_edit(page, work, at, there, costs.gap_tokens)
        if on_page == in_work == 1 and room:
            score = _align_pair(cells, ends, page, near, work, tables, owners, at, there, cell, score, costs)
            cell = as_int(ends.cell[at + 1])
        elif on_page != in_work:
            _skip_page_tokens(cells, ends, at, on_page, cell, score - costs.foreign)
            score -= costs.gap + costs.gap_more * (on_page + in_work)
        else:
            break
        at, there = at + on_page, there + in_work
    return at


@kernel(allocates=False)
def _is_only_way(  # noqa: PLR0917
    cells: Cells, ends: Ends, page: Tokens, work: Tokens, at: int, most: int
) -> bool:
    """Return whether the best walk continues for RUN_BEHIND_EDIT tokens, and no other cell does for a few."""
    best = ends.cell[at]
    if best == NO_CELL or ends.best[at] < ends.foreign[at]:
        return False
    there = cells.works[best] + 1
    if equal_tokens(page, work, at, there, RUN_BEHIND_EDIT) < RUN_BEHIND_EDIT:
        return False
    for cell in range(cells.rows[at - 1], cells.rows[at]):
        for gap in range(most + 1):
            other = cells.works[cell] + 1 + gap
            if other != there and equal_tokens(page, work, at, other, MAX_RUN_OF_OTHERS + 1) > MAX_RUN_OF_OTHERS:
                return False
    for cell in range(cells.rows[max(at - 1 - most, 0)], cells.rows[at - 1]):
        other = cells.works[cell] + 1
        if other != there and equal_tokens(page, work, at, other, MAX_RUN_OF_OTHERS + 1) > MAX_RUN_OF_OTHERS:
            return False
    return True


@kernel(allocates=False)
def _continues_run(  # noqa: PLR0917
    page: AlignmentSide, near: NearTokens, work: AlignmentSide, seeds: RunSeeds, at: int, there: int, behind: int
) -> bool:
    """Return whether the next token is the same, and no sentence or other character begins something else."""
    if page.tokens[at] != work.tokens[there]:
        return False
    if page.begins[at]:
        same = equal_tokens(page.tokens, work.tokens, at, there, CLEAR_RUN)
        if same < CLEAR_RUN and leads_farther(page.tokens, near, work.tokens, seeds, at, same):
            return False
    is_same = page.characters[at] == work.characters[there]
    return bool(is_same or equal_tokens(page.tokens, work.tokens, at, there, behind + 1) > behind)


@kernel(allocates=False)
def leads_farther(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, seeds: RunSeeds, at: int, covered: int
) -> bool:
    """Return whether more than `covered` of the page's next tokens occur in a row anywhere in the work."""
    for ahead in range(min(seeds.length + 1, page.size - at)):
        place = first_place(seeds, page, at + ahead)
        while place != NO_PLACE:
            if is_landing(page, near, work, seeds, at, place, ahead, covered):
                return True
            place = as_int(seeds.following[place])
    return False


@kernel(allocates=False)
def is_landing(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, seeds: RunSeeds, at: int, place: int, ahead: int, covered: int
) -> bool:
    """Return whether a leap may land `ahead` tokens before a seed: tokens agree up to it, then are equal."""
    least = max(seeds.length, covered + 1 - ahead)
    if place < ahead or equal_tokens(page, work, at + ahead, place, least) < least:
        return False
    for before in range(ahead):
        if not do_tokens_agree(page, near.rows, near.masks, work, at + before, place - ahead + before):
            return False
    return True


@kernel(allocates=False)
def _same_characters(  # noqa: PLR0917
    page: AlignmentSide, work: AlignmentSide, owners: NDArray[np.int32], at: int, there: int, most: int
) -> int:
    """Count equal characters from here on, within a sentence and not owned by another piece; at most `most`."""
    size = min(most, page.tokens.size - at, work.tokens.size - there)
    for place in range(size):
        is_same = page.tokens[at + place] == work.tokens[there + place]
        is_same &= page.characters[at + place] == work.characters[there + place]
        if not is_same or page.begins[at + place] or owners[there + place] != UNALIGNED:
            return place
    return max(size, 0)


@kernel(allocates=False)
def _take_run(  # noqa: PLR0917
    cells: Cells, ends: Ends, at: int, there: int, size: int, cell: int, score: int, costs: JumpCosts
) -> int:
    """Take `size` equal tokens of the work, each better than leaving before it; return the last cell."""
    first = as_int(cells.rows[at])
    for place in range(size):
        before, behind = score + place * costs.same, score + (place + 1) * costs.same
        cells.works[first + place], cells.scores[first + place] = there + place, behind
        cells.before[first + place], cells.rows[at + place + 1] = first + place - 1, first + place + 1
        ends.best[at + place + 1], ends.cell[at + place + 1] = behind, first + place
        ends.foreign[at + place + 1], ends.left_at[at + place + 1] = before - costs.foreign, there + place - 1
        ends.is_left[at + place + 1] = True
    cells.before[first] = cell
    return first + size - 1


@kernel(allocates=False)
def _clear_edit(page: AlignmentSide, work: AlignmentSide, at: int, there: int, most: int) -> tuple[int, int]:
    """Return the tokens of page and work in one clear edit: equally many, or on one side only; 0, 0 if unclear."""
    found, others = (0, 0), 0
    for size in range(most + 1):
        for on_page, in_work in ((size, 0), (0, size)) if size else ((1, 1), (2, 2)):
            same = equal_tokens(page.tokens, work.tokens, at + on_page, there + in_work, RUN_BEHIND_EDIT)
            if same < RUN_BEHIND_EDIT:
                others = max(others, same)
            elif found == (0, 0):
                found = (on_page, in_work)
            elif (on_page, in_work) != (2, 2):
                return 0, 0
    if others > MAX_RUN_OF_OTHERS:
        return 0, 0
    for place in range(at, min(at + found[0] + 1, page.begins.size)):
        if page.begins[place]:
            return 0, 0
    return (1, 1) if found == (2, 2) else found


@kernel(allocates=False)
def _align_pair(  # noqa: PLR0917
    cells: Cells,
    ends: Ends,
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    owners: NDArray[np.int32],
    at: int,
    there: int,
    cell: int,
    score: int,
    costs: JumpCosts,
) -> int:
    """Align the work token `there` with the page token `at`, after a cell; return the new score."""
    leave_work(ends, at, there - 1, score - costs.foreign + (costs.boundary // 2 if page.begins[at] else 0))
    score += pair_score(page, near, work, tables, owners, at, there, costs)
    new = as_int(cells.rows[at])
    cells.works[new], cells.scores[new], cells.before[new] = there, score, cell
    ends.best[at + 1], ends.cell[at + 1] = score, new
    cells.rows[at + 1] = new + 1
    return score


@kernel(allocates=False)
def _skip_page_tokens(  # noqa: PLR0917
    cells: Cells, ends: Ends, at: int, on_page: int, cell: int, foreign: int
) -> None:
    """Skip page tokens from `at` on.

    cell: the cell before them; foreign: the score of a walk that left the work there.
    """
    for place in range(at, at + on_page):
        leave_work(ends, place, as_int(cells.works[cell]), foreign)
        cells.rows[place + 1] = cells.rows[place]


@kernel(allocates=False)
def leave_work(ends: Ends, at: int, there: int, score: int) -> None:
    """Store the walk for which page token `at` is foreign: the one that left at `there`, or the previous one."""
    is_left = score > ends.foreign[at]
    ends.is_left[at + 1] = is_left
    ends.left_at[at + 1] = there if is_left else ends.left_at[at]
    ends.foreign[at + 1] = score if is_left else ends.foreign[at]


@kernel(allocates=False)
def pair_score(  # noqa: PLR0917
    page: AlignmentSide,
    near: NearTokens,
    work: AlignmentSide,
    tables: CharacterTables,
    owners: NDArray[np.int32],
    at: int,
    there: int,
    costs: JumpCosts,
) -> int:
    """Return the score of aligning page token `at` with work token `there`."""
    again = costs.again if owners[there] not in (UNALIGNED, at) else 0
    ours, theirs = page.tokens[at], work.tokens[there]
    if ours == theirs:
        return (costs.same if page.characters[at] == work.characters[there] else costs.near) - again
    if not do_tokens_agree(page.tokens, near.rows, near.masks, work.tokens, at, there):
        return costs.other
    if ours == WILDCARD or theirs == WILDCARD:  # noqa: PLR1714 - compiled: no tuples
        return costs.near - again
    is_similar = are_similar_characters(tables, page.characters[at], work.characters[there], ours, theirs)
    return costs.near - again if is_similar else costs.other


@kernel(allocates=False)
def equal_tokens(page: Tokens, work: Tokens, at: int, there: int, most: int) -> int:
    """Count equal tokens from two places on, at most `most`."""
    size = min(most, page.size - at, work.size - there)
    ours, theirs = np.uint64(at), np.uint64(there)  # unsigned: numba counts negative indexes from the end
    for place in range(size):
        if page[ours + np.uint64(place)] != work[theirs + np.uint64(place)]:
            return place
    return max(size, 0)
