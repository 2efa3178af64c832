"""A part of a text for the kernels, with the code points of its tokens and its sentence beginnings."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from matcher.align.token_agreement import Tokens


class TextPart(NamedTuple):
    """Tokens [start, end) of a text.

    characters: its code points, from offset `base` on, which is that of the token before `start` or less; offsets,
    tokens: of all its tokens.
    """

    characters: NDArray[np.uint32]
    base: int
    offsets: NDArray[np.int32]
    tokens: Tokens
    start: int
    end: int


class TokenStretch(NamedTuple):
    """Some tokens of a text from number `start` on, with the code point from which each was read."""

    codes: NDArray[np.uint32]
    tokens: Tokens
    start: int


@kernel()
def read_stretch(part: TextPart) -> TokenStretch:
    """Return code points and tokens of a part."""
    codes = np.empty(part.end - part.start, np.uint32)
    _read_codes(codes, part)
    return TokenStretch(codes, part.tokens[part.start : part.end], as_int(part.start))


@kernel(allocates=False)
def _read_codes(codes: NDArray[np.uint32], part: TextPart) -> None:
    for number in range(codes.size):
        codes[number] = part.characters[np.uint64(part.offsets[np.uint64(part.start + number)] - part.base)]


@kernel()
def begin_sentences(part: TextPart) -> NDArray[np.bool_]:
    """Return whether a sentence ended between each of these tokens and the previous one, bool[tokens]."""
    begins = np.zeros(part.end - part.start, np.bool_)
    _note_beginnings(begins, part)
    return begins


@kernel(allocates=False)
def _note_beginnings(begins: NDArray[np.bool_], part: TextPart) -> None:
    at = as_int(part.offsets[part.start - 1]) + 1 - part.base if part.start else 0
    for number in range(begins.size):
        place = as_int(part.offsets[np.uint64(part.start + number)]) - part.base
        for between in range(at, place):
            begins[number] |= _ends_sentence(part.characters[np.uint64(between)])
        at = place + 1
    if begins.size and part.start == 0 and part.offsets[0] == 0:
        begins[0] = True


@kernel(allocates=False)
def _ends_sentence(code: int) -> bool:
    return code in (0x3002, 0xFF01, 0xFF1F, 0x21, 0x3F, 0x2026, 0xFF61, 0x0A)
