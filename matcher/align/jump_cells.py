"""The costs, texts and cells of a walk with leaps (matcher.align.jump_walk), and the targets of its leaps."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Tokens

UNALIGNED = -1
NO_CELL = -1
NO_PLACE = -1
SEED = 2  # tokens in a row that must be equal at the target of a leap, or the two after it
# The most pairs of page and work tokens considered for each seed token; beyond it seeds are longer. 2 ** 25: a page and
# a work of 5,800 tokens each, some 100,000 pairs by chance.
MAX_PLANE_OF_SEED = 1 << 25
MAX_SEED = 4
MULTIPLIER = 0x9E3779B1  # 2^32 by the golden ratio


class AlignmentSide(NamedTuple):
    """A stretch of a text: its tokens, their characters in simplified form, and the beginnings of sentences."""

    tokens: Tokens
    characters: NDArray[np.uint32]
    begins: NDArray[np.bool_]


class Cells(NamedTuple):
    """Pairs of a page token and a work token that a walk may visit, by page token.

    rows: the first cell of each page token; works, scores: the work token and the best score; before: the previous
    cell.
    """

    rows: NDArray[np.int32]
    works: NDArray[np.int32]
    scores: NDArray[np.int32]
    before: NDArray[np.int32]


class CellRow(NamedTuple):
    """The cells of the next page token, by work token. touched: cells offered; is_edit: reached by a gap or leap."""

    scores: NDArray[np.int32]
    before: NDArray[np.int32]
    is_edit: NDArray[np.bool_]
    touched: NDArray[np.int32]


class Ends(NamedTuple):
    """For each page token, the best walk that matched it, and the best walk that treats it as foreign.

    best, cell: score and cell of the first walk. foreign, left_at, is_left: of the second walk, the score, the last
    work token passed, and whether the walk left the work at this page token.
    """

    best: NDArray[np.int32]
    cell: NDArray[np.int32]
    foreign: NDArray[np.int32]
    left_at: NDArray[np.int32]
    is_left: NDArray[np.bool_]


class RunSeeds(NamedTuple):
    """The places in a work where runs of `length` tokens begin, by a hash that other runs may share.

    firsts: the first place by hash, or NO_PLACE; following: the next place with the same hash.
    """

    firsts: NDArray[np.int32]
    following: NDArray[np.int32]
    length: int


@kernel()
def find_seeds(page: Tokens, work: Tokens) -> RunSeeds:
    """Return the seeds of a work; long texts have longer seeds."""
    length = SEED
    while length < MAX_SEED and work.size * page.size > MAX_PLANE_OF_SEED << (6 * (length - SEED)):
        length += 1
    size = 16
    while size < 2 * work.size:
        size *= 2
    firsts, following = np.full(size, NO_PLACE, np.int32), np.empty(work.size, np.int32)
    for at in range(work.size - length, -1, -1):
        slot = _hash_slot(work, at, length, size)
        following[at], firsts[slot] = firsts[slot], at
    return RunSeeds(firsts, following, length)


@kernel(allocates=False)
def first_place(seeds: RunSeeds, page: Tokens, at: int) -> int:
    """Return the first place in the work that may have the tokens from `at` on, or NO_PLACE."""
    if at + seeds.length > page.size:
        return NO_PLACE
    return as_int(seeds.firsts[_hash_slot(page, at, seeds.length, seeds.firsts.size)])


@kernel(allocates=False)
def _hash_slot(tokens: Tokens, at: int, length: int, size: int) -> int:
    value = np.uint64(0)
    for place in range(at, at + length):
        value = (value ^ np.uint64(tokens[place])) * np.uint64(MULTIPLIER)
    return as_int((value >> np.uint64(20)) & np.uint64(size - 1))
