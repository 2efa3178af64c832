"""Seeded generators by name, and random numbers in bulk from them, the same in every version of Python.

Only `getrandbits` is used, whose Mersenne Twister output is fixed; everything else is integer arithmetic. The same seed
draws the same numbers at every strength, so a place that is edited at .1 is also edited at .2. Each class of cases has
its own generator, so a new class does not change the draws of the others.
"""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput

Item = TypeVar("Item")
WORD_BITS = 32


def generator(seed: int, *names: object) -> Random:
    """Return the random generator for a seed and names."""
    return Random(number(seed, *names))  # noqa: S311 (cases are drawn, no secrets)


def number(seed: int, *names: object) -> int:
    """Return a number of 63 bits derived from a seed and names."""
    digest = hashlib.sha256(" ".join(map(str, (seed, *names))).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def one_of(rng: Random, items: Sequence[Item]) -> Item:
    """Return a random item of a non-empty sequence."""
    return items[one_below(rng, len(items))]


def between(rng: Random, least: int, most: int) -> int:
    """Return a random integer in [least, most]."""
    return least + one_below(rng, most - least + 1)


def mixed(rng: Random, items: Sequence[Item]) -> list[Item]:
    """Return the items in a random order."""
    return [items[place] for place in order(rng, len(items)).tolist()]


def words(rng: Random, count: int) -> NDArray[np.uint32]:
    """Return uint32[count], uniformly distributed."""
    return np.frombuffer(rng.getrandbits(WORD_BITS * count).to_bytes(4 * count, "little"), "<u4") if count else _NONE


def below(rng: Random, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[n], a random number in [0, bound) for each bound; bounds are from 1 to 2**31."""
    return (words(rng, bounds.size).astype(np.int64) * bounds) >> WORD_BITS


def one_below(rng: Random, bound: int) -> int:
    """Return one random number in [0, bound)."""
    return (rng.getrandbits(WORD_BITS) * bound) >> WORD_BITS


def chosen(rng: Random, count: int, strength: float, of: int | None = None) -> NDArray[np.int64]:
    """Return int64[k], increasing random places below `count`, a share of `strength` of them.

    The number of places is rounded up or down at random, so that short texts get their share on average.
    of: the number that the share refers to, if it is more than `count`; all places are returned if they are too few.
    Raises BadInput for a strength outside [0, 1].
    """
    wanted = min(share(rng, count if of is None else of, strength), count)
    draws = words(rng, count)
    if wanted == count:
        return np.arange(count, dtype=np.int64)
    limit = np.partition(draws, wanted)[wanted]
    mask = draws < limit
    ties = np.flatnonzero(draws == limit)
    mask[ties[: wanted - np.count_nonzero(mask)]] = True
    return np.flatnonzero(mask)


def share(rng: Random, count: int, strength: float) -> int:
    """Return a share of a count as an integer, rounded at random so that its mean is exact.

    Raises BadInput for a strength outside [0, 1].
    """
    if not 0 <= strength <= 1:
        raise BadInput("laboratory.strength", strength=strength)
    return min(int(count * strength + rng.getrandbits(WORD_BITS) / (1 << WORD_BITS)), count)


def order(rng: Random, count: int) -> NDArray[np.int64]:
    """Return int64[count], the numbers below count in random order."""
    return np.argsort(words(rng, count), kind="stable")


_NONE = np.zeros(0, np.uint32)
