"""Finds pinyin in Chinese text: in place of characters (read as syllables) or beside them (noise).

A chain is a sequence of Latin runs with at most a few spaces or joining marks between them. It counts if it is entirely
pinyin and there are Han characters at one of its ends; "Python" and an English sentence never count.

Positions count only characters that are not zero-width. A trie is int32[nodes, 27]: column 1 to 26 the node after each
letter, or 0; column 0 the syllable that ends in the node, or 0.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.characters import TOKEN_BITS, TOKEN_MASK, Kind
from fingerprint.compilation import kernel
from fingerprint.pinyin import MAX_RUN_LETTERS, MAX_SYLLABLE_LETTERS

MAX_GAP_IN_CHAIN_CHARS = 2
MAX_GAP_TO_HAN_CHARS = 2
HAN, SPACE, JOINING, WILDCARD = int(Kind.HAN), int(Kind.SPACE), int(Kind.JOINING), int(Kind.WILDCARD)
LATIN, FULL_WIDTH = int(Kind.LATIN), int(Kind.FULL_WIDTH_LATIN)
OPENING, CLOSING = int(Kind.OPENING), int(Kind.CLOSING)
UNREACHED = 127

Codes = NDArray[np.uint32]
Signs = NDArray[np.uint16]
Places = NDArray[np.int32]
Trie = NDArray[np.int32]
Chains = tuple[NDArray[np.uint16], Places, Places, Places]


@kernel(nogil=True)
def read_chains(codes: Codes, signs: Signs, letters: NDArray[np.uint8], trie: Trie) -> Chains:
    """Return syllables and their places, and the starts and ends of pinyin that only repeats a reading.

    codes: without zero-width characters; letters: uint8[65536], 1 to 26 for a Latin letter without its marks.
    """
    runs, letters_in_runs = _count_letters(codes, signs)
    starts, ends = np.empty(runs, np.int32), np.empty(runs, np.int32)
    _find_letter_runs(codes, signs, starts, ends)
    syllables, places = np.empty(letters_in_runs, np.uint16), np.empty(letters_in_runs, np.int32)
    inserted_starts, inserted_ends = np.empty(runs, np.int32), np.empty(runs, np.int32)
    best, bounds = np.empty(MAX_RUN_LETTERS + 1, np.int64), np.empty(MAX_RUN_LETTERS + 1, np.int64)
    names = np.empty(MAX_RUN_LETTERS + 1, np.int64)
    count, inserted, first = 0, 0, 0
    while first < runs:
        last = first
        while last + 1 < runs and _is_gap_in_chain(codes, signs, ends[last], starts[last + 1]):
            last += 1
        start, end = starts[first], ends[last]
        total = count if _is_near_han(codes, signs, start, end) else -1
        for run in range(first, last + 1):
            if total < 0:
                break
            total = _write_syllables(
                codes, starts[run], ends[run], letters, trie, best, bounds, names, syllables, places, total
            )
        if total >= 0:
            if _is_bracketed(codes, signs, start, end):
                inserted_starts[inserted], inserted_ends[inserted] = start - 1, end + 1
                inserted += 1
            elif _repeats_readings(codes, signs, start, syllables[count:total]):
                inserted_starts[inserted], inserted_ends[inserted] = start, end
                inserted += 1
            else:
                count = total
        first = last + 1
    return syllables[:count].copy(), places[:count].copy(), inserted_starts[:inserted], inserted_ends[:inserted]


@kernel(allocates=False, nogil=True)
def _count_letters(codes: Codes, signs: Signs) -> tuple[int, int]:
    """Count the runs of Latin letters, and the letters."""
    runs, letters, was_letter = 0, 0, False
    for place in range(codes.size):
        kind = signs[codes[place]] >> TOKEN_BITS
        is_letter = kind == LATIN or kind == FULL_WIDTH  # noqa: PLR1714 - compiled: no sets
        runs += is_letter and not was_letter
        letters += is_letter
        was_letter = is_letter
    return runs, letters


@kernel(allocates=False, nogil=True)
def _find_letter_runs(codes: Codes, signs: Signs, starts: Places, ends: Places) -> None:
    run, was_letter = 0, False
    for place in range(codes.size):
        kind = signs[codes[place]] >> TOKEN_BITS
        is_letter = kind == LATIN or kind == FULL_WIDTH  # noqa: PLR1714 - compiled: no sets
        if is_letter and not was_letter:
            starts[run] = place
        elif was_letter and not is_letter:
            ends[run] = place
            run += 1
        was_letter = is_letter
    if was_letter:
        ends[run] = codes.size


@kernel(allocates=False, nogil=True)
def _is_gap_in_chain(codes: Codes, signs: Signs, start: int, end: int) -> bool:
    if end - start > MAX_GAP_IN_CHAIN_CHARS:
        return False
    for place in range(start, end):
        kind = signs[codes[place]] >> TOKEN_BITS
        if kind != SPACE and kind != JOINING:  # noqa: PLR1714 - compiled: no sets
            return False
    return True


@kernel(allocates=False, nogil=True)
def _is_near_han(codes: Codes, signs: Signs, start: int, end: int) -> bool:
    for place in range(max(start - MAX_GAP_TO_HAN_CHARS, 0), start):
        if signs[codes[place]] >> TOKEN_BITS == HAN:
            return True
    for place in range(end, min(end + MAX_GAP_TO_HAN_CHARS, codes.size)):
        if signs[codes[place]] >> TOKEN_BITS == HAN:
            return True
    return False


@kernel(allocates=False, nogil=True)
def _write_syllables(  # noqa: PLR0917 - numba compiles no records
    codes: Codes,
    start: int,
    end: int,
    letters: NDArray[np.uint8],
    trie: Trie,
    best: NDArray[np.int64],
    bounds: NDArray[np.int64],
    names: NDArray[np.int64],
    syllables: NDArray[np.uint16],
    places: Places,
    count: int,
) -> int:
    """Write the fewest syllables of a run after `count` others, for equal numbers the longest first; -1 if none fit."""
    size = end - start
    if size > MAX_RUN_LETTERS:
        return -1
    best[size] = 0
    for first in range(size - 1, -1, -1):
        best[first] = UNREACHED
        node = 0
        for bound in range(first + 1, min(size, first + MAX_SYLLABLE_LETTERS) + 1):
            node = trie[node, letters[codes[start + bound - 1]]]
            if node == 0:
                break
            if trie[node, 0] and best[bound] + 1 <= best[first] and best[bound] < UNREACHED:
                best[first], bounds[first], names[first] = best[bound] + 1, bound, trie[node, 0]
    if best[0] == UNREACHED:
        return -1
    first = 0
    while first < size:
        syllables[count], places[count] = names[first], start + first
        count += 1
        first = bounds[first]
    return count


@kernel(allocates=False, nogil=True)
def _is_bracketed(codes: Codes, signs: Signs, start: int, end: int) -> bool:
    if start < 2 or end >= codes.size:
        return False
    before, opening = signs[codes[start - 2]] >> TOKEN_BITS, signs[codes[start - 1]] >> TOKEN_BITS
    return bool(before == HAN and opening == OPENING and signs[codes[end]] >> TOKEN_BITS == CLOSING)


@kernel(allocates=False, nogil=True)
def _repeats_readings(codes: Codes, signs: Signs, start: int, syllables: NDArray[np.uint16]) -> bool:
    """Return whether the characters before a place read as these syllables."""
    if start < syllables.size:
        return False
    for place in range(syllables.size):
        if signs[codes[start - syllables.size + place]] & TOKEN_MASK != syllables[place]:
            return False
    return True
