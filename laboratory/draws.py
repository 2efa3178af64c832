"""Seeded generators by name, and random numbers in bulk from them, the same in every version of Python.

Only `getrandbits` is asked, whose Mersenne Twister output is fixed; everything else is integer arithmetic. The same
seed draws the same numbers at every strength, so that what is edited at .1 is edited at .2 too; each class of cases has
a generator of its own, so that adding one leaves the draws of the others as they were.
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
    """Return a random generator of its own for each seed and name."""
    return Random(number(seed, *names))  # noqa: S311 (cases are drawn, no secrets)


def number(seed: int, *names: object) -> int:
    """Return a seed of 63 bits that follows from a seed and names."""
    digest = hashlib.sha256(" ".join(map(str, (seed, *names))).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def one_of(rng: Random, items: Sequence[Item]) -> Item:
    """Return one of the items, which are not empty."""
    return items[one_below(rng, len(items))]


def between(rng: Random, least: int, most: int) -> int:
    """Return a whole number of [least, most]."""
    return least + one_below(rng, most - least + 1)


def mixed(rng: Random, items: Sequence[Item]) -> list[Item]:
    """Return the items in a random order."""
    return [items[place] for place in order(rng, len(items)).tolist()]


def words(rng: Random, count: int) -> NDArray[np.uint32]:
    """uint32[count], uniform."""
    return np.frombuffer(rng.getrandbits(WORD_BITS * count).to_bytes(4 * count, "little"), "<u4") if count else _NONE


def below(rng: Random, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: a number of [0, bound) for each bound; bounds are of 1 to 2**31."""
    return (words(rng, bounds.size).astype(np.int64) * bounds) >> WORD_BITS


def one_below(rng: Random, bound: int) -> int:
    """Return one number of [0, bound)."""
    return (rng.getrandbits(WORD_BITS) * bound) >> WORD_BITS


def chosen(rng: Random, count: int, strength: float, of: int | None = None) -> NDArray[np.int64]:
    """int64[k], increasing: places among `count`, a share of them that is exactly `strength`.

    What is left of a whole number is rounded up or down by chance, so that short texts get their share on average.
    of: what the share is of, where that is more than the places; all of them where they are too few.
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
    """Return a share of a count as a whole number, rounded by chance so that its mean is exact.

    Raises BadInput for a strength outside [0, 1].
    """
    if not 0 <= strength <= 1:
        raise BadInput("laboratory.strength", strength=strength)
    return min(int(count * strength + rng.getrandbits(WORD_BITS) / (1 << WORD_BITS)), count)


def order(rng: Random, count: int) -> NDArray[np.int64]:
    """int64[count]: a random order of the numbers below count."""
    return np.argsort(words(rng, count), kind="stable")


_NONE = np.zeros(0, np.uint32)
