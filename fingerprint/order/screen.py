"""A glance at a text: whether anything suggests that its characters were put in another order, or strewn with others.

It is taken at every text, so it looks at one token in sixteen, and at twice as many where these leave a doubt. What it
sums up is small in any prose, old or new, and not how common the prose is: pairs that are not known although the same
characters are known as pairs when they are read backwards, or without one or two between them.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.order.followers import Table, is_pair, key_of

NO_DOUBT, DOUBT, DISORDER = range(3)
STRETCH, STRETCHES, MAX_STEP = 16, 24, 128  # tokens in a row, how many of them, and how far apart in a long text
AHEAD = 3  # tokens that are seen behind a stretch
# Doubt a token, percent. Of held-out texts (November 2026) a quarter of old novels, a tenth of the encyclopaedia and
# .01 of news have more than the first on half of the stretches, .05, .02 and none more than the second on all; of the
# 117 layouts .98 have more than both. Fewer tokens leave more to chance.
MAX_FIRST_DOUBT, MAX_DOUBT, MAX_LONG_DOUBT, CHANCE = 17, 19, 21, 90
MIN_STEP_OF_LONG, LONG_STRETCH = 40, 64  # how far apart stretches are in texts of which longer ones tell more
MIN_KNOWN = 40  # percent; of ordinary texts 2 % have less, nearly all of them with doubt as well
# What it counts that a pair is known without one or two characters between, beside one that is known backwards. Of some
# such weights those by which most layouts have more doubt than .96 of ordinary texts (November 2026).
WITHOUT_ONE, WITHOUT_TWO = 2, 3
# Of 16 pairs in disorder two are known, of 16 in order eight; then of all around these.
MAX_LOW, LOW_TOKENS, LOW_ONE_IN = 3, 128, 5


@kernel(allocates=False, nogil=True)
def glance(codes: NDArray[np.uint32], offsets: NDArray[np.int32], simplified: NDArray[np.uint16], table: Table) -> int:
    """NO_DOUBT, DOUBT about the text, or DISORDER of a part of it. codes: of the text; offsets: of its tokens."""
    step = min(max(offsets.size // STRETCHES, STRETCH), MAX_STEP)
    doubt, all_known, seen = 0, 0, 0
    for turn in range(2):
        for start in range(turn * step, offsets.size - STRETCH - AHEAD, 2 * step):
            here, known = _look_at(codes, offsets, simplified, table, start, start + STRETCH)
            doubt, all_known, seen = doubt + here, all_known + known, seen + STRETCH
            if known <= MAX_LOW and _is_low(codes, offsets, simplified, table, start):
                return DISORDER
        most = MAX_DOUBT * seen + CHANCE * np.sqrt(seen) if turn else MAX_FIRST_DOUBT * seen
        if 100 * doubt <= most and 100 * all_known >= MIN_KNOWN * seen:
            return NO_DOUBT
    if step < MIN_STEP_OF_LONG:
        return DOUBT
    doubt, all_known, seen, length = 0, 0, 0, min(step, LONG_STRETCH)
    for start in range(0, offsets.size - length - AHEAD, step):
        here, known = _look_at(codes, offsets, simplified, table, start, start + length)
        doubt, all_known, seen = doubt + here, all_known + known, seen + length
    is_fine = 100 * doubt <= MAX_LONG_DOUBT * seen + CHANCE * np.sqrt(seen) and 100 * all_known >= MIN_KNOWN * seen
    return NO_DOUBT if is_fine else DOUBT


@kernel(allocates=False, nogil=True)
def _is_low(
    codes: NDArray[np.uint32], offsets: NDArray[np.int32], simplified: NDArray[np.uint16], table: Table, start: int
) -> bool:
    """Whether the tokens around a stretch are in disorder, too."""
    first = max(0, min(start - (LOW_TOKENS - STRETCH) // 2, offsets.size - LOW_TOKENS - AHEAD))
    last = min(first + LOW_TOKENS, offsets.size - AHEAD)
    return _look_at(codes, offsets, simplified, table, first, last)[1] * LOW_ONE_IN < last - first


@kernel(allocates=False, nogil=True)
def _look_at(  # noqa: PLR0917 - numba compiles no records
    codes: NDArray[np.uint32],
    offsets: NDArray[np.int32],
    simplified: NDArray[np.uint16],
    table: Table,
    start: int,
    end: int,
) -> tuple[int, int]:
    """The doubt of the tokens from start to end, and how many of them are known before the next."""
    one, two = _key_at(codes, offsets, simplified, start), _key_at(codes, offsets, simplified, start + 1)
    three = _key_at(codes, offsets, simplified, start + 2)
    first, second = is_pair(one, two, table), is_pair(two, three, table)
    doubt, known = np.uint32(0), np.uint32(0)
    for place in range(start + AHEAD, end + AHEAD):
        four = _key_at(codes, offsets, simplified, place)
        third = is_pair(three, four, table)
        known += first
        neither = np.uint32(1) ^ (first | second)
        doubt += neither * is_pair(one, three, table) * np.uint32(WITHOUT_ONE)
        doubt += neither * (np.uint32(1) ^ third) * is_pair(one, four, table) * np.uint32(WITHOUT_TWO)
        doubt += (np.uint32(1) ^ first) & is_pair(two, one, table)
        one, two, three = two, three, four
        first, second = second, third
    return np.int64(doubt), np.int64(known)  # type: ignore[return-value]


@kernel(allocates=False, nogil=True)
def _key_at(
    codes: NDArray[np.uint32], offsets: NDArray[np.int32], simplified: NDArray[np.uint16], place: int
) -> np.uint32:
    return key_of(simplified[codes[np.uint32(offsets[np.uint64(place)])]])
