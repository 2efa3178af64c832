"""One side of a comparison: tokens together with the characters that they were read from."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.algorithms import ALGORITHMS, Alphabet
from fingerprint.characters import KINDS, Kind
from fingerprint.fuzzy import fuzzy_syllables
from fingerprint.near import NEAR
from fingerprint.normalization import WILDCARD
from fingerprint.readings import code_points
from fingerprint.record import Fingerprint

MAX_LETTERS_OF_SYLLABLE = 16  # zhuang with zero-width characters between its letters


Near = tuple[NDArray[np.int32], NDArray[np.uint64]]
SHAPES_USED = 2  # more columns agree by chance more often than they find: docs/decisions/alignment-and-spans.md
BITS = 64
# Looked up once: to ask an enumeration for a member takes longer than to compare a page's characters with it.
LATIN, FULL_WIDTH_LATIN, HAN, ZERO_WIDTH = map(int, (Kind.LATIN, Kind.FULL_WIDTH_LATIN, Kind.HAN, Kind.ZERO_WIDTH))


def no_alternatives() -> Near:
    """Of a text whose tokens stand for nothing else."""
    return np.zeros(0, np.int32), np.zeros((1, 1), np.uint64)


@cache
def _masks(is_folded: bool) -> NDArray[np.uint64]:
    """What a character, by its row in `NEAR`, or a token without one, by its id behind them, may stand for."""
    fuzzy = fuzzy_syllables(is_folded)
    own = NEAR.readings[:, :1]
    by_character = [NEAR.alternatives, NEAR.shape_alternatives[:, :SHAPES_USED], fuzzy[own[:, 0]]]
    tokens = np.concatenate([own, *by_character], axis=1)
    alone = np.concatenate([np.arange(fuzzy.shape[0], dtype=np.uint16)[:, None], fuzzy], axis=1)
    alone = np.pad(alone, ((0, 0), (0, tokens.shape[1] - alone.shape[1])))
    listed = np.concatenate([tokens, alone]).astype(np.int64)
    masks = np.zeros((len(listed), -(-fuzzy.shape[0] // BITS)), np.uint64)
    for column in listed.T:
        bits = np.where(column > 0, np.uint64(1) << (column % BITS).astype(np.uint64), np.uint64(0))
        np.bitwise_or.at(masks, (np.arange(len(listed)), column // BITS), bits)
    return masks


def _near(codes: NDArray[np.uint32], tokens: NDArray[np.uint16], is_folded: bool) -> Near:
    rows = NEAR.rows[codes].astype(np.int32)
    without = np.flatnonzero((rows == 0) & (tokens != WILDCARD))
    rows[without] = len(NEAR.readings) + tokens[without].astype(np.int32)
    return rows, _masks(is_folded)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A text and its fingerprint. near: what else each token may stand for (matcher.kernels); of a page only."""

    text: str
    fingerprint: Fingerprint
    near: Near = field(default_factory=no_alternatives)

    @classmethod
    def of_page(cls, text: str, fingerprint: Fingerprint) -> "Side":
        """A page with what its characters may stand for: others that sound or look like them.

        What anchors of folded syllables find must agree as they do, or the passage falls into pieces.
        """
        is_folded = ALGORITHMS[fingerprint.algorithm_id].anchors.alphabet is Alphabet.FOLDED
        near = _near(code_points(text)[fingerprint.offsets], fingerprint.tokens, is_folded)
        return cls(text, fingerprint, near)

    def code_points(self, start: int, end: int) -> NDArray[np.uint32]:
        """uint32[end - start]: the first code point of each token of a range."""
        offsets = self.fingerprint.offsets[start:end]
        if not offsets.size:
            return np.zeros(0, np.uint32)
        first = int(offsets[0])
        found: NDArray[np.uint32] = code_points(self.text[first : int(offsets[-1]) + 1])[offsets - first]
        return found

    def characters(self, tokens: NDArray[np.int32]) -> NDArray[np.uint32]:
        """uint32[n]: the first code point of each of these tokens, in any order."""
        if not tokens.size:
            return np.zeros(0, np.uint32)
        offsets = self.fingerprint.offsets[tokens]
        low = int(offsets.min())
        found: NDArray[np.uint32] = code_points(self.text[low : int(offsets.max()) + 1])[offsets - low]
        return found

    def han_characters(self, start: int, end: int) -> int:
        """How many of these tokens are Chinese characters: no figures, no letters."""
        kinds = KINDS.table[self.code_points(start, end)]
        return int(np.count_nonzero(kinds == HAN))

    def range_of(self, start: int, end: int) -> TextRange:
        """Give the text from the first to the last of these tokens; without any, the place before token `start`."""
        offsets = self.fingerprint.offsets
        if start < end and not _is_latin_letter(self.text[int(offsets[end - 1])]):
            return TextRange(int(offsets[start]), int(offsets[end - 1]) + 1)
        starts, ends = self.ranges(np.array([start], np.int32), np.array([end], np.int32))
        return TextRange(int(starts[0]), int(ends[0]))

    def ranges(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Text offsets of the starts and ends of many token ranges; an empty one lies before its first token."""
        offsets = self.fingerprint.offsets
        if not offsets.size:
            return np.zeros(starts.size, np.int64), np.zeros(starts.size, np.int64)
        firsts = offsets[np.minimum(starts, offsets.size - 1)].astype(np.int64)
        is_behind = starts >= offsets.size
        if is_behind.any():
            firsts[is_behind] = self._ends_of(np.array([offsets.size - 1], np.int32))[0]
        lasts = self._ends_of(np.maximum(ends - 1, 0))
        is_empty = starts >= ends
        lasts[is_empty] = firsts[is_empty]
        return firsts, lasts

    def _ends_of(self, tokens: NDArray[np.int32]) -> NDArray[np.int64]:
        """int64[n]: where each of these tokens ends; one read from letters ends with its last letter."""
        ends = self.fingerprint.offsets[tokens].astype(np.int64) + 1
        letters = np.flatnonzero(is_latin(self.characters(tokens)))
        if letters.size:
            ends[letters] = self._ends_of_letters(tokens[letters])
        return ends

    def _ends_of_letters(self, tokens: NDArray[np.int32]) -> NDArray[np.int64]:
        offsets = self.fingerprint.offsets
        starts = offsets[tokens].astype(np.int64)
        limits = np.append(offsets[1:], len(self.text))[tokens]
        low, high = int(starts.min()), int(starts.max()) + MAX_LETTERS_OF_SYLLABLE
        kinds = KINDS.table[code_points(self.text[low:high])]
        belongs = (kinds == LATIN) | (kinds == FULL_WIDTH_LATIN) | (kinds == ZERO_WIDTH)
        stops = np.append(np.flatnonzero(~belongs), kinds.size)
        ends = low + stops[np.searchsorted(stops, starts - low)]
        return np.asarray(np.minimum(np.minimum(ends, limits), starts + MAX_LETTERS_OF_SYLLABLE), np.int64)


def _is_latin_letter(character: str) -> bool:
    return KINDS.table.item(ord(character)) in (LATIN, FULL_WIDTH_LATIN)


def is_latin(characters: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """bool[n]: whether a token was read from letters."""
    kinds = KINDS.table[characters]
    return np.asarray((kinds == LATIN) | (kinds == FULL_WIDTH_LATIN))
