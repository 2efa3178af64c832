"""Splits a text into tokens as the published engines read it, and into words made of tokens.

Tokens are Chinese characters, and runs of Latin letters or of digits. Everything else (punctuation, spaces, line
endings) is dropped. Case and width of letters are ignored, and so is the script of Chinese characters if `fold` is set.

Chinese is written without spaces, so two neighbouring Chinese characters are a word for the published engines; a run of
Latin letters or digits is one word.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.characters import Kind
from fingerprint.compilation import kernel
from fingerprint.readings import CODE_POINTS, READINGS_2026, code_points
from fingerprint.tables import TABLES_2026

# The multipliers of the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014); a large prime for the polynomial.
MIX_1, MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
WORD_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
CASE_SHIFT = ord("a") - ord("A")
DROPPED, HAN, LETTER, DIGIT = 0, 1, 2, 3

CHINESE_TOKENS = Message("engine.a-token-the-source-s-word-is-a-chinese")
CHINESE_WORDS = Message("engine.a-word-of-chinese-is-two-neighbouring")


def mix_bits(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return each value with well mixed bits, uint64[n]; different values stay different."""
    mixing: NDArray[np.uint64] = values ^ (values >> np.uint64(30))
    mixing *= MIX_1
    mixing ^= mixing >> np.uint64(27)
    mixing *= MIX_2
    mixing ^= mixing >> np.uint64(31)
    return mixing


def shingle_hashes(ids: NDArray[np.uint64], size: int) -> NDArray[np.uint64]:
    """Return the hash of every `size` consecutive ids, uint64[n - size + 1]; empty if there are fewer."""
    hashes = np.zeros(max(0, ids.size - size + 1), np.uint64)
    for place in range(size):
        hashes = (hashes + ids[place : place + hashes.size]) * WORD_MULTIPLIER
        hashes ^= hashes >> np.uint64(32)
    return mix_bits(hashes)


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The tokens of a text.

    ids: uint64[n], equal for equal tokens; starts, ends: int32[n], offsets in the text; is_han: bool[n].
    """

    ids: NDArray[np.uint64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    is_han: NDArray[np.bool_]


def tokenize(text: str, fold: bool = False) -> Tokens:
    """Split a text into its tokens, in order.

    >>> tokens = tokenize("我有Two个, 網")
    >>> tokens.starts.tolist(), tokens.ends.tolist()
    ([0, 1, 2, 5, 8], [1, 2, 5, 6, 9])
    """
    codes = code_points(text)
    return Tokens(*_read_tokens(_token_characters(fold)[codes], _code_point_classes()[codes]))


def canonical_text(text: str, fold: bool = False) -> str:
    r"""Return the text with each character in the form of tokens, or NUL if it is dropped; the length is unchanged.

    >>> canonical_text("網，Ａb", fold=True)
    '网\x00ab'
    """
    return canonical_codes(text, fold).astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def canonical_codes(text: str, fold: bool = False) -> NDArray[np.uint32]:
    """Return the codes of `canonical_text`, uint32[len(text)]."""
    codes = code_points(text)
    return np.where(_code_point_classes()[codes] == DROPPED, np.uint32(0), _token_characters(fold)[codes])


def word_pairs(tokens: Tokens) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the token at which each word begins, int64[w], and whether it includes the next token, bool[w].

    A single character among other tokens is a word.
    """
    if not tokens.ids.size:
        return np.zeros(0, np.int64), np.zeros(0, np.bool_)
    pairs_next = np.zeros(tokens.ids.size, np.bool_)
    pairs_next[:-1] = tokens.is_han[:-1] & tokens.is_han[1:]
    pairs_previous = np.zeros(tokens.ids.size, np.bool_)
    pairs_previous[1:] = pairs_next[:-1]
    first = np.flatnonzero(pairs_next | ~pairs_previous)
    return first, pairs_next[first]


def word_ids(tokens: Tokens) -> NDArray[np.uint64]:
    """Return the words of a text in order, uint64[w]; equal for equal words."""
    first, is_pair = word_pairs(tokens)
    ids = tokens.ids[first] * WORD_MULTIPLIER
    ids[is_pair] += tokens.ids[first[is_pair] + 1]
    return mix_bits(ids)


@kernel()
def _read_tokens(
    codes: NDArray[np.uint32], classes: NDArray[np.uint8]
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    size = codes.size
    ids, starts, ends = np.empty(size, np.uint64), np.empty(size, np.int32), np.empty(size, np.int32)
    is_han = np.empty(size, np.bool_)
    found, place = 0, 0
    while place < size:
        kind = classes[place]
        if kind == 0:
            place += 1
            continue
        start, number = place, np.uint64(codes[place])
        place += 1
        if kind != 1:
            while place < size and classes[place] == kind:
                number = number * np.uint64(0x100000001B3) + np.uint64(codes[place])
                place += 1
        ids[found], starts[found], ends[found], is_han[found] = number, start, place, kind == 1
        found += 1
    return ids[:found].copy(), starts[:found].copy(), ends[:found].copy(), is_han[:found].copy()


@cache
def _code_point_classes() -> NDArray[np.uint8]:
    """Return the class of each code point, uint8: DROPPED, HAN, LETTER or DIGIT."""
    kinds, classes = TABLES_2026.kinds, np.full(CODE_POINTS, DROPPED, np.uint8)
    classes[kinds == Kind.HAN] = HAN
    classes[(kinds == Kind.LATIN) | (kinds == Kind.FULL_WIDTH_LATIN)] = LETTER
    classes[kinds == Kind.DIGIT] = DIGIT
    return classes


@cache
def _token_characters(fold: bool) -> NDArray[np.uint32]:
    """Return the character that represents each code point in tokens, uint32."""
    table = READINGS_2026.folding.copy()
    if not fold:
        han = np.flatnonzero(_code_point_classes() == HAN)
        table[han] = han
    is_upper = (table >= ord("A")) & (table <= ord("Z"))
    table[is_upper] += np.uint32(CASE_SHIFT)
    return table
