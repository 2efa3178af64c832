"""Classifies pairs of aligned tokens by the difference between page and work."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.readings import CODE_POINTS
from fingerprint.stream import WILDCARD
from matcher.align.replaced_pairs import LikenessTables
from matcher.align.text_part import TokenStretch

# What became of a pair of tokens that are not the same character.
HOMOPHONE, SHAPE, SCRIPT, PINYIN, REPLACED, NOISE = range(6)
SAME = -1


class CharacterTables(NamedTuple):
    """By code point: its simplified form, whether it is a Latin letter, its row in the tables of near characters.

    readings, shapes: these tables (fingerprint.near). variants: fingerprint.variants.variant_pairs; has_variants: by
    code point. fuzzy: fingerprint.fuzzy.fuzzy_syllables, by token. likeness: of rows.
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
    """Classify what became of the work's token `there`, for which the page has `here`."""
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
    """Return whether two simplified characters are similar in sound or shape, not only by one reading."""
    return bool(
        tables.is_letter[ours]
        or _share_a_reading(tables.readings, tables.rows[ours], tables.rows[theirs])
        or _look_alike(tables.shapes, tables.rows[ours], tables.rows[theirs])
        or _are_confused(tables.fuzzy, our_token, their_token)
    )


@kernel(allocates=False)
def _are_one_character(tables: CharacterTables, one: int, other: int) -> bool:
    """Return whether two simplified characters are equal or variants."""
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
