"""Where a leap may lead: the places of a work at which the tokens that stand next on a page begin."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Tokens

NO_PLACE = -1
SEED = 2  # tokens in a row that must be equal where a leap leads, or the two behind it
# Pairs of tokens of a page and a work that are looked at for each seed token; beyond it seeds are longer. 2 ** 25: a
# page and a work of 5,800 tokens each, some 100,000 pairs by chance.
MAX_PLANE_OF_SEED = 1 << 25
MAX_SEED = 4


class Seeds(NamedTuple):
    """Where the tokens that begin at each token of a page stand in a work.

    firsts: the first place by page token, or NO_PLACE; following: from each place to the next with the same tokens.
    """

    firsts: NDArray[np.int32]
    following: NDArray[np.int32]
    length: int


@kernel()
def find_seeds(page: Tokens, work: Tokens) -> Seeds:
    """The seeds of a page in a work; where both are long, they are longer."""
    length = SEED
    while length < MAX_SEED and work.size * page.size > MAX_PLANE_OF_SEED << (6 * (length - SEED)):
        length += 1
    size = 16
    while size < 2 * work.size:
        size *= 2
    heads, following = np.full(size, NO_PLACE, np.int32), np.empty(work.size, np.int32)
    for at in range(work.size - length, -1, -1):
        slot = _slot_of(heads, work, work, at, length)
        following[at], heads[slot] = heads[slot], at
    firsts = np.full(page.size, NO_PLACE, np.int32)
    for at in range(page.size - length + 1):
        firsts[at] = heads[_slot_of(heads, work, page, at, length)]
    return Seeds(firsts, following, length)


@kernel(allocates=False)
def _slot_of(heads: NDArray[np.int32], work: Tokens, tokens: Tokens, at: int, length: int) -> int:
    """Which of `heads` has the places of these tokens, or is free for them."""
    value = 0
    for place in range(at, at + length):
        value = value * 1_000_003 + as_int(tokens[place])
    slot = (value ^ (value >> 17)) & (heads.size - 1)
    while heads[slot] != NO_PLACE and not _are_equal(tokens, at, work, heads[slot], length):
        slot = (slot + 1) & (heads.size - 1)
    return slot


@kernel(allocates=False)
def _are_equal(tokens: Tokens, at: int, work: Tokens, there: int, length: int) -> bool:
    for place in range(length):  # noqa: SIM110 - compiled: no generators
        if tokens[at + place] != work[there + place]:
            return False
    return True
