"""Numbered fingerprint algorithms. A record is never edited: what changes a bit of a fingerprint gets a new id.

The id is the first byte of every stored fingerprint and part of every key of the index.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Flag, StrEnum
from types import MappingProxyType

PUBLISHED_MAX_DIGITS = (1, 3, 7, 9)


class Alphabet(StrEnum):
    """What the tokens of an anchor are."""

    SYLLABLES = "syllables"
    INITIALS = "initials"
    FOLDED = "folded"  # fingerprint.folding


class Seeds(Flag):
    """What the index of an algorithm takes, and `Fingerprint.hashes` holds."""

    ANCHORS = 1
    WINDOWS = 2
    BOTH = 3


@dataclass(frozen=True, slots=True)
class WindowRule:
    """How frequency windows are made.

    granularity, step: tokens; a step of half the granularity is 50 % overlap, and of 1 the most there is.
    """

    granularity: int
    step: int
    max_digit: int  # one of PUBLISHED_MAX_DIGITS
    letters: str  # alphabetical
    reference_permille: tuple[int, ...]  # of each letter, in ordinary Chinese

    def __post_init__(self) -> None:
        if not 1 <= self.step <= self.granularity:
            raise ValueError(f"a step of {self.step} does not fit a granularity of {self.granularity}")
        if len(self.letters) != len(self.reference_permille):
            raise ValueError("every letter needs its reference frequency")
        if list(self.letters) != sorted(set(self.letters)):
            raise ValueError(f"letters {self.letters!r} are not in alphabetical order, each once")
        if self.max_digit not in PUBLISHED_MAX_DIGITS:
            raise ValueError(f"digits up to {self.max_digit} are not published; choose among {PUBLISHED_MAX_DIGITS}")


@dataclass(frozen=True, slots=True)
class AnchorRule:
    """How anchors are made: hashes of `tokens` consecutive tokens, of which about one in `one_in` is kept."""

    alphabet: Alphabet
    tokens: int
    one_in: int


@dataclass(frozen=True, slots=True)
class Algorithm:
    """Everything that changes a bit of a fingerprint."""

    id: int
    readings_digest: str  # of fingerprint.readings.TABLE
    normalization: int  # the rules of fingerprint.normalization, counted
    windows: tuple[WindowRule, ...]
    anchors: AnchorRule
    seeds: Seeds = Seeds.ANCHORS

    def __post_init__(self) -> None:
        if Seeds.WINDOWS in self.seeds and not self.windows:
            raise ValueError(f"algorithm {self.id} takes windows as seeds and has no rule to make them")


READINGS_2026 = "39722b2c55c75e86878ced9d2bf63d276f4db0415b8453fb819cf33b69865633"

# The 20 most frequent initials, with their permille of all tokens: mean of four kinds of text, each weighed alike (news
# of 2013 and 2020, encyclopaedia paragraphs, prose of the 1920s to 1940s, older novels; 8.4 M tokens, November 2026).
# Left out are p 9.9, a 4.6 and o 0.4; i, u and v begin no syllable.
FREQUENT_INITIALS = "bcdefghjklmnqrstwxyz"
REFERENCE_PERMILLE = (49, 44, 81, 11, 28, 44, 42, 76, 17, 61, 29, 22, 38, 24, 92, 32, 41, 53, 100, 102)

# Granularity 64, overlap 50 %, [0,3] in 5 bytes: of the published ranges the one that keeps precision with the most
# found (25 M characters of work, 8,665 pages: [0,1] accuses every page, [0,7] and [0,9] find half as many).
PUBLISHED_WINDOWS = WindowRule(64, 32, 3, FREQUENT_INITIALS, REFERENCE_PERMILLE)

# The same over half as many tokens: passages of 32 tokens have a window, and twice the index.
FINE_WINDOWS = replace(PUBLISHED_WINDOWS, granularity=32, step=16)
SYLLABLE_ANCHORS = AnchorRule(Alphabet.SYLLABLES, 5, 4)

# 1, 2: anchors of plain syllables and of initials; 3, 4: windows as seeds; 5: anchors of folded syllables
# (docs/decisions/fingerprints-and-anchors.md).
_NUMBERED = (
    Algorithm(1, READINGS_2026, 1, (PUBLISHED_WINDOWS,), SYLLABLE_ANCHORS),
    Algorithm(2, READINGS_2026, 1, (PUBLISHED_WINDOWS,), AnchorRule(Alphabet.INITIALS, 10, 4)),
    Algorithm(3, READINGS_2026, 1, (PUBLISHED_WINDOWS,), SYLLABLE_ANCHORS, Seeds.WINDOWS),
    Algorithm(4, READINGS_2026, 1, (PUBLISHED_WINDOWS, FINE_WINDOWS), SYLLABLE_ANCHORS, Seeds.BOTH),
    Algorithm(5, READINGS_2026, 1, (PUBLISHED_WINDOWS,), AnchorRule(Alphabet.FOLDED, 5, 4)),
)
ALGORITHMS: Mapping[int, Algorithm] = MappingProxyType({algorithm.id: algorithm for algorithm in _NUMBERED})

# Folded syllables find what was confused by ear too, with an index no larger (decision as above).
# When this changes, all fingerprints and the index are made anew.
DEFAULT = ALGORITHMS[5]
