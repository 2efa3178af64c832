"""Syllables that are confused in regions where people do not distinguish zh and z, n and l, ng and n, h and f."""

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
    """Return the ids of the syllables confused with each, uint16[syllables, F], padded with 0.

    names: the syllables by id; the name of id 0 is "". symbols: uint16[65536]; syllables with the same symbol are
    included.

    >>> names = ("", "zan", "zang", "zhan", "zhang")
    >>> [names[number] for number in fuzzy_syllables(names)[4] if number]
    ['zan', 'zang', 'zhan']
    """
    ids = {name: number for number, name in enumerate(names)}
    same = _same_symbol(names, symbols) if symbols is not None else [set[str]()] * len(names)
    listed = [
        sorted((_confusable_names(name) & ids.keys()) | alike - {name}) for name, alike in zip(names, same, strict=True)
    ]
    table = np.zeros((len(names), max(map(len, listed))), np.uint16)
    for row, others in zip(table, listed, strict=True):
        row[: len(others)] = [ids[other] for other in others]
    return table


def _confusable_names(name: str) -> set[str]:
    found = {other for pair in WHOLE if name in pair for other in pair}
    for initial in _with_exchange(name, INITIALS, str.startswith):
        found |= set(_with_exchange(initial, FINALS, str.endswith))
    return found - {name, ""}


def _same_symbol(names: tuple[str, ...], symbols: NDArray[np.uint16]) -> list[set[str]]:
    """Return the syllables with the same symbol as each, including itself; none for ""."""
    of_symbol: dict[int, set[str]] = {}
    numbers = symbols[: len(names)].tolist()
    for name, symbol in zip(names[1:], numbers[1:], strict=True):
        of_symbol.setdefault(symbol, set()).add(name)
    return [set(), *(of_symbol[symbol] for symbol in numbers[1:])]


def _with_exchange(name: str, pairs: tuple[tuple[str, str], ...], stands: Callable[[str, str], bool]) -> list[str]:
    """Return the name itself, and with one of the pairs exchanged; the longer name of a pair is tried first."""
    for longer, shorter in pairs:
        for old, new in ((longer, shorter), (shorter, longer)):
            if stands(name, old):
                rest = name[len(old) :] if stands is str.startswith else name[: len(name) - len(old)]
                return [name, new + rest if stands is str.startswith else rest + new]
    return [name]
