"""Which token of a work each token of a page stands for, where pieces may stand in another order: a walk with leaps.

The walk goes along the page. Each token is a match, stands beside another one, or is foreign; at any token it may leap
to another place of the work, which costs more than the edits inside a sentence and less than a sentence is worth. Of
all walks the best is found (Viterbi), over the few places that can still lead to it: those that no leap overtakes.
After Spang, Rehmsmeier and Stoye, "A novel approach to remote homology detection: jumping alignments", Journal of
Computational Biology 9, 2002, where leaps lead to another sequence, and Brudno et al., "Glocal alignment", 2003. See
docs/decisions/alignment-and-spans.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Bounds, NearTokens, Tokens, agree

UNALIGNED = -1
NOWHERE = -(1 << 29)  # a score that nothing reaches
# Where a cell was come to from, beside the number of another cell.
FROM_FOREIGN, FROM_BEST = -2, -3
NO_CELL = -1
SEED = 2  # tokens in a row that must be equal where a leap leads, or the two behind it
# Pairs of tokens of a page and a work that are looked at for each seed token; beyond it seeds are longer. 2 ** 25: a
# page and a work of 5,800 tokens each, some 100,000 pairs by chance.
MAX_PLANE_OF_SEED = 1 << 25
MAX_SEED = 4
# Of a piece around the passage: less agrees by chance. 4 to 14 tried on 24 passages that repeat
# themselves, 2026-11: of their shuffled sentences .0001 are left out with 4 and 6, .0016 with 10, .0027 with 14.
MIN_TOKENS_AROUND = 6
CELLS_A_TOKEN = 8  # 4 to 6 were needed; more room is made where it is too little


class JumpCosts(NamedTuple):
    """What a walk earns and pays. gap_tokens: the most of an edit; more is foreign, or a leap.

    same, near: for a token that is the same character, or that may stand for the other; other: for one beside another;
    gap, gap_more: for an edit and each token of it; foreign: to come to foreign text; back: to go on where it was
    left; leap: to go to any other place, backwards: to one before it, at most far more for a far one; boundary: earned
    by a leap or foreign text that begins with a sentence of the page or of the work; again: for a token of the work
    that another piece of the page has more of.
    """

    same: int
    near: int
    other: int
    gap: int
    gap_more: int
    gap_tokens: int
    foreign: int
    back: int
    leap: int
    backwards: int
    far: int
    boundary: int
    again: int


class Side(NamedTuple):
    """A stretch of a text: its tokens, their characters in simplified form, and which of them begin a sentence."""

    tokens: Tokens
    characters: NDArray[np.uint32]
    begins: NDArray[np.bool_]


class Cells(NamedTuple):
    """Pairs of a page token and a work token that a walk may pass, row by row of the page.

    rows: where each page token's begin; works, scores: the work token and the best walk to here; before: where from.
    """

    rows: NDArray[np.int32]
    works: NDArray[np.int32]
    scores: NDArray[np.int32]
    before: NDArray[np.int32]


class Row(NamedTuple):
    """The cells of the next page token, by work token; touched: the offered; is_edit: reached by a gap or leap."""

    scores: NDArray[np.int32]
    before: NDArray[np.int32]
    is_edit: NDArray[np.bool_]
    touched: NDArray[np.int32]


class Ends(NamedTuple):
    """Behind each page token: the best walk that matched it, and the best for which it is foreign.

    best, cell: score and cell of the first; foreign, left_at, is_left: of the second the score, the work token that
    was passed last, and whether it was left with this token.
    """

    best: NDArray[np.int32]
    cell: NDArray[np.int32]
    foreign: NDArray[np.int32]
    left_at: NDArray[np.int32]
    is_left: NDArray[np.bool_]


class Seeds(NamedTuple):
    """The places of a work by the tokens that begin there: heads by hash, then from each to the next."""

    heads: NDArray[np.int32]
    following: NDArray[np.int32]
    length: int


@kernel()
def align_with_jumps(page: Side, near: NearTokens, work: Side, inner: Bounds, costs: JumpCosts) -> NDArray[np.int32]:
    """int32[page tokens]: the place in `work` of each token's counterpart, or UNALIGNED.

    inner: of the page, what is known to be of the work; around it only pieces of some length have a counterpart. Where
    two pieces of the page have the same of the work, the lesser takes another place that has it too, if any.
    """
    seeds = _seeds(work.tokens, page.tokens.size)
    owners = np.full(work.tokens.size, UNALIGNED, np.int32)
    aligned_to, pieces = _walk(page, near, work, costs, seeds, owners)
    if _give_to_owners(aligned_to, pieces, owners) > costs.gap_tokens:
        aligned_to, pieces = _walk(page, near, work, costs, seeds, owners)
    _cut_off_around(aligned_to, pieces, inner)
    return aligned_to


@kernel()
def _seeds(work: Tokens, page_tokens: int) -> Seeds:
    length = SEED
    while length < MAX_SEED and work.size * page_tokens > MAX_PLANE_OF_SEED << (6 * (length - SEED)):
        length += 1
    size = 16
    while size < 2 * work.size:
        size *= 2
    heads, following = np.full(size, NO_CELL, np.int32), np.empty(work.size, np.int32)
    for at in range(work.size - length, -1, -1):
        head = _hash(work, at, length) & (size - 1)
        following[at] = heads[head]
        heads[head] = at
    return Seeds(heads, following, length)


@kernel(allocates=False)
def _hash(tokens: Tokens, at: int, length: int) -> int:
    value = 0
    for place in range(at, at + length):
        value = value * 1_000_003 + as_int(tokens[place])
    return (value ^ (value >> 17)) & 0x7FFFFFFF


@kernel()
def _walk(  # noqa: PLR0917 - kernels take no keywords
    page: Side, near: NearTokens, work: Side, costs: JumpCosts, seeds: Seeds, owners: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The counterparts of the page's tokens, and the number of the piece that each belongs to."""
    tokens, room = page.tokens.size, CELLS_A_TOKEN * page.tokens.size + 64
    rows, works = np.zeros(tokens + 1, np.int32), np.empty(room, np.int32)
    cells = Cells(rows, works, np.empty(room, np.int32), np.empty(room, np.int32))
    places = work.tokens.size + costs.gap_tokens + 2
    row = Row(
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
    at = _fill_rows(cells, row, ends, page, near, work, seeds, owners, costs, 0)
    while at < tokens:
        cells = _with_room(cells)
        at = _fill_rows(cells, row, ends, page, near, work, seeds, owners, costs, at)
    return _trace(cells, ends, tokens)


@kernel(allocates=False)
def _fill_rows(  # noqa: PLR0917 - kernels take no keywords
    cells: Cells,
    row: Row,
    ends: Ends,
    page: Side,
    near: NearTokens,
    work: Side,
    seeds: Seeds,
    owners: NDArray[np.int32],
    costs: JumpCosts,
    at: int,
) -> int:
    """Walk on from page token `at`; the token for whose cells there is no room, else how many there are."""
    while at < page.tokens.size:
        least = max(ends.best[at], ends.foreign[at]) - costs.leap - costs.backwards - costs.far
        offered = _go_on(cells, row, at, work.tokens.size, least, costs)
        if not _goes_on_well(cells, ends, page, work, at):
            offered = _come_in(cells, row, offered, ends, page, near, work, seeds, at, costs)
        if cells.rows[at] + offered > cells.works.size:
            for number in range(offered):
                row.scores[row.touched[number]] = NOWHERE
            return at
        _keep(cells, row, offered, ends, page, near, work, owners, at, least, costs)
        _leave(cells, ends, page.begins[at], at, costs)
        at += 1
    return at


@kernel(allocates=False)
def _goes_on_well(cells: Cells, ends: Ends, page: Side, work: Side, at: int) -> bool:
    """Whether the best walk goes on with the same token inside a sentence: a leap can as well come later."""
    cell = ends.cell[at]
    if cell == NO_CELL or page.begins[at] or ends.best[at] < ends.foreign[at]:
        return False
    there = cells.works[cell] + 1
    return bool(there < work.tokens.size and page.tokens[at] == work.tokens[there])


@kernel(allocates=False)
def _offer(  # noqa: PLR0917
    row: Row, offered: int, there: int, score: int, before: int, is_edit: bool
) -> int:
    """Note a way to a cell, if it is the best so far; how many cells are noted."""
    if score > row.scores[there]:
        if row.scores[there] == NOWHERE:
            row.touched[offered] = there
            offered += 1
        row.scores[there], row.before[there], row.is_edit[there] = score, before, is_edit
    return offered


@kernel(allocates=False)
def _go_on(  # noqa: PLR0917
    cells: Cells, row: Row, at: int, work_tokens: int, least: int, costs: JumpCosts
) -> int:
    """Offer what follows the cells of the tokens before `at`, directly and by a gap on either side."""
    offered = 0
    if at == 0:
        return offered
    for cell in range(cells.rows[at - 1], cells.rows[at]):
        there, score = cells.works[cell] + 1, cells.scores[cell]
        if there < work_tokens and score >= least:
            offered = _offer(row, offered, there, score, cell, False)
        for gap in range(1, costs.gap_tokens + 1):
            score = cells.scores[cell] - costs.gap - costs.gap_more * gap
            if score < least or there + gap >= work_tokens:
                break
            offered = _offer(row, offered, there + gap, score, cell, True)
    for gap in range(1, min(costs.gap_tokens, at - 1) + 1):
        cost = costs.gap + costs.gap_more * gap
        for cell in range(cells.rows[at - 1 - gap], cells.rows[at - gap]):
            there, score = cells.works[cell] + 1, cells.scores[cell] - cost
            if score >= least and there < work_tokens:
                offered = _offer(row, offered, there, score, cell, True)
    return offered


@kernel(allocates=False)
def _come_in(  # noqa: PLR0917 - kernels take no keywords
    cells: Cells,
    row: Row,
    offered: int,
    ends: Ends,
    page: Side,
    near: NearTokens,
    work: Side,
    seeds: Seeds,
    at: int,
    costs: JumpCosts,
) -> int:
    """Offer what a leap leads to, where the tokens there or soon behind are equal, and where the walk was left."""
    left_at = ends.left_at[at]
    if 0 <= left_at < work.tokens.size - 1:
        offered = _offer(row, offered, left_at + 1, ends.foreign[at] - costs.back, FROM_FOREIGN, True)
    for ahead in range(min(seeds.length + 1, page.tokens.size - at - seeds.length + 1)):
        place = seeds.heads[_hash(page.tokens, at + ahead, seeds.length) & (seeds.heads.size - 1)]
        while place != NO_CELL:
            there = place - ahead
            if there >= 0 and _begins_alike(page.tokens, near, work.tokens, at, there, ahead, seeds.length):
                offered = _leap(cells, row, offered, ends, page.begins[at], work.begins[there], at, there, costs)
            place = seeds.following[place]
    return offered


@kernel(allocates=False)
def _begins_alike(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, at: int, there: int, ahead: int, length: int
) -> bool:
    """Whether `length` tokens from `ahead` on are equal, and those before may stand for one another."""
    for place in range(ahead, ahead + length):
        if page[at + place] != work[there + place]:
            return False
    for place in range(ahead):  # noqa: SIM110 - compiled: no generators
        if not agree(page, near.rows, near.masks, work, at + place, there + place):
            return False
    return True


@kernel(allocates=False)
def _leap(  # noqa: PLR0917
    cells: Cells,
    row: Row,
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
    offered = _offer(row, offered, there, score, FROM_FOREIGN, True)
    if cell != NO_CELL:
        score = ends.best[at] + earned - _cost_of_leap(cells.works[cell], there, costs)
        offered = _offer(row, offered, there, score, FROM_BEST, True)
    return offered


@kernel(allocates=False)
def _cost_of_leap(before: int, there: int, costs: JumpCosts) -> int:
    distance, doublings = abs(there - before - 1) >> 3, 0
    while distance and doublings < costs.far:
        distance, doublings = distance >> 1, doublings + 1
    return as_int(costs.leap + doublings + (costs.backwards if there <= before else 0))


@kernel(allocates=False)
def _keep(  # noqa: PLR0917
    cells: Cells,
    row: Row,
    offered: int,
    ends: Ends,
    page: Side,
    near: NearTokens,
    work: Side,
    owners: NDArray[np.int32],
    at: int,
    least: int,
    costs: JumpCosts,
) -> None:
    """Make cells of what was offered for page token `at`, but for what is too little, and empty the row."""
    count = cells.rows[at]
    for number in range(offered):
        there = row.touched[number]
        earned = _earned(page, near, work, at, there, costs)
        if earned > 0 and owners[there] != UNALIGNED and owners[there] != at:
            earned -= costs.again
        score = row.scores[there] + earned
        row.scores[there] = NOWHERE
        # Behind an edit comes a match: without it the edit could as well come later.
        if score < least or (earned < 0 and row.is_edit[there]):
            continue
        cells.works[count], cells.scores[count], cells.before[count] = there, score, row.before[there]
        if score > ends.best[at + 1]:
            ends.best[at + 1], ends.cell[at + 1] = score, count
        count += 1
    cells.rows[at + 1] = count


@kernel(allocates=False)
def _earned(  # noqa: PLR0917
    page: Side, near: NearTokens, work: Side, at: int, there: int, costs: JumpCosts
) -> int:
    if page.tokens[at] == work.tokens[there]:
        return costs.same if page.characters[at] == work.characters[there] else costs.near
    if agree(page.tokens, near.rows, near.masks, work.tokens, at, there):
        return costs.near
    return costs.other


@kernel(allocates=False)
def _leave(cells: Cells, ends: Ends, begins: bool, at: int, costs: JumpCosts) -> None:
    """What the best walk is for which page token `at` is foreign."""
    earned = costs.boundary // 2 if begins else 0
    cell = ends.cell[at]
    score = ends.best[at] - costs.foreign + earned
    if cell != NO_CELL and score >= ends.foreign[at]:
        ends.foreign[at + 1], ends.left_at[at + 1], ends.is_left[at + 1] = score, cells.works[cell], True
    else:
        ends.foreign[at + 1], ends.left_at[at + 1] = ends.foreign[at], ends.left_at[at]


@kernel()
def _with_room(cells: Cells) -> Cells:
    """The same cells, with room for as many again and more."""
    used = cells.works.size
    longer = np.empty((3, 2 * used), np.int32)
    longer[0, :used], longer[1, :used], longer[2, :used] = cells.works, cells.scores, cells.before
    return Cells(cells.rows, longer[0], longer[1], longer[2])


@kernel()
def _trace(cells: Cells, ends: Ends, tokens: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The best walk, from its end: the work token of each page token, and the number of its piece."""
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


@kernel()
def _give_to_owners(aligned_to: NDArray[np.int32], pieces: NDArray[np.int32], owners: NDArray[np.int32]) -> int:
    """Note in `owners` which page token has each work token, that of the longest piece; how many others have it too."""
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
def _cut_off_around(aligned_to: NDArray[np.int32], pieces: NDArray[np.int32], inner: Bounds) -> None:
    """Take their counterparts from what stands around `inner` in pieces of a few tokens."""
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
