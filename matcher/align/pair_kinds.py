"""Classifies pairs of aligned tokens by the difference between page and work.

Any two characters may share a component, an initial or a rhyme by chance. If many replaced characters of a passage do,
someone replaced them by sound or by shape. Such pairs are named, at the weakest likeness at which at most one in ten is
chance.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.components import component_likeness
from fingerprint.readings import CODE_POINTS
from fingerprint.stream import WILDCARD
from matcher.align.tokenized_text import TokenStretch

# A character of a text and a common one drawn at random share components to a likeness of at least .18, .14 ... in this
# many of 100 cases, an initial in 8, an initial or a rhyme in 17 (20,000 characters of the shared corpora; 2026-11-25).
SHAPE_LEVELS = (0.18, 0.14, 0.10, 0.07, 0.055, 0.04, 0.02)
SHAPE_CHANCES = (0.009, 0.019, 0.052, 0.116, 0.18, 0.274, 0.514)
SOUND_CHANCES = (0.083, 0.168)
MAX_CHANCE_SHARE = 0.1
# Assumed further pairs without any likeness: with one or two replaced characters, only what is rarer than 1 in 20
# counts.
UNSEEN = 2
# If there are this many homophones to one other replaced character, the rest is what readings do not know: none is
# added.
MANY_HOMOPHONES = 9
NO_LEVEL, COUNT_ONLY = 99, -1
VOWELS = "aeiouv"  # v for ü
HARD_INITIALS = {"zh": "z", "ch": "c", "sh": "s"}  # often confused
# The outcome of a pair of tokens that are not the same character.
HOMOPHONE, SHAPE, SCRIPT, PINYIN, REPLACED, NOISE = range(6)
SAME = -1


class LikenessTables(NamedTuple):
    """Tables by row and by token.

    rows, starts, ids, totals, weights: the tables of fingerprint.components. folding: to simplified characters.
    initials: `syllable_initials`, rhymes: `syllable_rhymes`, by token.
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
    """The indexes of two levels; NO_LEVEL if there is none."""

    by_shape: int
    by_sound: int


