"""One side of a comparison: tokens together with the characters that they were read from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.characters import KINDS, Kind
from fingerprint.readings import TABLE, code_points
from fingerprint.record import Fingerprint

MAX_LETTERS_OF_SYLLABLE = 16  # zhuang with zero-width characters between its letters


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A text and its fingerprint."""

    text: str
    fingerprint: Fingerprint

    def characters(self, tokens: NDArray[np.int32]) -> NDArray[np.uint32]:
        """uint32[n]: the first code point of each of these tokens, in any order."""
        if not tokens.size:
            return np.zeros(0, np.uint32)
        offsets = self.fingerprint.offsets[tokens]
        low = int(offsets.min())
        found: NDArray[np.uint32] = code_points(self.text[low : int(offsets.max()) + 1])[offsets - low]
        return found

    def range_of(self, start: int, end: int) -> TextRange:
        """Give the text from the first to the last of these tokens; without any, the place before token `start`."""
        (range_start,), (range_end,) = self.ranges(np.array([start], np.int32), np.array([end], np.int32))
        return TextRange(range_start, range_end)

    def ranges(self, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> tuple[list[int], list[int]]:
        """Text offsets of the starts and ends of many token ranges; an empty one lies before its first token."""
        offsets = self.fingerprint.offsets
        if not offsets.size:
            return [0] * starts.size, [0] * starts.size
        firsts = offsets[np.minimum(starts, offsets.size - 1)].astype(np.int64)
        firsts[starts >= offsets.size] = self._end_of(offsets.size - 1)
        lasts = offsets[np.maximum(ends - 1, 0)].astype(np.int64) + 1
        for row in self._latin_rows(lasts - 1):
            lasts[row] = self._end_of(int(ends[row]) - 1)
        is_empty = starts >= ends
        lasts[is_empty] = firsts[is_empty]
        return firsts.tolist(), lasts.tolist()

    def _latin_rows(self, offsets: NDArray[np.int64]) -> list[int]:
        if not offsets.size:
            return []
        low, high = int(offsets.min()), int(offsets.max())
        return list(np.flatnonzero(is_latin(code_points(self.text[low : high + 1])[offsets - low])))

    def _end_of(self, token: int) -> int:
        offsets = self.fingerprint.offsets
        start = int(offsets[token])
        limit = int(offsets[token + 1]) if token + 1 < offsets.size else len(self.text)
        if not is_latin(code_points(self.text[start : start + 1]))[0]:
            return start + 1
        kinds = KINDS.table[code_points(self.text[start : min(limit, start + MAX_LETTERS_OF_SYLLABLE)])]
        others = np.flatnonzero((kinds != Kind.LATIN) & (kinds != Kind.FULL_WIDTH_LATIN) & (kinds != Kind.ZERO_WIDTH))
        return start + (int(others[0]) if others.size else kinds.size)


def is_latin(characters: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """bool[n]: whether a token was read from letters."""
    kinds = KINDS.table[characters]
    return np.asarray((kinds == Kind.LATIN) | (kinds == Kind.FULL_WIDTH_LATIN))


def is_one_character(page: NDArray[np.uint32], work: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """bool[n]: whether both are forms of one character (simplified, traditional, compatibility)."""
    return np.asarray(TABLE.folding[page] == TABLE.folding[work])
