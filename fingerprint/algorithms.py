"""Numbered fingerprint algorithms. A record is never edited: any change of a fingerprint requires a new id.

The id is the first byte of every stored fingerprint and part of every key of the index. How to add an algorithm:
docs/recipes/fingerprint-algorithm.md.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fingerprint.alphabets import FOLDED, INITIALS, SYLLABLES
from fingerprint.near import NEAR_2026, NearTable
from fingerprint.normalization import normalize, normalize_in_order
from fingerprint.rules import AnchorRule, Normalization, Seeds, WindowRule
from fingerprint.tables import TABLES_2026, Tables

MAX_ID = 255  # one byte


@dataclass(frozen=True, eq=False)
class Algorithm:
    """The parameters of a fingerprint, from the normalisation of a text to its seeds.

    near: the tokens that agree in alignment; it belongs to the reading table and changes no fingerprint. Raises
    ValueError if the parameters do not fit each other or the id is not from 1 to MAX_ID.
    """

    id: int
    normalization: Normalization
    windows: tuple[WindowRule, ...]
    anchors: AnchorRule
    seeds: Seeds = Seeds.ANCHORS
    near: NearTable = NEAR_2026

    def __post_init__(self) -> None:
        if self.near.table is not self.tables.readings:
            raise ValueError(f"algorithm {self.id} has characters that are near by other readings than its own")
        if not 0 < self.id <= MAX_ID:
            raise ValueError(f"an algorithm's id is 1 to {MAX_ID}, its first byte; {self.id} is not")
        if Seeds.WINDOWS in self.seeds and not self.windows:
            raise ValueError(f"algorithm {self.id} takes windows as seeds and has no rule to make them")

    @cached_property
    def tables(self) -> Tables:
        """The tables of characters."""
        return self.normalization.tables

    @cached_property
    def symbols(self) -> NDArray[np.uint16]:
        """The symbol that anchors hash for each token, uint16[65536]."""
        return self.anchors.alphabet.symbols(self.tables.readings.names)

    def as_dict(self) -> dict[str, Any]:
        """Return the record as JSON values, for evidence."""
        return {
            "id": self.id,
            "readings_digest": self.tables.readings.digest,
            "normalization": self.normalization.number,
            "windows": tuple(asdict(rule) for rule in self.windows),
            "anchors": {
                "alphabet": self.anchors.alphabet.name,
                "tokens": self.anchors.tokens,
                "one_in": self.anchors.one_in,
            },
            "seeds": self.seeds.name,
        }


NORMALIZATION_1 = Normalization(1, normalize, TABLES_2026)
NORMALIZATION_3 = Normalization(3, normalize_in_order, TABLES_2026)

# The 20 most frequent initials, with their permille of all tokens: mean of four kinds of text, equally weighted (news
# of 2013 and 2020, encyclopaedia paragraphs, prose of the 1920s to 1940s, older novels; 8.4 M tokens, November 2026).
# p 9.9, a 4.6 and o 0.4 are left out; i, u and v begin no syllable.
FREQUENT_INITIALS = "bcdefghjklmnqrstwxyz"
REFERENCE_PERMILLE = (49, 44, 81, 11, 28, 44, 42, 76, 17, 61, 29, 22, 38, 24, 92, 32, 41, 53, 100, 102)

# Granularity 64, overlap 50 %, [0,3] in 5 bytes: the published range that keeps precision and finds most (25 M
# characters of work, 8,665 pages: [0,1] accuses every page, [0,7] and [0,9] find half as many).
PUBLISHED_WINDOWS = WindowRule(64, 32, 3, FREQUENT_INITIALS, REFERENCE_PERMILLE)

# The same with half as many tokens: passages of 32 tokens have a window, and the index is twice as large.
FINE_WINDOWS = replace(PUBLISHED_WINDOWS, granularity=32, step=16)
SYLLABLE_ANCHORS = AnchorRule(SYLLABLES, 5, 4)

# 1, 2: anchors of plain syllables and of initials; 3, 4: windows as seeds; 5: anchors of folded syllables; 7: as 5, for
# texts restored to reading order. 6 did the same; its number is not used again
# (docs/decisions/fingerprint-and-index.md).
_ALL = (
    Algorithm(1, NORMALIZATION_1, (PUBLISHED_WINDOWS,), SYLLABLE_ANCHORS),
    Algorithm(2, NORMALIZATION_1, (PUBLISHED_WINDOWS,), AnchorRule(INITIALS, 10, 4)),
    Algorithm(3, NORMALIZATION_1, (PUBLISHED_WINDOWS,), SYLLABLE_ANCHORS, Seeds.WINDOWS),
    Algorithm(4, NORMALIZATION_1, (PUBLISHED_WINDOWS, FINE_WINDOWS), SYLLABLE_ANCHORS, Seeds.BOTH),
    Algorithm(5, NORMALIZATION_1, (PUBLISHED_WINDOWS,), AnchorRule(FOLDED, 5, 4)),
    Algorithm(7, NORMALIZATION_3, (PUBLISHED_WINDOWS,), AnchorRule(FOLDED, 5, 4)),
)
ALGORITHMS: Mapping[int, Algorithm] = {algorithm.id: algorithm for algorithm in _ALL}

# Folded syllables also find text confused by ear, with an index no larger (same decision). 7 equals 5 unless a text was
# put in another order. A change requires new fingerprints and a new index.
DEFAULT = ALGORITHMS[7]
