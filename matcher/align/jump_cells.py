"""The costs, texts and cells of a walk with leaps (matcher.align.jump_walk), and the targets of its leaps."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Tokens

UNALIGNED = -1
NO_CELL = -1
NO_PLACE = -1
SEED = 2  # tokens in a row that must be equal where a leap leads, or the two behind it
# Pairs of tokens of a page and a work that are looked at for each seed token; beyond it seeds are longer. 2 ** 25: a
# page and a work of 5,800 tokens each, some 100,000 pairs by chance.
MAX_PLANE_OF_SEED = 1 << 25
MAX_SEED = 4
MULTIPLIER = 0x9E3779B1  # 2^32 by the golden ratio


class JumpCosts(NamedTuple):
    """The scores and costs of a walk. gap_tokens: the most of an edit; more is foreign, or a leap.

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


class AlignmentSide(NamedTuple):
    """A stretch of a text: its tokens, their characters in simplified form, and the beginnings of sentences."""

    tokens: Tokens
    characters: NDArray[np.uint32]
    begins: NDArray[np.bool_]


class Cells(NamedTuple):
    """Pairs of a page token and a work token that a walk may visit, by page token.

    rows: the start of each page token's cells; works, scores: the work token and the best score; before: the previous
    cell.
    """

    rows: NDArray[np.int32]
    works: NDArray[np.int32]
    scores: NDArray[np.int32]
    before: NDArray[np.int32]


class CellRow(NamedTuple):
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


class RunSeeds(NamedTuple):
    """The places of a work where runs of `length` tokens begin, by a hash that other runs may share.

    firsts: the first place by hash, or NO_PLACE; following: the next place with the same hash.
    """

    firsts: NDArray[np.int32]
    following: NDArray[np.int32]
    length: int


@kernel()
def find_seeds(page: Tokens, work: Tokens) -> RunSeeds:
    """Return the seeds of a work, longer ones for long texts."""
    length = SEED
    while length < MAX_SEED and work.size * page.size > MAX_PLANE_OF_SEED << (6 * (length - SEED)):
        length += 1
    size = 16
    while size < 2 * work.size:
        size *= 2
    firsts, following = np.full(size, NO_PLACE, np.int32), np.empty(work.size, np.int32)
    for at in range(work.size - length, -1, -1):
        slot = _slot(work, at, length, size)
        following[at], firsts[slot] = firsts[slot], at
    return RunSeeds(firsts, following, length)


@kernel(allocates=False)
def first_place(seeds: RunSeeds, page: Tokens, at: int) -> int:
    """Return the first place of the work that may have the tokens from `at` on, or NO_PLACE."""
    if at + seeds.length > page.size:
        return NO_PLACE
    return as_int(seeds.firsts[_slot(page, at, seeds.length, seeds.firsts.size)])


@kernel(allocates=False)
def _slot(tokens: Tokens, at: int, length: int, size: int) -> int:
    value = np.uint64(0)
    for place in range(at, at + length):
        value = (value ^ np.uint64(tokens[place])) * np.uint64(MULTIPLIER)
    return as_int((value >> np.uint64(20)) & np.uint64(size - 1))
