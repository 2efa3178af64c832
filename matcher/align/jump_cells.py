"""The texts and cells of a walk with leaps (matcher.align.jump_walk), and the seeds at which leaps land."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Tokens

UNALIGNED = -1
NO_CELL = -1
NO_POSITION = -1
SEED = 2  # consecutive tokens that must be equal at the target of a leap, or up to this many tokens after it
# The most pairs of page and work tokens considered for each seed token; beyond it seeds are longer. 2 ** 25: a page and
# a work of 5,800 tokens each, some 100,000 pairs by chance.
MAX_PLANE_OF_SEED = 1 << 25
MAX_SEED = 4
MULTIPLIER = 0x9E3779B1  # 2^32 by the golden ratio


class AlignmentSide(NamedTuple):
    """A stretch of a text: its tokens, their characters in simplified form, and the beginnings of sentences."""

    tokens: Tokens
    characters: NDArray[np.uint32]
    is_sentence_start: NDArray[np.bool_]


class Cells(NamedTuple):
    """Pairs of a page token and a work token that a walk may visit, by page token.

    rows: the first cell of each page token; works: the work token of each cell; scores: the best score that reaches it;
    previous: the cell from which it was reached.
    """

    rows: NDArray[np.int32]
    works: NDArray[np.int32]
    scores: NDArray[np.int32]
    previous: NDArray[np.int32]


class CellRow(NamedTuple):
    """The cells offered for the next page token, by work token.

    offers: the work tokens of the offered cells; is_edit: whether a cell is reached by a gap or a leap.
    """

    scores: NDArray[np.int32]
    previous: NDArray[np.int32]
    is_edit: NDArray[np.bool_]
    offers: NDArray[np.int32]


class Ends(NamedTuple):
    """The best walk that aligns each page token, and the best walk that treats it as foreign.

    best, cell: the score and the cell of the first walk. foreign, last_work_index: the score of the second walk, and
    the last work token that it aligned; leaves_work: whether the page token is the first of the foreign text.
    """

    best: NDArray[np.int32]
    cell: NDArray[np.int32]
    foreign: NDArray[np.int32]
    last_work_index: NDArray[np.int32]
    leaves_work: NDArray[np.bool_]


class RunSeeds(NamedTuple):
    """The positions in a work where runs of `length` tokens begin, by a hash that different runs may share.

    first_positions: the first position with each hash, or NO_POSITION; next_positions: for each position, the next one
    with the same hash.
    """

    first_positions: NDArray[np.int32]
    next_positions: NDArray[np.int32]
    length: int


@kernel()
def find_seeds(page: Tokens, work: Tokens) -> RunSeeds:
    """Return the seeds of a work. They are longer if page and work are long."""
    length = SEED
    while length < MAX_SEED and work.size * page.size > MAX_PLANE_OF_SEED << (6 * (length - SEED)):
        length += 1
    size = 16
    while size < 2 * work.size:
        size *= 2
    first_positions, next_positions = np.full(size, NO_POSITION, np.int32), np.empty(work.size, np.int32)
    for position in range(work.size - length, -1, -1):
        slot = _hash_slot(work, position, length, size)
        next_positions[position], first_positions[slot] = first_positions[slot], position
    return RunSeeds(first_positions, next_positions, length)


@kernel(allocates=False)
def first_candidate(seeds: RunSeeds, page: Tokens, page_index: int) -> int:
    """Return the first position in the work whose seed has the hash of the page's seed, or NO_POSITION."""
    if page_index + seeds.length > page.size:
        return NO_POSITION
    return as_int(seeds.first_positions[_hash_slot(page, page_index, seeds.length, seeds.first_positions.size)])


@kernel(allocates=False)
def _hash_slot(tokens: Tokens, start: int, length: int, size: int) -> int:
    value = np.uint64(0)
    for position in range(start, start + length):
        value = (value ^ np.uint64(tokens[position])) * np.uint64(MULTIPLIER)
    return as_int((value >> np.uint64(20)) & np.uint64(size - 1))
