"""Classifies pairs of aligned tokens by the difference between page and work.

Any two characters may share a component, an initial or a rhyme by chance. If many replaced characters of a passage do,
they were replaced by sound or by shape. Such pairs are classified at the weakest level of similarity at which chance
explains at most one pair in ten.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.components import component_similarity
from fingerprint.readings import CODE_POINTS
from fingerprint.stream import WILDCARD
from matcher.align.tokenized_text import TokenStretch

# A character of a text and a random common one share components with a similarity of at least .18, .14 ... in this
# many of 100 cases, an initial in 8, an initial or a rhyme in 17 (20,000 characters of the shared corpora; 2026-11-25).
SHAPE_LEVELS = (0.18, 0.14, 0.10, 0.07, 0.055, 0.04, 0.02)
SHAPE_CHANCES = (0.009, 0.019, 0.052, 0.116, 0.18, 0.274, 0.514)
SOUND_CHANCES = (0.083, 0.168)
MAX_CHANCE_SHARE = 0.1
# Assumed further pairs without any similarity: with one or two replaced characters, only what is rarer than 1 in 20
# counts.
UNSEEN = 2
# If there are this many homophones for each replaced character, the tables of readings lack the rest, and no further
# pairs are assumed.
MANY_HOMOPHONES = 9
NO_LEVEL, COUNT_ONLY = 99, -1
VOWELS = "aeiouv"  # v for ü
HARD_INITIALS = {"zh": "z", "ch": "c", "sh": "s"}  # often confused
# The outcome of a pair of tokens that are not the same character.
HOMOPHONE, SHAPE, SCRIPT, PINYIN, REPLACED, NOISE = range(6)
SAME = -1


class SimilarityTables(NamedTuple):
    """Tables for the similarity of characters, by row or by token.

    rows, starts, ids, totals, weights: the tables of fingerprint.components. folding: the simplified form of each code
    point. initials, rhymes: the results of `syllable_initials` and `syllable_rhymes`, by token.
    """

    folding: NDArray[np.uint32]
    rows: NDArray[np.uint16]
    starts: NDArray[np.int32]
    ids: NDArray[np.uint16]
    totals: NDArray[np.float32]
    weights: NDArray[np.float32]
    initials: NDArray[np.uint8]
    rhymes: NDArray[np.uint8]


class SimilarityLevels(NamedTuple):
    """The weakest levels at which replaced pairs are classified by shape and by sound.

    NO_LEVEL: pairs are not classified; COUNT_ONLY: pairs are only counted.
    """

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
    vowel = next((index for index, letter in enumerate(name) if letter in VOWELS), len(name))
    return name[:vowel], name[vowel:]


def _number_parts(parts: list[str]) -> NDArray[np.uint8]:
    different = list(dict.fromkeys(part for part in parts if part))
    return np.array([different.index(part) + 1 if part else 0 for part in parts], np.uint8)


@kernel(allocates=False)
def level_by_shape(first: int, second: int, tables: SimilarityTables) -> int:
    """Return the highest level of similarity that two characters reach, as written or simplified, or NO_LEVEL."""
    similarity = max(
        _pair_similarity(first, second, tables), _pair_similarity(tables.folding[first], tables.folding[second], tables)
    )
    for level in range(len(SHAPE_LEVELS)):
        if similarity >= SHAPE_LEVELS[level]:
            return level
    return NO_LEVEL


@kernel(allocates=False)
def level_by_sound(first: NDArray[np.uint16], second: NDArray[np.uint16], tables: SimilarityTables) -> int:
    """Return 0 if the readings of two characters share an initial, 1 if they share only a rhyme, or NO_LEVEL."""
    if _share_part(first, second, tables.initials):
        return 0
    return 1 if _share_part(first, second, tables.rhymes) else NO_LEVEL


@kernel(allocates=False)
def _share_part(first: NDArray[np.uint16], second: NDArray[np.uint16], parts: NDArray[np.uint8]) -> bool:
    for first_reading in first:
        if first_reading == 0:
            break
        if parts[first_reading]:
            for second_reading in second:
                if second_reading == 0:
                    break
                if parts[first_reading] == parts[second_reading]:
                    return True
    return False


@kernel(allocates=False)
def level_beyond_chance(counts: NDArray[np.int64], chances: tuple[float, ...], pairs: int, unseen_pairs: int) -> int:
    """Return the weakest level that chance does not explain, or NO_LEVEL.

    counts: the passage's replaced characters by the first level that they reach; pairs: the number of all replaced
    characters; unseen_pairs: how many further pairs without any similarity are assumed.
    """
    weakest, reached_count = NO_LEVEL, 0
    for level in range(len(chances)):
        reached_count += as_int(counts[level])
        by_chance = (pairs - reached_count + unseen_pairs) * chances[level] / (1 - chances[level])
        if counts[level] and by_chance <= MAX_CHANCE_SHARE * reached_count:
            weakest = level
    return weakest


@kernel(allocates=False)
def _pair_similarity(first: int, second: int, tables: SimilarityTables) -> float:
    rows = tables.rows
    return component_similarity(rows[first], rows[second], tables.starts, tables.ids, tables.totals, tables.weights)


class CharacterTables(NamedTuple):
    """Tables for the classification of pairs.

    folding, is_letter, rows, has_variants: by code point, its simplified form, whether it is a Latin letter, its row in
    the near-character tables, and whether it has variants. readings, shapes: the near-character tables
    (fingerprint.near). variants: fingerprint.variants.variant_pairs. fuzzy: fingerprint.fuzzy.fuzzy_syllables, by
    token. similarity: the tables of `level_by_shape` and `level_by_sound`.
    """

    folding: NDArray[np.uint32]
    is_letter: NDArray[np.bool_]
    rows: NDArray[np.uint16]
    readings: NDArray[np.uint16]
    shapes: NDArray[np.uint16]
    has_variants: NDArray[np.bool_]
    variants: NDArray[np.int64]
    fuzzy: NDArray[np.uint16]
    similarity: SimilarityTables


@kernel(allocates=False)
def classify_pair(
    page: TokenStretch, work: TokenStretch, page_index: int, work_index: int, tables: CharacterTables
) -> int:
    """Return the kind of difference between a page token and the work token aligned with it, or SAME."""
    page_code, work_code = page.codes[page_index - page.start], work.codes[work_index - work.start]
    if page_code == work_code:
        return SAME
    page_token, work_token = page.tokens[page_index - page.start], work.tokens[work_index - work.start]
    agrees = page_token == work_token
    if work_token == WILDCARD:
        kind = SAME
    elif page_token == WILDCARD:
        kind = NOISE
    elif _are_one_character(tables, tables.folding[page_code], tables.folding[work_code]):
        kind = SCRIPT
    elif tables.is_letter[page_code]:
        kind = (SAME if tables.is_letter[work_code] else PINYIN) if agrees else REPLACED
    elif agrees or _share_a_reading(tables.readings, tables.rows[page_code], tables.rows[work_code]):
        kind = HOMOPHONE
    elif _have_similar_shapes(tables.shapes, tables.rows[page_code], tables.rows[work_code]):
        kind = SHAPE
    else:
        kind = HOMOPHONE if _are_confused_syllables(tables.fuzzy, page_token, work_token) else REPLACED
    return kind


@kernel(allocates=False)
def are_similar_characters(
    tables: CharacterTables, page_code: int, work_code: int, page_token: int, work_token: int
) -> bool:
    """Return whether two simplified characters are similar: by any reading, by shape or by confused syllables."""
    return bool(
        tables.is_letter[page_code]
        or _share_a_reading(tables.readings, tables.rows[page_code], tables.rows[work_code])
        or _have_similar_shapes(tables.shapes, tables.rows[page_code], tables.rows[work_code])
        or _are_confused_syllables(tables.fuzzy, page_token, work_token)
    )


@kernel(allocates=False)
def _are_one_character(tables: CharacterTables, first: int, second: int) -> bool:
    """Return whether two simplified characters are equal or variants of each other."""
    if first == second:
        return True
    if not (tables.has_variants[first] and tables.has_variants[second]):
        return False
    smaller, greater = min(as_int(first), as_int(second)), max(as_int(first), as_int(second))
    key, low, high = smaller * CODE_POINTS + greater, 0, tables.variants.size
    while low < high:
        middle = (low + high) >> 1
        if tables.variants[middle] < key:
            low = middle + 1
        else:
            high = middle
    return bool(low < tables.variants.size and tables.variants[low] == key)


@kernel(allocates=False)
def _are_confused_syllables(fuzzy: NDArray[np.uint16], first: int, second: int) -> bool:
    for syllable in fuzzy[first]:  # noqa: SIM110 - compiled: no generators
        if syllable == second:
            return True
    return False


@kernel(allocates=False)
def _share_a_reading(readings: NDArray[np.uint16], first: int, second: int) -> bool:
    for first_reading in readings[first]:
        if first_reading == 0:
            break
        for second_reading in readings[second]:
            if first_reading == second_reading:
                return True
    return False


@kernel(allocates=False)
def _have_similar_shapes(shapes: NDArray[np.uint16], first: int, second: int) -> bool:
    if first == 0 or second == 0:
        return False
    for column in range(shapes.shape[1]):  # noqa: SIM110 - compiled: no generators
        if shapes[first, column] == second or shapes[second, column] == first:
            return True
    return False
