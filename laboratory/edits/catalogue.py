"""The edits by name, and recipes of several edits."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

from core.errors import NotFound
from laboratory.edits import insertion, sentences, substitution, surface
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material, default_material
from laboratory.edits.script import script

Edit = Callable[[Edited, float, Random, Material], Edited]
Recipe = Sequence[tuple[str, float]]

EDITS: Mapping[str, Edit] = MappingProxyType(
    {
        "homophone": substitution.homophone,
        "fuzzy-sound": substitution.fuzzy_sound,
        "shape": substitution.shape,
        "random": substitution.random_characters,
        "insertion": insertion.insertion,
        "deletion": insertion.deletion,
        "swap": insertion.swap,
        "script": script,
        "traditional-variants": substitution.traditional_variants,
        "pinyin-in-place": insertion.pinyin_in_place,
        "pinyin-after": insertion.pinyin_after,
        "punctuation": surface.punctuation,
        "width": surface.width,
        "spaces": insertion.spaces,
        "zero-width": insertion.zero_width,
        "private-use": substitution.private_use,
        "advertisement": sentences.advertisement,
        "sentence-shuffle": sentences.shuffle,
        "sentence-drop": sentences.drop,
    }
)

# The edits of one pirate to one page: a little, more, nearly everything. The script is changed after the characters and
# before the invisible edits, which would hide the words that OpenCC looks for.
COMBINATIONS: Mapping[str, Recipe] = MappingProxyType(
    {
        "combo1": (("homophone", 0.05), ("punctuation", 0.1), ("advertisement", 0.02)),
        "combo2": (
            *(("homophone", 0.1), ("random", 0.02), ("insertion", 0.02), ("deletion", 0.02), ("punctuation", 0.2)),
            *(("advertisement", 0.03), ("zero-width", 0.05)),
        ),
        "combo3": (
            *(("homophone", 0.15), ("random", 0.05), ("insertion", 0.05), ("deletion", 0.05), ("punctuation", 0.3)),
            *(("advertisement", 0.05), ("script", 1.0), ("zero-width", 0.1)),
        ),
    }
)


def edited(text: str, recipe: Recipe, seed: int, material: Material | None = None) -> Edited:
    """Return the text after several edits, one after the other.

    recipe: names of EDITS with strengths, 0-1. The same text, recipe and seed give the same result everywhere; each
    edit draws its own numbers, so a change of one strength does not affect the choices of the others.
    Raises NotFound for an unknown name, BadInput for a strength outside [0, 1].

    >>> edited("天地玄黄。", [("deletion", 1.0)], seed=7).text
    '。'
    """
    page = Edited.of(text)
    for number, (name, strength) in enumerate(recipe):
        if name not in EDITS:
            raise NotFound("edit", name, known=tuple(EDITS))
        page = EDITS[name](page, strength, _generator(seed, number, name), material or default_material())
    return page


def _generator(seed: int, number: int, name: str) -> Random:
    digest = hashlib.sha256(f"{seed} {number} {name}".encode()).digest()
    return Random(int.from_bytes(digest, "little"))  # noqa: S311 (edits are drawn, no secrets)
