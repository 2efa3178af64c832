"""Detects replaced characters that resemble the originals more than by chance.

Any two characters may share a component, an initial or a rhyme by chance. If many of a passage's replaced ones do,
someone replaced them by sound or by shape: these are named so, at the weakest likeness of which at most one in ten is
chance.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.components import component_likeness

# A character of a text and a common one drawn at random share components to a likeness of at least .18, .14 ... in so
# many of 100 cases, an initial in 8, that or a rhyme in 17 (20,000 characters of the shared corpora; 2026-11-25).
SHAPE_LEVELS = (0.18, 0.14, 0.10, 0.07, 0.055, 0.04, 0.02)
SHAPE_CHANCES = (0.009, 0.019, 0.052, 0.116, 0.18, 0.274, 0.514)
SOUND_CHANCES = (0.083, 0.168)
MAX_CHANCE_SHARE = 0.1
# As if so many more had nothing in common: of one or two replaced characters only what is rarer than 1 in 20 speaks.
UNSEEN = 2
# So many homophones to one other replaced character, and the rest is what readings do not know: none is added.
MANY_HOMOPHONES = 9
NO_LEVEL, COUNT_ONLY = 99, -1
VOWELS = "aeiouv"  # v for ü
HARD_INITIALS = {"zh": "z", "ch": "c", "sh": "s"}  # taken for each other


class LikenessTables(NamedTuple):
    """Tables by row and by token.

    rows, starts, ids, totals, weights: of fingerprint.components. folding: to simplified characters. initials:
    `syllable_initials`, rhymes: `syllable_rhymes`, by token.
    """

    folding: NDArray[np.uint32]
    rows: NDArray[np.uint16]
    starts: NDArray[np.int32]
    ids: NDArray[np.uint16]
    totals: NDArray[np.float32]
    weights: NDArray[np.float32]
    initials: NDArray[np.uint8]
    rhymes: NDArray[np.uint8]


class Likeness(NamedTuple):
    """The places of two levels, NO_LEVEL for none."""

    by_shape: int
    by_sound: int


def syllable_initials(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the initial of each syllable, hard and soft alike, uint8[syllables]; 0 for a vowel.

    >>> syllable_initials(("", "zhang", "za", "an", "shi")).tolist()
    [0, 1, 1, 0, 2]
    """
    return _number_parts([HARD_INITIALS.get(initial, initial) for initial, _ in map(_parts, names)])


def syllable_rhymes(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the rest after the initial of each syllable, -n and -ng alike, uint8[syllables]; 0 for none.

    >>> syllable_rhymes(("", "zhang", "tan", "shi", "ni")).tolist()
    [0, 1, 1, 2, 2]
    """
    return _number_parts([rhyme.removesuffix("g") for _, rhyme in map(_parts, names)])


def _parts(name: str) -> tuple[str, str]:
    vowel = next((place for place, letter in enumerate(name) if letter in VOWELS), len(name))
    return name[:vowel], name[vowel:]


def _number_parts(parts: list[str]) -> NDArray[np.uint8]:
    different = list(dict.fromkeys(part for part in parts if part))
    return np.array([different.index(part) + 1 if part else 0 for part in parts], np.uint8)


@kernel(allocates=False)
def level_by_shape(one: int, other: int, tables: LikenessTables) -> int:
    """Return the highest level of two characters, original or simplified; NO_LEVEL if none."""
    alike = max(_likeness(one, other, tables), _likeness(tables.folding[one], tables.folding[other], tables))
    for level in range(len(SHAPE_LEVELS)):
        if alike >= SHAPE_LEVELS[level]:
            return level
    return NO_LEVEL


@kernel(allocates=False)
def level_by_sound(one: NDArray[np.uint16], other: NDArray[np.uint16], tables: LikenessTables) -> int:
    """Return 0 if readings of two characters share an initial, 1 if only a rhyme, NO_LEVEL if neither."""
    if _share(one, other, tables.initials):
        return 0
    return 1 if _share(one, other, tables.rhymes) else NO_LEVEL


@kernel(allocates=False)
def _share(one: NDArray[np.uint16], other: NDArray[np.uint16], parts: NDArray[np.uint8]) -> bool:
    for ours in one:
        if ours == 0:
            break
        if parts[ours]:
            for theirs in other:
                if theirs == 0:
                    break
                if parts[ours] == parts[theirs]:
                    return True
    return False


@kernel(allocates=False)
def level_beyond_chance(counts: NDArray[np.int64], chances: tuple[float, ...], pairs: int, unseen: int) -> int:
    """Return the weakest level not explained by chance; NO_LEVEL if all are.

    counts: the number of a passage's replaced characters by their first level; pairs: of all; unseen: assumed further
    characters without a likeness.
    """
    found, reaching = NO_LEVEL, 0
    for level in range(len(chances)):
        reaching += as_int(counts[level])
        by_chance = (pairs - reaching + unseen) * chances[level] / (1 - chances[level])
        if counts[level] and by_chance <= MAX_CHANCE_SHARE * reaching:
            found = level
    return found


@kernel(allocates=False)
def _likeness(one: int, other: int, tables: LikenessTables) -> float:
    rows = tables.rows
    return component_likeness(rows[one], rows[other], tables.starts, tables.ids, tables.totals, tables.weights)
