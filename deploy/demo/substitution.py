"""Edits that put something else in a character's place: one that sounds alike, its pinyin, its traditional form."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from types import MappingProxyType

from opencc import OpenCC

from fingerprint.readings import SYLLABLES, syllable_ids

# GB 2312, level 1: the 3,755 characters that a reader takes in without stopping.
LEVEL_1_ROWS = range(0xB0, 0xD8)
LEVEL_1_LAST_ROW_END = 0xF9


def homophones(text: str, rng: Random, strength: float) -> str:
    """A share `strength` of the common characters becomes another common character of the same syllable."""
    table = alike()
    places = [at for at, char in enumerate(text) if char in table]
    return _replaced(text, _chosen(places, rng, strength), lambda char: rng.choice(table[char]))


def pinyin_in_place(text: str, rng: Random, strength: float) -> str:
    """A share `strength` of the common characters becomes toneless pinyin."""
    places = [at for at, char in enumerate(text) if char in common_characters()]
    return _replaced(text, _chosen(places, rng, strength), pinyin)


def traditional(text: str, _rng: Random, _strength: float) -> str:
    """The whole text in traditional characters, word by word; half of a text in them is no obfuscation that is met."""
    return in_traditional(text)


def traditional_taiwan(text: str, _rng: Random, _strength: float) -> str:
    """The whole text in traditional characters with Taiwan's choice of variants."""
    return in_traditional(text, "s2tw")


def in_traditional(text: str, config: str = "s2t") -> str:
    """The text in traditional characters, word by word; `config` names the choice of variants."""
    return str(_converter(config).convert(text))


def pinyin(char: str) -> str:
    """The toneless syllable of a character, "" where it has none.

    >>> pinyin("网")
    'wang'
    """
    return str(SYLLABLES[int(syllable_ids(char)[0])])


@cache
def common_characters() -> frozenset[str]:
    """The characters of GB 2312, level 1."""
    rows = ((row, LEVEL_1_LAST_ROW_END if row == LEVEL_1_ROWS[-1] else 0xFE) for row in LEVEL_1_ROWS)
    return frozenset(bytes((row, cell)).decode("gb2312") for row, end in rows for cell in range(0xA1, end + 1))


@cache
def alike() -> Mapping[str, Sequence[str]]:
    """For each common character the other common ones of its syllable; characters that have none are left out."""
    characters = "".join(sorted(common_characters()))
    families: dict[int, list[str]] = defaultdict(list)
    for char, syllable in zip(characters, syllable_ids(characters).tolist(), strict=True):
        families[syllable].append(char)
    return MappingProxyType(
        {
            char: tuple(other for other in family if other != char)
            for syllable, family in families.items()
            for char in family
            if syllable and len(family) > 1
        }
    )


@cache
def _converter(config: str) -> OpenCC:
    return OpenCC(config)


def _chosen(places: Sequence[int], rng: Random, share: float) -> set[int]:
    return set(rng.sample(places, round(share * len(places))))


def _replaced(text: str, places: set[int], replace: Callable[[str], str]) -> str:
    return "".join(replace(char) if at in places else char for at, char in enumerate(text))
