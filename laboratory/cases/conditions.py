"""The conditions that pages are made under: which edits at which strength, and how many pages of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from laboratory.edits.catalogue import COMBINATIONS, Recipe


@dataclass(frozen=True, slots=True)
class Condition:
    """One row of the tables. strength: of the edit, 0-1; for a combination its number. chars: length of an excerpt."""

    attack: str
    strength: float
    recipe: Recipe
    chars: int = 0


def mix(strength: float) -> Recipe:
    """Return the edits of manual copying: of ten edits four homophones, two slips, two insertions, two omissions."""
    if not strength:
        return ()
    return (
        ("homophone", 0.4 * strength),
        ("random", 0.2 * strength),
        ("insertion", 0.2 * strength),
        ("deletion", 0.2 * strength),
    )


def _one(name: str, *strengths: float) -> tuple[Condition, ...]:
    return tuple(Condition(name, strength, ((name, strength),)) for strength in strengths)


def _indel(*strengths: float) -> tuple[Condition, ...]:
    return tuple(
        Condition("indel", strength, (("insertion", strength / 2), ("deletion", strength / 2)))
        for strength in strengths
    )


def _excerpt(chars: int, attack: str, strength: float, recipe: Recipe) -> Condition:
    return Condition(attack, strength, recipe, chars)


NONE = Condition("none", 0, ())
COMBOS = tuple(Condition("combo", int(name[-1]), recipe) for name, recipe in sorted(COMBINATIONS.items()))

# Kinds and strengths as in the published tables that the engines are compared with: edits observed on sites.
FULL: tuple[Condition, ...] = (
    NONE,
    *_one("homophone", 0.05, 0.1, 0.2, 0.4),
    *_one("fuzzy-sound", 0.2),
    *_one("shape", 0.05, 0.2),
    *_one("random", 0.02, 0.05, 0.1, 0.2),
    *_indel(0.02, 0.05, 0.1),
    *_one("swap", 0.05),
    *_one("script", 1.0),
    *_one("punctuation", 1.0),
    *_one("sentence-shuffle", 1.0),
    *_one("sentence-drop", 0.2),
    *_one("advertisement", 0.1),
    *_one("zero-width", 0.1, 0.3),
    *_one("spaces", 0.3),
    *_one("width", 1.0),
    *_one("pinyin-in-place", 0.05, 0.2),
    *_one("pinyin-after", 0.1),
    *COMBOS,
)

# Beyond what is promised to be found.
HARD: tuple[Condition, ...] = (
    *_one("homophone", 0.3, 0.5, 0.6, 0.8, 1.0),
    *_one("fuzzy-sound", 0.5, 1.0),
    *_one("random", 0.3, 0.4),
    *_indel(0.2, 0.3),
    *_one("shape", 0.5),
    *_one("pinyin-in-place", 0.3, 0.5),
    *_one("pinyin-after", 0.5),
    *_one("private-use", 0.1, 0.3),
    *_one("swap", 0.2),
    *_one("sentence-drop", 0.5),
    *_one("zero-width", 1.0),
    *_one("spaces", 1.0),
    *_one("traditional-variants", 1.0),
    _excerpt(30, "excerpt30", 0, ()),
    _excerpt(40, "excerpt40", 0, ()),
    _excerpt(40, "excerpt40", 0.1, mix(0.1)),
    _excerpt(60, "excerpt60", 0.3, mix(0.3)),
    _excerpt(60, "excerpt60-homophone", 0.3, (("homophone", 0.3),)),
    _excerpt(100, "excerpt100", 0.3, mix(0.3)),
    _excerpt(200, "excerpt200", 0.3, mix(0.3)),
)

CHAPTER: tuple[Condition, ...] = (
    NONE,
    *_one("homophone", 0.05),
    *_one("random", 0.02, 0.2),
    *_one("script", 1.0),
    *_one("punctuation", 1.0),
)

EXCERPT_CHARS = (60, 100, 200, 500)
EXCERPT_STRENGTHS = (0.0, 0.05, 0.1)
PATCHWORK_WORKS = (3, 4, 5)


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a case set. Pages are for each condition, or for the class if it has no conditions.

    reference_chars, works: the maximum taken from the sources, None for all.
    """

    reference_chars: int | None
    works: int | None
    full: int
    chapter: int
    excerpt: int
    patchwork: int
    natural: int
    reuse: int
    negative: Mapping[str, int]
    grey: int
    hard: int


def _negatives(*counts: int) -> Mapping[str, int]:
    names = ("genre", "modern", "wiki", "news", "short-quotations", "set-phrases")
    return MappingProxyType(dict(zip(names, counts, strict=True)))


# tiny: short enough for CI, for a folder of short texts. full: 51 or 102 pages of a condition, so that one page is 1
# or 2 % (the published tables have as many).
SIZES: Mapping[str, Size] = MappingProxyType(
    {
        "tiny": Size(None, None, 3, 0, 6, 6, 0, 0, _negatives(9, 0, 0, 0, 9, 0), 9, 3),
        "small": Size(3_000_000, 20, 10, 5, 10, 8, 100, 20, _negatives(50, 20, 20, 30, 15, 15), 20, 4),
        "full": Size(None, None, 102, 51, 102, 68, 800, 200, _negatives(350, 60, 150, 300, 100, 100), 102, 51),
    }
)
