"""Alphabets, which define the tokens that anchors treat as equal."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.folding import folded_symbols
from fingerprint.letters import TOKENS, initial_letters


@dataclass(frozen=True, eq=False)
class Alphabet:
    """A replacement of tokens by symbols before hashing.

    symbols: a function from the names of syllables, by id, to the symbol of every token, uint16[65536]. is_heard_alike:
    whether people confuse tokens with the same symbol, so that these agree in alignment too.
    """

    name: str
    symbols: Callable[[tuple[str, ...]], NDArray[np.uint16]]
    is_heard_alike: bool = False


def _every_token(names: tuple[str, ...]) -> NDArray[np.uint16]:
    return np.arange(TOKENS, dtype=np.uint16)


def _initial_symbols(names: tuple[str, ...]) -> NDArray[np.uint16]:
    return initial_letters(names).astype(np.uint16)


SYLLABLES = Alphabet("syllables", _every_token)
INITIALS = Alphabet("initials", _initial_symbols)
FOLDED = Alphabet("folded", folded_symbols, is_heard_alike=True)
ALPHABETS = (SYLLABLES, INITIALS, FOLDED)
