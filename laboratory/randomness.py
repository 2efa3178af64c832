"""Seeded generators by name, so that adding a class of cases leaves the draws of the others as they were."""

import hashlib
from collections.abc import Sequence
from random import Random
from typing import TypeVar

from laboratory.edits import draws

Item = TypeVar("Item")


def generator(seed: int, *names: object) -> Random:
    """A generator of its own for every seed and names."""
    return Random(number(seed, *names))  # noqa: S311 (cases are drawn, no secrets)


def number(seed: int, *names: object) -> int:
    """A seed of 63 bits that follows from a seed and names."""
    digest = hashlib.sha256(" ".join(map(str, (seed, *names))).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def one_of(rng: Random, items: Sequence[Item]) -> Item:
    """One of the items, which are not empty."""
    return items[draws.one_below(rng, len(items))]


def between(rng: Random, least: int, most: int) -> int:
    """A whole number of [least, most]."""
    return least + draws.one_below(rng, most - least + 1)


def mixed(rng: Random, items: Sequence[Item]) -> list[Item]:
    """The items in a random order."""
    return [items[place] for place in draws.order(rng, len(items)).tolist()]
