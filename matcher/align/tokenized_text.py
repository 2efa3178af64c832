"""Texts with their tokens, the characters of each token, and the tokens that each page token may stand for."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.algorithms import Algorithm
from fingerprint.characters import Kind
from fingerprint.compilation import as_int, kernel
from fingerprint.fingerprinting import Fingerprint
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.readings import code_points
from fingerprint.stream import WILDCARD
from matcher.align.token_agreement import NearTokens, Tokens

SHAPES_USED = 2  # more columns agree by chance more often than they find: docs/decisions/matching.md
MASK_BITS = 64
MAX_LETTERS_OF_SYLLABLE = 16  # zhuang with zero-width characters between its letters
FIRST_HAN, LAST_HAN = "\u3400", "\u9fff"
# Looked up once: reading a member of an enumeration takes longer than comparing a page's characters with it.
LATIN, FULL_WIDTH_LATIN, HAN, ZERO_WIDTH = map(int, (Kind.LATIN, Kind.FULL_WIDTH_LATIN, Kind.HAN, Kind.ZERO_WIDTH))


class TextPart(NamedTuple):
    """The tokens [start, end) of a text.

    characters: the code points from offset `base` on, where `base` is at most the offset of the token before `start`;
    offsets, tokens: of all tokens of the text.
    """

    characters: NDArray[np.uint32]
    base: int
    offsets: NDArray[np.int32]
    tokens: Tokens
    start: int
    end: int


class TokenStretch(NamedTuple):
    """Consecutive tokens of a text, the first with index `start`.

    codes: the code point from which each token was read.
    """

    codes: NDArray[np.uint32]
    tokens: Tokens
    start: int


@kernel()
def read_stretch(part: TextPart) -> TokenStretch:
    """Return the code points and tokens of a part."""
    codes = np.empty(part.end - part.start, np.uint32)
    _read_codes(codes, part)
    return TokenStretch(codes, part.tokens[part.start : part.end], as_int(part.start))


@kernel(allocates=False)
def _read_codes(codes: NDArray[np.uint32], part: TextPart) -> None:
    for number in range(codes.size):
        codes[number] = part.characters[np.uint64(part.offsets[np.uint64(part.start + number)] - part.base)]


@kernel()
def find_sentence_starts(part: TextPart) -> NDArray[np.bool_]:
    """Return whether a sentence starts at each token: a mark that ends sentences precedes it, bool[tokens]."""
    is_start = np.zeros(part.end - part.start, np.bool_)
    _mark_sentence_starts(is_start, part)
    return is_start


@kernel(allocates=False)
def _mark_sentence_starts(is_start: NDArray[np.bool_], part: TextPart) -> None:
    next_offset = as_int(part.offsets[part.start - 1]) + 1 - part.base if part.start else 0
    for number in range(is_start.size):
        offset = as_int(part.offsets[np.uint64(part.start + number)]) - part.base
        for index in range(next_offset, offset):
            is_start[number] |= _ends_sentence(part.characters[np.uint64(index)])
        next_offset = offset + 1
    if is_start.size and part.start == 0 and part.offsets[0] == 0:
        is_start[0] = True


@kernel(allocates=False)
def _ends_sentence(code: int) -> bool:
    return code in (0x3002, 0xFF01, 0xFF1F, 0x21, 0x3F, 0x2026, 0xFF61, 0x0A)


def near_tokens(
    characters: NDArray[np.uint32], offsets: NDArray[np.int32], tokens: NDArray[np.uint16], algorithm: Algorithm
) -> tuple[NearTokens, NDArray[np.uint32]]:
    """Return the masks of a page's tokens, and the code point from which each token was read.

    A mask contains the character's other readings, the readings of characters similar in sound or shape, and confused
    syllables. Symbols that anchors treat as equal by ear must agree too, or the passages found by anchors fall into
    pieces. characters: the code points of the page.
    """
    near = algorithm.near
    rows, codes = _mask_rows(characters, offsets, tokens, near.rows, len(near.readings))
    return NearTokens(rows, _near_masks(algorithm)), codes


@kernel()
def _mask_rows(
    characters: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    tokens: NDArray[np.uint16],
    row_by_code: NDArray[np.uint16],
    readings: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint32]]:
    """Return the mask row and the code point of each token.

    row_by_code: the row of each code point; readings: the number of these rows. The rows of tokens follow them.
    """
    rows, codes = np.empty(tokens.size, np.int32), np.empty(tokens.size, np.uint32)
    for number in range(tokens.size):
        codes[number] = characters[offsets[number]]
        row = as_int(row_by_code[codes[number]])
        if row == 0 and tokens[number] != WILDCARD:
            row = readings + as_int(tokens[number])
        rows[number] = row
    return rows, codes


@cache
def _near_masks(algorithm: Algorithm) -> NDArray[np.uint64]:
    """Return the masks: first by row of the near-character table, then by syllable, for tokens without such a row.

    Cached for the life of the process, like the tables from which they are computed: 2 MB and 40 ms for each algorithm.
    """
    near, names = algorithm.near, algorithm.tables.readings.names
    fuzzy = fuzzy_syllables(names, algorithm.symbols if algorithm.anchors.alphabet.is_heard_alike else None)
    own_syllables = near.readings[:, :1]
    by_character = [near.alternatives, near.shape_alternatives[:, :SHAPES_USED], fuzzy[own_syllables[:, 0]]]
    tokens = np.concatenate([own_syllables, *by_character], axis=1)
    syllables_alone = np.concatenate([np.arange(fuzzy.shape[0], dtype=np.uint16)[:, None], fuzzy], axis=1)
    syllables_alone = np.pad(syllables_alone, ((0, 0), (0, tokens.shape[1] - syllables_alone.shape[1])))
    all_tokens = np.concatenate([tokens, syllables_alone]).astype(np.int64)
    masks = np.zeros((len(all_tokens), -(-fuzzy.shape[0] // MASK_BITS)), np.uint64)
    for column in all_tokens.T:
        bits = np.where(column > 0, np.uint64(1) << (column % MASK_BITS).astype(np.uint64), np.uint64(0))
        np.bitwise_or.at(masks, (np.arange(len(all_tokens)), column // MASK_BITS), bits)
    return masks


@dataclass(frozen=True, eq=False)
class TokenizedText:
    """A text and its fingerprint. Ranges [start, end) are in tokens."""

    text: str
    fingerprint: Fingerprint

    @cached_property
    def kinds(self) -> NDArray[np.uint8]:
        """The kind of every code point, uint8[CODE_POINTS]."""
        return self.fingerprint.algorithm.tables.kinds

    def code_points(self, start: int, end: int) -> NDArray[np.uint32]:
        """Return the code point from which each token of a range was read, uint32[end - start]."""
        offsets = self.fingerprint.offsets[start:end]
        if not offsets.size:
            return np.zeros(0, np.uint32)
        first = int(offsets[0])
        codes: NDArray[np.uint32] = code_points(self.text[first : int(offsets[-1]) + 1])[offsets - first]
        return codes

    def part(self, start: int, end: int) -> TextPart:
        """Return the tokens from `start` to `end`, clipped to the text."""
        offsets, tokens = self.fingerprint.offsets, self.fingerprint.tokens
        start, end = max(0, start), min(tokens.size, end)
        first = int(offsets[start - 1]) if start else 0
        last = int(offsets[end - 1]) + 1 if end else 0
        return TextPart(code_points(self.text[first:last]), first, offsets, tokens, start, end)

    def count_han(self, start: int, end: int) -> int:
        """Return the number of tokens in a range that were read from Chinese characters."""
        return int(np.count_nonzero(self.kinds[self.code_points(start, end)] == HAN))

    def text_range(self, start: int, end: int) -> TextRange:
        """Return the text range of these tokens; if there are none, the empty range before token `start`."""
        offsets = self.fingerprint.offsets
        if start < end and not self._is_letter(self.text[int(offsets[end - 1])]):
            return TextRange(int(offsets[start]), int(offsets[end - 1]) + 1)
        starts, ends = self.ranges(np.array([start], np.int32), np.array([end], np.int32))
        return TextRange(int(starts[0]), int(ends[0]))

    def ranges(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the text offsets where ranges of tokens start and end; an empty range lies before its first token."""
        offsets = self.fingerprint.offsets
        if not offsets.size:
            return np.zeros(starts.size, np.int64), np.zeros(starts.size, np.int64)
        firsts = offsets[np.minimum(starts, offsets.size - 1)].astype(np.int64)
        is_behind = starts >= offsets.size
        if is_behind.any():
            firsts[is_behind] = self._token_ends(np.array([offsets.size - 1], np.int32))[0]
        lasts = self._token_ends(np.maximum(ends - 1, 0))
        is_empty = starts >= ends
        lasts[is_empty] = firsts[is_empty]
        return firsts, lasts

    def _token_ends(self, tokens: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the text offset after each of these tokens, int64[n].

        A token read from letters ends with its last letter.
        """
        ends = self.fingerprint.offsets[tokens].astype(np.int64) + 1
        kinds = self.kinds[self._token_characters(tokens)]
        letters = np.flatnonzero((kinds == LATIN) | (kinds == FULL_WIDTH_LATIN))
        if letters.size:
            ends[letters] = self._ends_of_letters(tokens[letters])
        return ends

    def _ends_of_letters(self, tokens: NDArray[np.int32]) -> NDArray[np.int64]:
        offsets = self.fingerprint.offsets
        starts = offsets[tokens].astype(np.int64)
        limits = np.append(offsets[1:], len(self.text))[tokens]
        low, high = int(starts.min()), int(starts.max()) + MAX_LETTERS_OF_SYLLABLE
        kinds = self.kinds[code_points(self.text[low:high])]
        belongs = (kinds == LATIN) | (kinds == FULL_WIDTH_LATIN) | (kinds == ZERO_WIDTH)
        stops = np.append(np.flatnonzero(~belongs), kinds.size)
        ends = low + stops[np.searchsorted(stops, starts - low)]
        return np.asarray(np.minimum(np.minimum(ends, limits), starts + MAX_LETTERS_OF_SYLLABLE), np.int64)

    def _token_characters(self, tokens: NDArray[np.int32]) -> NDArray[np.uint32]:
        """Return the code point from which each of these tokens was read, in any order, uint32[n]."""
        if not tokens.size:
            return np.zeros(0, np.uint32)
        offsets = self.fingerprint.offsets[tokens]
        low = int(offsets.min())
        codes: NDArray[np.uint32] = code_points(self.text[low : int(offsets.max()) + 1])[offsets - low]
        return codes

    def _is_letter(self, character: str) -> bool:
        if FIRST_HAN <= character <= LAST_HAN:  # nearly always
            return False
        return self.kinds.item(ord(character)) in (LATIN, FULL_WIDTH_LATIN)


@dataclass(frozen=True, eq=False)
class TokenizedPage(TokenizedText):
    """A page as tokenized text.

    near: the tokens that each page token may stand for; characters: uint32[text], the code points of the text; codes:
    uint32[tokens], the code point from which each token was read.
    """

    near: NearTokens
    characters: NDArray[np.uint32]
    codes: NDArray[np.uint32]

    @classmethod
    def from_fingerprint(cls, text: str, fingerprint: Fingerprint) -> "TokenizedPage":
        """Return the tokenized page of a text and its fingerprint."""
        characters = code_points(text)
        near, codes = near_tokens(characters, fingerprint.offsets, fingerprint.tokens, fingerprint.algorithm)
        return cls(text, fingerprint, near, characters, codes)

    def code_points(self, start: int, end: int) -> NDArray[np.uint32]:
        """Return the code points from which a range of tokens was read, without reading the text again."""
        return self.codes[start:end]

    def part(self, start: int, end: int) -> TextPart:
        """Return a range of tokens, without reading the text again."""
        tokens = self.fingerprint.tokens
        return TextPart(self.characters, 0, self.fingerprint.offsets, tokens, max(0, start), min(tokens.size, end))
