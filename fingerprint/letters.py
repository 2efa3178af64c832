"""The letters of pinyin, and the initial of each token, which is the first letter of its syllable."""

import numpy as np
from numpy.typing import NDArray

LATIN = "abcdefghijklmnopqrstuvwxyz"
NO_LETTER = 0
LETTERS = len(LATIN) + 1  # NO_LETTER first
NO_VOWEL = frozenset({"", "m", "n", "ng", "hm", "hng"})  # readings of interjections; as Latin letters no pinyin
TOKENS = 1 << 16  # of 16 bits


def letter_number(letter: str) -> int:
    """Return the number of a letter: a is 1.

    >>> letter_number("z")
    26
    """
    return LATIN.index(letter) + 1


def initial_letters(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Return the initial of each token, uint8[65536]: 1 for a to 26 for z, NO_LETTER for wildcards and unused ids.

    names: the syllables by id; the name of id 0 is "".
    """
    letters = np.zeros(TOKENS, np.uint8)
    letters[1 : len(names)] = [letter_number(name[0]) for name in names[1:]]
    return letters
