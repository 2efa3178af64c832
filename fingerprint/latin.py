"""Pinyin in Chinese text: in place of characters (read as syllables) or beside them (noise).

A chain is a sequence of Latin runs with at most a few spaces or joining marks between them. It counts when all of it
is pinyin and Han characters stand at one of its ends; "Python" and an English sentence never do.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.noise import Runs, find_runs
from fingerprint.pinyin import PinyinReader

MAX_GAP_IN_CHAIN_CHARS = 2
MAX_GAP_TO_HAN_CHARS = 2


@dataclass(frozen=True, slots=True, eq=False)
class SignRows:
    """The characters of a text as normalisation sees them.

    kinds uint8[n]; tokens uint16[n], the readings of single characters; visible int64[v]: positions of what is not
    zero-width.
    """

    text: str
    kinds: NDArray[np.uint8]
    tokens: NDArray[np.uint16]
    visible: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LatinReading:
    """Tokens read from Latin letters (uint16 and their text offsets), and the runs that only repeat a reading."""

    tokens: NDArray[np.uint16]
    offsets: NDArray[np.int64]
    inserted: Runs


def read_latin(rows: SignRows, pinyin: PinyinReader) -> LatinReading:
    """Read the pinyin of a text."""
    seen = rows.kinds[rows.visible]
    starts, ends = find_runs((seen == Kind.LATIN) | (seen == Kind.FULL_WIDTH_LATIN))
    reader = _ChainReader(rows, seen, pinyin)
    if starts.size:
        firsts = np.flatnonzero(~_is_in_chain(seen, starts, ends))
        lasts = np.append(firsts[1:], starts.size)
        is_next_to_han = _is_near_han(seen, starts[firsts], ends[lasts - 1])
        for first, last in zip(firsts[is_next_to_han].tolist(), lasts[is_next_to_han].tolist(), strict=True):
            reader.add_chain(starts[first:last].tolist(), ends[first:last].tolist())
    return reader.reading()


def _is_in_chain(seen: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each run belongs to the chain of the previous run, bool[runs]."""
    is_gap = (seen == Kind.SPACE) | (seen == Kind.JOINING)
    gaps = np.concatenate([[0], np.cumsum(is_gap)])
    width = starts[1:] - ends[:-1]
    is_close = (width <= MAX_GAP_IN_CHAIN_CHARS) & (gaps[starts[1:]] - gaps[ends[:-1]] == width)
    return np.concatenate([[False], is_close])


def _is_near_han(seen: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    han = np.concatenate([[0], np.cumsum(seen == Kind.HAN)])
    before = han[starts] - han[np.maximum(starts - MAX_GAP_TO_HAN_CHARS, 0)]
    after = han[np.minimum(ends + MAX_GAP_TO_HAN_CHARS, seen.size)] - han[ends]
    return np.asarray((before > 0) | (after > 0))


class _ChainReader:
    """Collects what chains say; positions are those among the visible characters until the end."""

    def __init__(self, rows: SignRows, seen: NDArray[np.uint8], pinyin: PinyinReader) -> None:
        self._rows, self._seen, self._pinyin = rows, seen, pinyin
        self._syllables: list[int] = []
        self._positions: list[int] = []
        self._inserted: list[tuple[int, int]] = []

    def add_chain(self, starts: list[int], ends: list[int]) -> None:
        """Take one chain: starts and ends of its runs."""
        syllables: list[int] = []
        positions: list[int] = []
        for start, end in zip(starts, ends, strict=True):
            run = "".join(self._rows.text[offset] for offset in self._rows.visible[start:end].tolist())
            read = self._pinyin.split_run(run)
            if read is None:
                return
            syllables += [syllable for syllable, _ in read]
            positions += [start + offset for _, offset in read]
        if self._is_bracketed(starts[0], ends[-1]):
            self._inserted.append((starts[0] - 1, ends[-1] + 1))
        elif self._repeats_preceding_text(starts[0], syllables):
            self._inserted.append((starts[0], ends[-1]))
        else:
            self._syllables += syllables
            self._positions += positions

    def reading(self) -> LatinReading:
        """Return all chains so far, in positions of the text."""
        visible, ranges = self._rows.visible, np.array(self._inserted, np.int64).reshape(-1, 2)
        inserted = visible[ranges[:, 0]], visible[ranges[:, 1] - 1] + 1
        offsets = visible[np.array(self._positions, np.int64)]
        return LatinReading(np.array(self._syllables, np.uint16), offsets, inserted)

    def _is_bracketed(self, start: int, end: int) -> bool:
        seen = self._seen
        if start < 2 or end >= seen.size:
            return False
        return bool(seen[start - 2] == Kind.HAN and seen[start - 1] == Kind.OPENING and seen[end] == Kind.CLOSING)

    def _repeats_preceding_text(self, start: int, syllables: list[int]) -> bool:
        before = self._rows.visible[max(start - len(syllables), 0) : start]
        return list(self._rows.tokens[before]) == syllables