def syllable_initials(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the initial of each syllable, with hard and soft initials merged, uint8[syllables]; 0 for a vowel.

    >>> syllable_initials(("", "zhang", "za", "an", "shi")).tolist()
    [0, 1, 1, 0, 2]
    """
    return _number_parts([HARD_INITIALS.get(initial, initial) for initial, _ in map(_syllable_parts, names)])


def syllable_rhymes(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the rest of each syllable after its initial, with -n and -ng merged, uint8[syllables]; 0 if there is none.

    >>> syllable_rhymes(("", "zhang", "tan", "shi", "ni")).tolist()
    [0, 1, 1, 2, 2]
    """
    return _number_parts([rhyme.removesuffix("g") for _, rhyme in map(_syllable_parts, names)])


def _syllable_parts(name: str) -> tuple[str, str]:
    vowel = next((place for place, letter in enumerate(name) if letter in VOWELS), len(name))
    return name[:vowel], name[vowel:]


def _number_parts(parts: list[str]) -> NDArray[np.uint8]:
    different = list(dict.fromkeys(part for part in parts if part))
    return np.array([different.index(part) + 1 if part else 0 for part in parts], np.uint8)


@kernel(allocates=False)
def level_by_shape(one: int, other: int, tables: LikenessTables) -> int:
    """Return the highest level of likeness of two characters, original or simplified; NO_LEVEL if there is none."""
    alike = max(_pair_likeness(one, other, tables), _pair_likeness(tables.folding[one], tables.folding[other], tables))
    for level in range(len(SHAPE_LEVELS)):
        if alike >= SHAPE_LEVELS[level]:
            return level
    return NO_LEVEL


@kernel(allocates=False)
def level_by_sound(one: NDArray[np.uint16], other: NDArray[np.uint16], tables: LikenessTables) -> int:
    """Return 0 if readings of two characters share an initial, 1 if only a rhyme, NO_LEVEL if neither."""
    if _share_part(one, other, tables.initials):
        return 0
    return 1 if _share_part(one, other, tables.rhymes) else NO_LEVEL


@kernel(allocates=False)
def _share_part(one: NDArray[np.uint16], other: NDArray[np.uint16], parts: NDArray[np.uint8]) -> bool:
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
    """Return the weakest level not explained by chance; NO_LEVEL if chance explains all.

    counts: the passage's replaced characters by their first level; pairs: all replaced characters; unseen: assumed
    further characters without a likeness.
    """
    found, reaching = NO_LEVEL, 0
    for level in range(len(chances)):
        reaching += as_int(counts[level])
        by_chance = (pairs - reaching + unseen) * chances[level] / (1 - chances[level])
        if counts[level] and by_chance <= MAX_CHANCE_SHARE * reaching:
            found = level
    return found


@kernel(allocates=False)
def _pair_likeness(one: int, other: int, tables: LikenessTables) -> float:
    rows = tables.rows
    return component_likeness(rows[one], rows[other], tables.starts, tables.ids, tables.totals, tables.weights)


class CharacterTables(NamedTuple):
    """Tables by code point: simplified form, whether it is a Latin letter, row in the near-character tables.

    readings, shapes: the near-character tables (fingerprint.near). variants: fingerprint.variants.variant_pairs;
    has_variants: by code point. fuzzy: fingerprint.fuzzy.fuzzy_syllables, by token. likeness: the likeness tables by
    row.
    """

    folding: NDArray[np.uint32]
    is_letter: NDArray[np.bool_]
    rows: NDArray[np.uint16]
    readings: NDArray[np.uint16]
    shapes: NDArray[np.uint16]
    has_variants: NDArray[np.bool_]
    variants: NDArray[np.int64]
    fuzzy: NDArray[np.uint16]
    likeness: LikenessTables


@kernel(allocates=False)
def classify_pair(page: TokenStretch, work: TokenStretch, here: int, there: int, tables: CharacterTables) -> int:
    """Classify the difference between the work's token `there` and the page's token `here`."""
    ours, theirs = page.codes[here - page.start], work.codes[there - work.start]
    if ours == theirs:
        return SAME
    our_token, their_token = page.tokens[here - page.start], work.tokens[there - work.start]
    agrees = our_token == their_token
    if their_token == WILDCARD:
        kind = SAME
    elif our_token == WILDCARD:
        kind = NOISE
    elif _are_one_character(tables, tables.folding[ours], tables.folding[theirs]):
        kind = SCRIPT
    elif tables.is_letter[ours]:
        kind = (SAME if tables.is_letter[theirs] else PINYIN) if agrees else REPLACED
    elif agrees or _share_a_reading(tables.readings, tables.rows[ours], tables.rows[theirs]):
        kind = HOMOPHONE
    elif _look_alike(tables.shapes, tables.rows[ours], tables.rows[theirs]):
        kind = SHAPE
    else:
        kind = HOMOPHONE if _are_confused(tables.fuzzy, our_token, their_token) else REPLACED
    return kind


@kernel(allocates=False)
def are_similar_characters(tables: CharacterTables, ours: int, theirs: int, our_token: int, their_token: int) -> bool:
    """Return whether two simplified characters are similar in sound or shape, by more than one reading."""
    return bool(
        tables.is_letter[ours]
        or _share_a_reading(tables.readings, tables.rows[ours], tables.rows[theirs])
        or _look_alike(tables.shapes, tables.rows[ours], tables.rows[theirs])
        or _are_confused(tables.fuzzy, our_token, their_token)
    )


@kernel(allocates=False)
def _are_one_character(tables: CharacterTables, one: int, other: int) -> bool:
    """Return whether two simplified characters are equal or variants of each other."""
    if one == other:
        return True
    if not (tables.has_variants[one] and tables.has_variants[other]):
        return False
    smaller, greater = min(as_int(one), as_int(other)), max(as_int(one), as_int(other))
    key, low, high = smaller * CODE_POINTS + greater, 0, tables.variants.size
    while low < high:
        middle = (low + high) >> 1
        if tables.variants[middle] < key:
            low = middle + 1
        else:
            high = middle
    return bool(low < tables.variants.size and tables.variants[low] == key)


@kernel(allocates=False)
def _are_confused(fuzzy: NDArray[np.uint16], one: int, other: int) -> bool:
    for syllable in fuzzy[one]:  # noqa: SIM110 - compiled: no generators
        if syllable == other:
            return True
    return False


@kernel(allocates=False)
def _share_a_reading(readings: NDArray[np.uint16], one: int, other: int) -> bool:
    for ours in readings[one]:
        if ours == 0:
            break
        for theirs in readings[other]:
            if ours == theirs:
                return True
    return False


@kernel(allocates=False)
def _look_alike(shapes: NDArray[np.uint16], one: int, other: int) -> bool:
    if one == 0 or other == 0:
        return False
    for column in range(shapes.shape[1]):  # noqa: SIM110 - compiled: no generators
        if shapes[one, column] == other or shapes[other, column] == one:
            return True
    return False
