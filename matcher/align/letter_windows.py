"""Finds windows next to the changes of a passage in which letters may spell a missing character."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import Kind
from fingerprint.compilation import as_int, kernel
from fingerprint.pinyin import MAX_RUN_LETTERS
from matcher.align.change_kernels import Changes
from matcher.align.token_alignment import FROM_PAGE, FROM_WORK, KIND, TO_PAGE, TO_WORK
from matcher.align.tokenized_text import MAX_LETTERS_OF_SYLLABLE

HAN, LATIN, FULL_WIDTH_LATIN = int(Kind.HAN), int(Kind.LATIN), int(Kind.FULL_WIDTH_LATIN)
FIRST_LOWER, LAST_LOWER = ord("a"), ord("z")
SURROUNDING = 2  # tokens: what stands between the last but one and the last beside a change is read with it


class RowKinds(NamedTuple):
    """The numbers of the relevant kinds of changes; moved: of those that are no text."""

    pinyin: int
    replaced: int
    inserted: int
    deleted: int
    moved: int


@kernel()
def find_letters(
    characters: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    changes: Changes,
    row_kinds: RowKinds,
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which changes are plain pinyin already, bool[changes], and windows with letters, int64[n, 2].

    characters: of the page; offsets: of its tokens, which do not increase where it is read in another order; kinds: of
    code points; changes: in order of the page. Windows are in order of the text, and begin and end at Chinese
    characters, which no spelling goes across, as far as the text of all changes reaches.
    """
    is_plain, windows, count = np.zeros(len(changes), np.bool_), np.empty((len(changes), 2), np.int64), 0
    first, last = as_int(changes[:, FROM_PAGE].min()), as_int(changes[:, TO_PAGE].max())
    low = as_int(offsets[first - 1]) if first else 0
    high = as_int(offsets[last]) + MAX_LETTERS_OF_SYLLABLE if last < offsets.size else characters.size
    high = min(high, characters.size)
    for number in range(len(changes)):
        row = changes[number]
        if row[KIND] == row_kinds.pinyin and _is_plain(characters, offsets, kinds, row[FROM_PAGE], row[TO_PAGE]):
            is_plain[number] = True
        elif row[KIND] != row_kinds.moved and row[FROM_WORK] < row[TO_WORK]:
            before, behind = as_int(row[FROM_PAGE]) - SURROUNDING, as_int(row[TO_PAGE]) + SURROUNDING
            start = max(low, as_int(offsets[before]) if before > 0 else 0)
            end = min(high, as_int(offsets[behind]) if behind < offsets.size else characters.size)
            while start > low and kinds[characters[start - 1]] != HAN:
                start -= 1
            while end < high and kinds[characters[end]] != HAN:
                end += 1
            if start < end:
                windows[count, 0], windows[count, 1] = start, end
                count += 1
    return is_plain, _join_windows(windows[:count], characters, kinds)


@kernel()
def _join_windows(
    windows: NDArray[np.int64], characters: NDArray[np.uint32], kinds: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Return the windows with letters, in order of the text, joining those that touch."""
    windows, count = windows[np.argsort(windows[:, 0], kind="mergesort")], 0
    for number in range(len(windows)):
        start, end = as_int(windows[number, 0]), as_int(windows[number, 1])
        if not _has_letters(characters, kinds, start, end):
            continue
        if count and start <= windows[count - 1, 1]:
            windows[count - 1, 1] = max(as_int(windows[count - 1, 1]), end)
        else:
            windows[count, 0], windows[count, 1] = start, end
            count += 1
    return windows[:count]


@kernel(allocates=False)
def _is_plain(
    characters: NDArray[np.uint32], offsets: NDArray[np.int32], kinds: NDArray[np.uint8], start: int, end: int
) -> bool:
    """Return whether these tokens are only lower-case letters between two Chinese characters."""
    at, stop = as_int(offsets[start]), as_int(offsets[end]) if end < offsets.size else characters.size
    if at == 0 or stop == characters.size or not at < stop <= at + MAX_RUN_LETTERS:
        return False
    if kinds[characters[at - 1]] != HAN or kinds[characters[stop]] != HAN:
        return False
    for place in range(at, stop):  # noqa: SIM110 - compiled: no generators
        if not FIRST_LOWER <= characters[place] <= LAST_LOWER:
            return False
    return True


@kernel(allocates=False)
def _has_letters(characters: NDArray[np.uint32], kinds: NDArray[np.uint8], start: int, end: int) -> bool:
    for place in range(start, end):
        kind = kinds[characters[place]]
        if kind in (LATIN, FULL_WIDTH_LATIN):
            return True
    return False
