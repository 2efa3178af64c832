"""What kind each code point is of, as far as normalisation cares."""

from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import CODE_POINTS, TABLE, ReadingTable


class Kind(IntEnum):
    """A code point's kind; OTHER is what is dropped without a word (punctuation, line ends, foreign scripts)."""

    OTHER = 0
    HAN = 1
    DIGIT = 2
    LATIN = 3
    FULL_WIDTH_LATIN = 4
    ZERO_WIDTH = 5
    SPACE = 6
    WILDCARD = 7
    OPENING = 8
    CLOSING = 9
    JOINING = 10


TONED_LATIN = "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜüńňǹḿêĀÁǍÀĒÉĚÈĪÍǏÌŌÓǑÒŪÚǓÙǕǗǙǛÜ"
FULL_WIDTH_LATIN = (range(0xFF21, 0xFF3B), range(0xFF41, 0xFF5B))
ZERO_WIDTH = (
    range(0xAD, 0xAE),
    range(0x34F, 0x350),
    range(0x180B, 0x180F),
    range(0x200B, 0x2010),
    range(0x202A, 0x202F),
    range(0x2060, 0x2070),
    range(0xFE00, 0xFE10),
    range(0xFEFF, 0xFF00),
    range(0xFFF9, 0xFFFC),
    range(0xE0000, 0xE0200),
)
SPACES = (
    range(0x09, 0x0A),
    range(0x20, 0x21),
    range(0xA0, 0xA1),
    range(0x2000, 0x200B),
    range(0x202F, 0x2030),
    range(0x205F, 0x2060),
    range(0x3000, 0x3001),
)
# Private use (picture fonts), the replacement character, and the white square that editions print for a character
# they have no glyph for: a character stood here, and nobody can say which.
WILDCARDS = (
    range(0xE000, 0xF900),
    range(0xF0000, 0xFFFFE),
    range(0x100000, 0x10FFFE),
    range(0xFFFD, 0xFFFE),
    range(0x25A1, 0x25A2),
)

TOKEN_BITS = 12  # of a sign; above them the kind
TOKEN_MASK = (1 << TOKEN_BITS) - 1


class CharacterKinds:
    """The kind of every code point, worked out at the first question."""

    def __init__(self, readings: ReadingTable) -> None:
        self._readings = readings

    @cached_property
    def table(self) -> NDArray[np.uint8]:
        """uint8[code point]: a `Kind`."""
        kinds = np.zeros(CODE_POINTS, np.uint8)
        kinds[self._readings.syllables > 0] = Kind.HAN
        folding = self._readings.folding
        kinds[(folding >= ord("0")) & (folding <= ord("9"))] = Kind.DIGIT
        for kind, characters in _BY_CHARACTER.items():
            kinds[[ord(character) for character in characters]] = kind
        for kind, ranges in _BY_RANGE.items():
            for codes in ranges:
                kinds[codes.start : codes.stop] = kind
        return kinds

    @cached_property
    def signs(self) -> NDArray[np.uint16]:
        """uint16[code point]: the kind above TOKEN_BITS, the syllable below; a wildcard has none."""
        signs = self._readings.syllables.copy()
        signs[self.table == Kind.WILDCARD] = 0
        signs += self.table.astype(np.uint16) << np.uint16(TOKEN_BITS)
        return signs


_BY_CHARACTER = {
    Kind.LATIN: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + TONED_LATIN,
    Kind.OPENING: "([（［【〔〈〖{｛",
    Kind.CLOSING: ")]）］】〕〉〗}｝",
    Kind.JOINING: "'’ʼ`-‐·",
}
_BY_RANGE = {
    Kind.FULL_WIDTH_LATIN: FULL_WIDTH_LATIN,
    Kind.ZERO_WIDTH: ZERO_WIDTH,
    Kind.SPACE: SPACES,
    Kind.WILDCARD: WILDCARDS,
}

KINDS = CharacterKinds(TABLE)
