"""Syllables that are taken for each other where people do not tell them apart: zh and z, n and l, ng and n, h and f."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from fingerprint.folding import folded_symbols
from fingerprint.readings import SYLLABLES

INITIALS = (("zh", "z"), ("ch", "c"), ("sh", "s"), ("n", "l"))
FINALS = (("ang", "an"), ("eng", "en"), ("ing", "in"))
# h and f differ by more than their letter: what is said hua in one place is fa in another.
WHOLE = (
    *(("hua", "fa"), ("huan", "fan"), ("huang", "fang"), ("hui", "fei"), ("hun", "fen"), ("hong", "feng")),
    *(("hu", "fu"), ("huo", "fo"), ("hou", "fou"), ("han", "fan"), ("hang", "fang"), ("hei", "fei"), ("hen", "fen")),
    *(("heng", "feng"), ("ha", "fa")),
)


@cache
def fuzzy_syllables(is_folded: bool = False) -> NDArray[np.uint16]:
    """uint16[syllables, F]: ids of the syllables that each may be taken for, 0 behind the last.

    is_folded: those too that are one symbol with it (fingerprint.folding), as anchors of folded syllables have them.

    >>> [SYLLABLES[number] for number in fuzzy_syllables()[SYLLABLES.index("zhang")] if number]
    ['zan', 'zang', 'zhan']
    """
    listed = [sorted(_taken_for(name) | (_folded_alike(name) if is_folded else set())) for name in SYLLABLES]
    table = np.zeros((len(SYLLABLES), max(map(len, listed))), np.uint16)
    for row, names in zip(table, listed, strict=True):
        row[: len(names)] = [SYLLABLES.index(name) for name in names]
    return table


def _taken_for(name: str) -> set[str]:
    found = {other for pair in WHOLE if name in pair for other in pair}
    for initial in _exchanged(name, INITIALS, str.startswith):
        found |= set(_exchanged(initial, FINALS, str.endswith))
    return (found & set(SYLLABLES)) - {name, ""}


def _folded_alike(name: str) -> set[str]:
    symbols = folded_symbols()[: len(SYLLABLES)]
    same = np.flatnonzero(symbols == symbols[SYLLABLES.index(name)]) if name else ()
    return {SYLLABLES[number] for number in same} - {name}


def _exchanged(name: str, pairs: tuple[tuple[str, str], ...], stands: Callable[[str, str], bool]) -> list[str]:
    """The name itself, and with one of the pairs exchanged; the longer of a pair is looked for first."""
    for longer, shorter in pairs:
        for old, new in ((longer, shorter), (shorter, longer)):
            if stands(name, old):
                rest = name[len(old) :] if stands is str.startswith else name[: len(name) - len(old)]
                return [name, new + rest if stands is str.startswith else rest + new]
    return [name]
