"""Finds the targets of leaps: the places of a work with the next tokens of a page."""

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
MULTIPLIER = 0x9E3779B1  # 2^32 by the golden ratio


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
