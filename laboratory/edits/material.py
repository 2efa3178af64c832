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
    """Return the groups, also in traditional form: 貝 is as similar to 見 as 贝 is to 见."""
    traditional = ("".join(map(chr, SCRIPTS.traditional_forms[code_points(group)])) for group in LIKE_SHAPES)
    return Confusions.of_alike([*LIKE_SHAPES, *traditional])


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The immutable material of edits. common: uint32[n], source of random and inserted characters.

    The default homophones are those of the product's own table of readings; an engine that compares syllables by this
    table does not notice them. origin: a word for the source of the sets.
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
        """Return material with the confusion sets and slips of a folder of corpora (`laboratory.edits.collected`).

        Raises UnreadableFile if one of the two files is missing, MalformedLine for an invalid line.
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
        """The slogans, followed by the same slogans on a separate line."""
        return Pieces.of([*self.slogans, *(slogan + "\n" for slogan in self.slogans)])


@cache
def default_material() -> Material:
    """Return the material from the product's own tables; creating it on the first call takes 0.16 s."""
    return Material()
