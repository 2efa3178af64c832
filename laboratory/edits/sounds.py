"""Confusion sets by reading: syllables that people confuse, and common characters."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from fingerprint.fuzzy import FINALS, INITIALS, WHOLE
from fingerprint.readings import CODE_POINTS, READINGS_2026, code_points
from fingerprint.syllables_2026 import SYLLABLES
from laboratory.edits.confusion import NONE, Confusions

# A pirate types with an input method, which offers common characters first. The product has no character frequencies;
# GB 2312 has two levels, common (3,755) and less common (3,008) characters, and rarer ones are not written.
COMMON_WEIGHT = 8
LESS_COMMON_WEIGHT = 1
LEVEL_1_ROWS = range(16, 56)
LEVEL_2_ROWS = range(56, 88)


def common_characters() -> NDArray[np.uint32]:
    """Return uint32[3755], the characters of level 1 of GB 2312, in order of code points."""
    return np.sort(code_points(_rows(LEVEL_1_ROWS)))


def character_weights() -> dict[int, int]:
    """Return the weights, by code point, of all characters that are written in place of others."""
    weights = dict.fromkeys(map(ord, _rows(LEVEL_2_ROWS)), LESS_COMMON_WEIGHT)
    return weights | dict.fromkeys(map(ord, _rows(LEVEL_1_ROWS)), COMMON_WEIGHT)


def homophones() -> Confusions:
    """Return groups of characters with the same toneless syllable."""
    return Confusions.of_groups(_syllable_groups(), _by_syllable())


def fuzzy_sounds() -> Confusions:
    """Return, for each character, the characters of syllables that are confused with its own."""
    by_syllable = _by_syllable()
    groups: list[dict[int, int]] = [{} for _ in SYLLABLES]
    for syllable, others in taken_for().items():
        for other in sorted(others):
            groups[SYLLABLES.index(syllable)] |= by_syllable[SYLLABLES.index(other)]
    return Confusions.of_groups(_syllable_groups(), groups)


def variants() -> Confusions:
    """Return groups of a simplified character and the characters that are simplified to it."""
    block = np.arange(0x4E00, 0x9FA6)
    roots, numbers = np.unique(READINGS_2026.folding[block], return_inverse=True)
    group_of = np.full(CODE_POINTS, NONE, np.int32)
    group_of[block] = numbers
    groups: list[dict[int, int]] = [{} for _ in roots]
    for code, number in zip(block.tolist(), numbers.tolist(), strict=True):
        groups[number][code] = 1
    return Confusions.of_groups(group_of, groups)


def taken_for() -> Mapping[str, frozenset[str]]:
    """Return, for each syllable, those that it is confused with: they differ in one initial or one final.

    >>> sorted(taken_for()["zhang"])
    ['zang', 'zhan']
    """
    known = set(SYLLABLES[1:])
    pairs = [(one, other) for one in sorted(known) for other in _apart(one) if other in known]
    found: dict[str, set[str]] = {syllable: set() for syllable in sorted(known)}
    for one, other in pairs:
        found[one].add(other)
        found[other].add(one)
    return {syllable: frozenset(others) for syllable, others in found.items()}


def _apart(syllable: str) -> Iterator[str]:
    for initial, other in INITIALS:
        if syllable.startswith(initial):
            yield other + syllable.removeprefix(initial)
    for final, other in FINALS:
        if syllable.endswith(final):
            yield syllable.removesuffix(final) + other
    yield from (other for one, other in WHOLE if one == syllable)


def _syllable_groups() -> NDArray[np.int32]:
    return np.where(READINGS_2026.syllables > 0, READINGS_2026.syllables.astype(np.int32), NONE).astype(np.int32)


def _by_syllable() -> list[dict[int, int]]:
    groups: list[dict[int, int]] = [{} for _ in SYLLABLES]
    for code, weight in character_weights().items():
        groups[int(READINGS_2026.syllables[code])][code] = weight
    groups[0] = {}
    return groups


def _rows(rows: range) -> str:
    """Return the characters of these rows of GB 2312; a few cells at the end of level 1 are empty."""
    cells = (bytes((0xA0 + row, 0xA0 + cell)) for row in rows for cell in range(1, 95))
    return "".join(cell.decode("gb2312", "ignore") for cell in cells)
