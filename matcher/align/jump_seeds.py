"""Where a leap may lead: the places of a work at which the tokens that stand next on a page begin."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import NearTokens, Tokens, agree

NO_PLACE = -1
SEED = 2  # tokens in a row that must be equal where a leap leads, or the two behind it
# Pairs of tokens of a page and a work that are looked at for each seed token; beyond it seeds are longer. 2 ** 25: a
# page and a work of 5,800 tokens each, some 100,000 pairs by chance.
MAX_PLANE_OF_SEED = 1 << 25
MAX_SEED = 4


class Seeds(NamedTuple):
    """The places of a work by the tokens that begin there: heads by hash, then from each to the next."""

    heads: NDArray[np.int32]
    following: NDArray[np.int32]
    length: int


@kernel()
def find_seeds(work: Tokens, page_tokens: int) -> Seeds:
    """The seeds of a work. page_tokens: of the page that looks for them; where both are long, seeds are longer."""
    length = SEED
    while length < MAX_SEED and work.size * page_tokens > MAX_PLANE_OF_SEED << (6 * (length - SEED)):
        length += 1
    size = 16
    while size < 2 * work.size:
        size *= 2
    heads, following = np.full(size, NO_PLACE, np.int32), np.empty(work.size, np.int32)
    for at in range(work.size - length, -1, -1):
        head = hash_of(work, at, length) & (size - 1)
        following[at] = heads[head]
        heads[head] = at
    return Seeds(heads, following, length)


@kernel(allocates=False)
def hash_of(tokens: Tokens, at: int, length: int) -> int:
    """A number of 31 bits for `length` tokens."""
    value = 0
    for place in range(at, at + length):
        value = value * 1_000_003 + as_int(tokens[place])
    return (value ^ (value >> 17)) & 0x7FFFFFFF


@kernel(allocates=False)
def begins_alike(  # noqa: PLR0917
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
