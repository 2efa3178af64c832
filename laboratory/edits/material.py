"""The material of edits: confusion sets, common characters, slogans."""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fingerprint.readings import code_points
from laboratory.edits import sounds
from laboratory.edits.collected import Likeness, confusion_sets
from laboratory.edits.confusion import Confusions
from laboratory.edits.pieces import Pieces
from laboratory.edits.scripts import SCRIPTS
from laboratory.edits.shapes import LIKE_SHAPES
from laboratory.edits.slogans import SLOGANS


def _like_shapes() -> Confusions:
    """Return the groups, and the same in traditional form: 貝 is as like 見 as 贝 is like 见."""
    traditional = ("".join(map(chr, SCRIPTS.traditional_forms[code_points(group)])) for group in LIKE_SHAPES)
    return Confusions.of_alike([*LIKE_SHAPES, *traditional])


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Never changed once made. common: uint32[n], what random and inserted characters are drawn from.

    The homophones that it has by itself are those of the product's own table of readings: an engine that compares
    syllables by this table does not see them at all. origin: in a word, whose the sets are.
    """

    homophones: Confusions = field(default_factory=sounds.homophones)
    fuzzy_sounds: Confusions = field(default_factory=sounds.fuzzy_sounds)
    shapes: Confusions = field(default_factory=_like_shapes)
    variants: Confusions = field(default_factory=sounds.variants)
    common: NDArray[np.uint32] = field(default_factory=sounds.common_characters)
    slogans: tuple[str, ...] = SLOGANS
    origin: str = "own"

    @classmethod
    def of_corpora(cls, folder: Path) -> "Material":
        """With the confusion sets and slips of a folder of corpora (`laboratory.edits.collected`) in place of its own.

        Raises UnreadableFile where one of the two files is missing, MalformedLine for a line that is none.
        """
        sets = confusion_sets(folder)
        return cls(
            homophones=Confusions.of_sets(sets[Likeness.SOUND]).with_traditional(),
            fuzzy_sounds=Confusions.of_sets(sets[Likeness.NEAR_SOUND]).with_traditional(),
            shapes=Confusions.of_sets(sets[Likeness.SHAPE]),
            origin="corpora",
        )

    @property
    def slogan_pieces(self) -> Pieces:
        """The slogans, and behind them the same ones with a line of their own."""
        return Pieces.of([*self.slogans, *(slogan + "\n" for slogan in self.slogans)])


@cache
def default_material() -> Material:
    """Return the material from the product's own tables; creating it on the first call takes 0.16 s."""
    return Material()
