"""The tables of normalisation, computed from one reading table at first use."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import CLASSES_2026, NO_CHARACTER, TOKEN_BITS, CharacterClasses, Kind
from fingerprint.letters import initial_letters
from fingerprint.pinyin import PinyinReader
from fingerprint.readings import CODE_POINTS, READINGS_2026, ReadingTable


@dataclass(frozen=True, eq=False)
class Tables:
    """A reading table, a classification of characters, and the tables derived from both."""

    readings: ReadingTable
    classes: CharacterClasses

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """The `Kind` of each code point, uint8[code point]."""
        kinds = np.zeros(CODE_POINTS, np.uint8)
        kinds[self.readings.syllables > 0] = Kind.HAN
        folding = self.readings.folding
        kinds[(folding >= ord("0")) & (folding <= ord("9"))] = Kind.DIGIT
        for kind, characters in self.classes.by_character.items():
            kinds[[ord(character) for character in characters]] = kind
        for kind, ranges in self.classes.by_range.items():
            for codes in ranges:
                kinds[codes.start : codes.stop] = kind
        return kinds

    @cached_property
    def signs(self) -> NDArray[np.uint16]:
        """The sign of each code point, uint16[code point]: kind above TOKEN_BITS, syllable below (0 for wildcards)."""
        signs = self.readings.syllables.copy()
        signs[self.kinds == Kind.WILDCARD] = 0
        signs += self.kinds.astype(np.uint16) << np.uint16(TOKEN_BITS)
        return signs

    @cached_property
    def simplified_forms(self) -> NDArray[np.uint16]:
        """The simplified form of each Chinese character in the basic plane, uint16[code point].

        NO_CHARACTER for others.
        """
        folding = self.readings.folding
        is_simple = (self.kinds == Kind.HAN) & (folding <= np.iinfo(np.uint16).max)
        return np.where(is_simple, folding, NO_CHARACTER).astype(np.uint16)

    @cached_property
    def pinyin(self) -> PinyinReader:
        """The reader that splits Latin letters into syllables."""
        return PinyinReader(self.readings.names, self.kinds)

    @cached_property
    def initials(self) -> NDArray[np.uint8]:
        """The initial of every token, uint8[65536] (fingerprint.letters)."""
        return initial_letters(self.readings.names)


TABLES_2026 = Tables(READINGS_2026, CLASSES_2026)
