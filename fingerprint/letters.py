"""Initials: the first letter of each token's pinyin."""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import SYLLABLES

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
NO_LETTER = 0
LETTERS = len(ALPHABET) + 1  # NO_LETTER first


class InitialTable:
    """The initial of every token, worked out at the first question."""

    def __init__(self, syllables: tuple[str, ...]) -> None:
        self._syllables = syllables

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """uint8[65536]: 1 for a to 26 for z; NO_LETTER for wildcards and numbers that are no token."""
        letters = np.zeros(1 << 16, np.uint8)
        letters[1 : len(self._syllables)] = [number_of(name[0]) for name in self._syllables[1:]]
        return letters


def number_of(letter: str) -> int:
    """Number the letters: a is 1.

    >>> number_of("z")
    26
    """
    return ALPHABET.index(letter) + 1


def initials(tokens: NDArray[np.uint16]) -> NDArray[np.uint8]:
    """uint8[n]: the initial of each token."""
    return INITIALS.table[tokens]


INITIALS = InitialTable(SYLLABLES)
