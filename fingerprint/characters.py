"""Kinds of characters, which decide whether normalisation reads a character, drops it or records it as noise."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """A code point's kind; OTHER is dropped silently (punctuation, line endings, foreign scripts)."""

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


NO_CHARACTER = 1  # replaces a missing Chinese character; 0 would be half of a pair that many share
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
# Private use (picture fonts), the replacement character, and the white square that editions print for a missing glyph:
# an unknown character.
WILDCARDS = (
    range(0xE000, 0xF900),
    range(0xF0000, 0xFFFFE),
    range(0x100000, 0x10FFFE),
    range(0xFFFD, 0xFFFE),
    range(0x25A1, 0x25A2),
)

TOKEN_BITS = 12  # of a sign: its token; the kind is stored in the bits above
TOKEN_MASK = (1 << TOKEN_BITS) - 1


@dataclass(frozen=True, eq=False)
class CharacterClasses:
    """The code points of each kind except HAN and DIGIT, which the readings determine. The last matching kind wins."""

    by_character: Mapping[Kind, str]
    by_range: Mapping[Kind, tuple[range, ...]]


CLASSES_2026 = CharacterClasses(
    by_character={
        Kind.LATIN: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" + TONED_LATIN,
        Kind.OPENING: "([（［【〔〈〖{｛",
        Kind.CLOSING: ")]）］】〕〉〗}｝",
        Kind.JOINING: "'’ʼ`-‐·",
    },
    by_range={
        Kind.FULL_WIDTH_LATIN: FULL_WIDTH_LATIN,
        Kind.ZERO_WIDTH: ZERO_WIDTH,
        Kind.SPACE: SPACES,
        Kind.WILDCARD: WILDCARDS,
    },
)
