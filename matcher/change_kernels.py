"""From aligned tokens to changes and figures in one walk, compiled; numba keeps the machine code on disk."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

WILDCARD = 0xFFFF  # fingerprint.normalization.WILDCARD; numba needs constants of this module
# What became of a pair of tokens; `numbers` of `told` gives each its number in the rows of changes.
HOMOPHONE, SHAPE, SCRIPT, PINYIN, REPLACED, NOISE = range(6)
SAME = -1
REWRITTEN, ELSEWHERE = 2, 3  # kinds of what stands alone: matcher.kernels

Rows = NDArray[np.int32]
Codes = NDArray[np.uint32]
Tokens = NDArray[np.uint16]
# Of code points: the folded one, and whether it is a letter; the row in the tables of near characters, and these.
Tables = tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.uint16]]


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def told(  # noqa: C901, PLR0912, PLR0917 - one walk along the passage; numba compiles no records
    pairs: Rows,
    alone: Rows,
    page: tuple[Codes, Tokens, int],
    work: tuple[Codes, Tokens, int],
    tables: Tables,
    numbers: tuple[NDArray[np.int32], NDArray[np.int32]],
    kinds: int,
) -> tuple[Rows, Rows, Rows, tuple[int, int, int]]:
    """Changes int32[c, 5], what was taken int32[r, 2], totals int32[kinds, 3]; tokens that match, are same, in one run.

    pairs, alone: as `matcher.kernels.paired` gives them. page, work: code points and tokens from a first token on, and
    which that is. numbers: of the kinds of pairs, and of those of what stands alone. A change is its number, page
    start, page end, work start, work end; in order of the page, those of one kind that touch on both sides joined. A
    total is how many changes there are of a kind, the tokens of their longer sides, and which comes first.
    """
    of_pair, of_alone = numbers
    rewritten, moved = _counted(alone)
    taken, taken_count = np.empty((pairs.shape[0] + rewritten, 2), np.int32), 0
    changes, count = np.empty((alone.shape[0] + 64, 5), np.int32), 0
    matched, same, longest, run = 0, 0, 0, 0
    next_alone, next_moved = 0, moved
    for number in range(pairs.shape[0] + 1):
        is_end = number == pairs.shape[0]
        kind = SAME
        if not is_end:
            here, there = pairs[number, 0], pairs[number, 1]
            if page[0][here - page[2]] != work[0][there - work[2]]:
                kind = _kind(page, work, here, there, tables)
            # What stands alone comes before a pair that begins behind it.
            place = (here, here + 1, there, there + 1)
        while next_alone < moved or next_moved < alone.shape[0]:
            at = next_alone if next_alone < moved else next_moved
            if next_moved < alone.shape[0] and _place(alone[next_moved]) < _place(alone[at]):
                at = next_moved
            if not is_end and _place(alone[at]) > place:
                break
            changes = _with_room(changes, count)
            count = _joined(changes, count, of_alone[alone[at, 0]], _place(alone[at]))
            next_alone, next_moved = next_alone + (at < moved), next_moved + (at >= moved)
        if is_end:
            break
        if kind != SAME:
            changes = _with_room(changes, count)
            count = _joined(changes, count, of_pair[kind], place)
        is_loose = kind in (REPLACED, NOISE)
        matched += not is_loose
        same += kind in (SAME, SCRIPT)
        follows = number > 0 and there == pairs[number - 1, 1] + 1
        if follows:
            taken[taken_count - 1, 1] += 1
        else:
            taken[taken_count, 0], taken[taken_count, 1] = there, there + 1
            taken_count += 1
        if is_loose:
            run = 0
        elif follows and here == pairs[number - 1, 0] + 1:
            run += 1
        else:
            run = 1
        longest = max(longest, run)
    for at in range(moved):
        if alone[at, 0] == REWRITTEN:
            taken[taken_count] = alone[at, 3:]
            taken_count += 1
    changes = changes[:count]
    return changes, taken[:taken_count], _totals(changes, kinds), (matched, same, longest)


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _counted(alone: Rows) -> tuple[int, int]:
    """How many rows are rewritten text, and which is the first of what stands elsewhere: these come last."""
    rewritten, moved = 0, alone.shape[0]
    for at in range(alone.shape[0]):
        rewritten += alone[at, 0] == REWRITTEN
        if alone[at, 0] == ELSEWHERE:
            moved = min(moved, at)
    return rewritten, moved


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _kind(
    page: tuple[Codes, Tokens, int], work: tuple[Codes, Tokens, int], here: int, there: int, tables: Tables
) -> int:
    """What became of the work's token `there`, for which the page has `here`, another character."""
    ours, theirs = page[0][here - page[2]], work[0][there - work[2]]
    folding, is_letter, rows, readings, shapes = tables
    our_token, their_token = page[1][here - page[2]], work[1][there - work[2]]
    agrees = our_token == their_token
    if their_token == WILDCARD:
        kind = SAME
    elif our_token == WILDCARD:
        kind = NOISE
    elif folding[ours] == folding[theirs]:
        kind = SCRIPT
    elif is_letter[ours]:
        kind = (SAME if is_letter[theirs] else PINYIN) if agrees else REPLACED
    elif agrees or _share(readings, rows[ours], rows[theirs]):
        kind = HOMOPHONE
    else:
        kind = SHAPE if _look_alike(shapes, rows[ours], rows[theirs]) else REPLACED
    return kind


@njit(cache=True, inline="always")  # type: ignore[misc,unused-ignore]
def _share(readings: NDArray[np.uint16], one: int, other: int) -> bool:
    for ours in readings[one]:
        if ours == 0:
            break
        for theirs in readings[other]:
            if ours == theirs:
                return True
    return False


@njit(cache=True, inline="always")  # type: ignore[misc,unused-ignore]
def _look_alike(shapes: NDArray[np.uint16], one: int, other: int) -> bool:
    if one == 0 or other == 0:
        return False
    for column in range(shapes.shape[1]):  # noqa: SIM110 - compiled: no generators
        if shapes[one, column] == other or shapes[other, column] == one:
            return True
    return False


@njit(cache=True, inline="always")  # type: ignore[misc,unused-ignore]
def _place(row: NDArray[np.int32]) -> tuple[int, int, int, int]:
    return (row[1], row[2], row[3], row[4])


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _joined(changes: Rows, count: int, kind: int, place: tuple[int, int, int, int]) -> int:
    """Note a change, or lengthen the last one by it; how many there are now."""
    page_start, page_end, work_start, work_end = place
    if count:
        last = changes[count - 1]
        if last[0] == kind and last[2] == page_start and last[4] == work_start:
            last[2], last[4] = page_end, work_end
            return count
    row = changes[count]
    row[0], row[1], row[2], row[3], row[4] = kind, page_start, page_end, work_start, work_end
    return count + 1


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _with_room(rows: Rows, count: int) -> Rows:
    """The rows, with room for one more behind `count`."""
    if count < rows.shape[0]:
        return rows
    longer = np.empty((2 * count, rows.shape[1]), np.int32)
    longer[:count] = rows
    return longer


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _totals(changes: Rows, kinds: int) -> Rows:
    totals = np.zeros((kinds, 3), np.int32)
    for number in range(changes.shape[0]):
        row = changes[number]
        total = totals[row[0]]
        if total[0] == 0:
            total[2] = number
        total[0] += 1
        total[1] += max(row[2] - row[1], row[4] - row[3])
    return totals
