"""Syllables that people confuse in regions where zh and z, n and l, ng and n, or h and f are not distinguished."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

INITIALS = (("zh", "z"), ("ch", "c"), ("sh", "s"), ("n", "l"))
FINALS = (("ang", "an"), ("eng", "en"), ("ing", "in"))
# h and f differ by more than their letter: a syllable pronounced hua in one region is fa in another.
WHOLE = (
    *(("hua", "fa"), ("huan", "fan"), ("huang", "fang"), ("hui", "fei"), ("hun", "fen"), ("hong", "feng")),
    *(("hu", "fu"), ("huo", "fo"), ("hou", "fou"), ("han", "fan"), ("hang", "fang"), ("hei", "fei"), ("hen", "fen")),
    *(("heng", "feng"), ("ha", "fa")),
)


def fuzzy_syllables(names: tuple[str, ...], symbols: NDArray[np.uint16] | None = None) -> NDArray[np.uint16]:
    """Return the ids of the syllables with which each syllable is confused, uint16[syllables, F], padded with 0.

    names: the syllables by id; the name of id 0 is "". symbols: uint16[65536]; if given, syllables with the same symbol
    are included.

    >>> names = ("", "zan", "zang", "zhan", "zhang")
    >>> [names[number] for number in fuzzy_syllables(names)[4] if number]
    ['zan', 'zang', 'zhan']
    """
    ids = {name: number for number, name in enumerate(names)}
    same_symbol = _same_symbol(names, symbols) if symbols is not None else [set[str]()] * len(names)
    confused = [
        sorted((_confusable_names(name) & ids.keys()) | equal_names - {name})
        for name, equal_names in zip(names, same_symbol, strict=True)
    ]
    table = np.zeros((len(names), max(map(len, confused))), np.uint16)
    for row, names_of_row in zip(table, confused, strict=True):
        row[: len(names_of_row)] = [ids[name_in_row] for name_in_row in names_of_row]
    return table


def _confusable_names(name: str) -> set[str]:
    confusable = {partner for pair in WHOLE if name in pair for partner in pair}
    for initial in _with_exchange(name, INITIALS, str.startswith):
        confusable |= set(_with_exchange(initial, FINALS, str.endswith))
    return confusable - {name, ""}


def _same_symbol(names: tuple[str, ...], symbols: NDArray[np.uint16]) -> list[set[str]]:
    """Return for each syllable the set of syllables with the same symbol, including itself; an empty set for ""."""
    of_symbol: dict[int, set[str]] = {}
    numbers = symbols[: len(names)].tolist()
    for name, symbol in zip(names[1:], numbers[1:], strict=True):
        of_symbol.setdefault(symbol, set()).add(name)
    return [set(), *(of_symbol[symbol] for symbol in numbers[1:])]


def _with_exchange(name: str, pairs: tuple[tuple[str, str], ...], matches: Callable[[str, str], bool]) -> list[str]:
    """Return the name, and the name with the first matching pair exchanged, the longer part of a pair tried first.

    matches: str.startswith or str.endswith, which decides where a part must be.
    """
    for longer, shorter in pairs:
        for old, new in ((longer, shorter), (shorter, longer)):
            if matches(name, old):
                remainder = name[len(old) :] if matches is str.startswith else name[: len(name) - len(old)]
                return [name, new + remainder if matches is str.startswith else remainder + new]
    return [name]
