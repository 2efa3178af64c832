"""Hashed n-grams of the simplified Han characters of a text, which decide what is shared wording.

They share nothing with the fingerprint, its tokens or its readings: truth must not come from the system under test.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from opencc import OpenCC

HAN = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x32000))
LIKE_HAN = (0x3007,)  # 〇, a numeral
CODE_POINTS = 0x110000
_BASE = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no character of a gram is lost modulo 2**64


def folded(text: str) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Return uint32[h], the Han characters of a text in simplified form, and int32[h], their offsets in the text."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    simplified = _simplified()[codes]
    offsets = np.flatnonzero(simplified)
    return simplified[offsets], offsets.astype(np.int32)


def gram_hashes(codes: NDArray[np.uint32], size: int) -> NDArray[np.uint64]:
    """Return uint64[n - size + 1], the hash of each `size` consecutive characters; empty for fewer characters."""
    count = codes.size - size + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    values = _scattered(codes)
    hashes = np.zeros(count, np.uint64)
    for place in range(size):
        hashes = hashes * _BASE + values[place : place + count]
    return hashes


def _scattered(codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return the SplitMix64 hash of each character (Steele, Lea and Flood 2014)."""
    values = codes.astype(np.uint64) * _BASE
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


@cache
def _simplified() -> NDArray[np.uint32]:
    """Return uint32[code point], the simplified form of a Han character, 0 for all other characters."""
    table = np.zeros(CODE_POINTS, np.uint32)
    for block in HAN:
        table[block.start : block.stop] = np.arange(block.start, block.stop)
    table[list(LIKE_HAN)] = LIKE_HAN
    characters = [chr(code) for code in np.flatnonzero(table).tolist()]
    forms = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    for character, form in zip(characters, forms, strict=True):
        if len(form) == 1:
            table[ord(character)] = ord(form)
    return table
