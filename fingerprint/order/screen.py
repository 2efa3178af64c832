"""Checks quickly whether the characters of a text may have been reordered, or others inserted, and how.

Every text is checked, so the check first counts the known pairs in a few tokens. If there are too few, it examines the
stretch of the text that reads worst. It uses measures that are small in any prose, old or new, however common the prose
is: unknown pairs whose characters are known as a pair if read backwards, or without one or two characters between them.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.order.followers import Keys, Table, is_pair, pair_key
from fingerprint.order.kernels import MAX_BETWEEN, fill_gains, first_gains

IN_COLUMNS, REVERSED, SWAPPED, INSERTED = 1, 2, 4, 8  # possible changes of a text, one bit each

# Limits were derived from held-out works and 24 layouts of passages from them (November 2026).
STRETCH, STRETCHES, MAX_STEP = 16, 8, 256  # consecutive tokens, number of stretches, distance in a long text
# Percent of known pairs. .03 to .15 of ordinary texts have less, nearly all texts in another order do; a stretch of 16
# in disorder has two, and two stretches with three or less make any text doubtful.
MIN_KNOWN, MAX_LOW = 45, 3
# For other texts twice as many stretches are examined. Doubt a token, percent, with room for chance; and known pairs:
# with fewer, a text is doubtful in any case.
MIN_DOUBT, CHANCE, MIN_KNOWN_ANYHOW = 25, 90, 36
# The weights of pairs known without one or two characters between them; pairs known backwards have weight 1.
WITHOUT_ONE, WITHOUT_TWO = 2, 3
BLOCK, BLOCKS = 64, 5  # tokens, and the number of consecutive blocks that are examined more closely
# Shares of these pairs. In grids at most .26 are known, and up to twice as many backwards; in reversed texts .8 as many
# backwards as forwards or more, in others .3 to .6.
MAX_KNOWN_OF_COLUMNS, MAX_BACK_OF_COLUMNS, MIN_BACK, MIN_BACK_OF_ALL = 0.28, 2.2, 0.75, 0.18
# The doubt if neighbours were swapped; pairs known without one or two characters between if characters were inserted:
# nearly all such texts have more, and one in seven doubtful ordinary texts.
MIN_SURE_DOUBT, MIN_ONE, MIN_TWO = 0.5, 0.08, 0.07
# Gains a token: with swapped neighbours 11 and more, otherwise at most 7; with inserted characters .95 have 6 and more,
# otherwise a tenth.
MIN_GAIN_OF_SWAPS, MIN_GAIN_WITHOUT = 9.5, 5.8


@kernel(allocates=False)
def is_doubtful(
    codes: NDArray[np.uint32], offsets: NDArray[np.int32], simplified_forms: NDArray[np.uint16], table: Table
) -> bool:
    """Return whether a text, or parts of it, may be out of order.

    codes: the code points of the text; offsets: the offsets of its tokens.
    """
    size = offsets.size - 1
    step = min(max(size // STRETCHES, STRETCH), MAX_STEP)
    known, seen, low = 0, 0, 0
    for start in range(0, size - STRETCH + 1, step):
        here, before = 0, _token_key(codes, offsets, simplified_forms, start)
        for place in range(start + 1, start + STRETCH + 1):
            behind = _token_key(codes, offsets, simplified_forms, place)
            here += as_int(is_pair(before, behind, table))
            before = behind
        known, seen, low = known + here, seen + STRETCH, low + (here <= MAX_LOW)
    if 100 * known >= MIN_KNOWN * seen and low < 2:
        return False
    known, doubt, seen = 0, 0, 0
    for start in range(0, size - STRETCH - 2, max(step // 2, STRETCH)):
        one, two = (
            _token_key(codes, offsets, simplified_forms, start),
            _token_key(codes, offsets, simplified_forms, start + 1),
        )
        three = _token_key(codes, offsets, simplified_forms, start + 2)
        first, second = is_pair(one, two, table), is_pair(two, three, table)
        for place in range(start + 3, start + STRETCH + 3):
            four = _token_key(codes, offsets, simplified_forms, place)
            third = is_pair(three, four, table)
            known += as_int(first)
            doubt += as_int(is_pair(two, one, table))
            if not first and not second:
                doubt += WITHOUT_ONE * as_int(is_pair(one, three, table))
                doubt += 0 if third else WITHOUT_TWO * as_int(is_pair(one, four, table))
            one, two, three = two, three, four
            first, second = second, third
        seen += STRETCH
    return 100 * doubt > MIN_DOUBT * seen + CHANCE * np.sqrt(seen) or 100 * known < MIN_KNOWN_ANYHOW * seen or low > 1


@kernel(allocates=False)
def _token_key(
    codes: NDArray[np.uint32], offsets: NDArray[np.int32], simplified_forms: NDArray[np.uint16], place: int
) -> np.uint32:
    return pair_key(simplified_forms[codes[np.uint32(offsets[np.uint64(place)])]])


@kernel(nogil=True)
def pair_keys(codes: NDArray[np.uint32], offsets: NDArray[np.int32], simplified_forms: NDArray[np.uint16]) -> Keys:
    """Return the keys of the characters of all tokens, uint32[n]."""
    keys = np.empty(offsets.size, np.uint32)
    for place in range(offsets.size):
        keys[place] = _token_key(codes, offsets, simplified_forms, place)
    return keys


@kernel(nogil=True)
def find_suspect(keys: Keys, table: Table) -> int:
    """Return the possible changes of the stretch that reads worst; 0 if there are none."""
    start = _worst_stretch(keys, table)
    keys = keys[start : start + BLOCK * BLOCKS]
    size, known, back, one, two = keys.size - 3, 0, 0, 0, 0
    last, now = is_pair(keys[0], keys[1], table), is_pair(keys[1], keys[2], table)
    for place in range(3, keys.size):
        older, last, now = last, now, is_pair(keys[place - 1], keys[place], table)
        known += as_int(now)
        back += as_int(is_pair(keys[place], keys[place - 1], table))
        if not now and not last:
            one += as_int(is_pair(keys[place - 2], keys[place], table))
            two += 0 if older else as_int(is_pair(keys[place - 3], keys[place], table))
    found = 0
    if back >= max(MIN_BACK * known, MIN_BACK_OF_ALL * size):
        found |= REVERSED
    if known <= MAX_KNOWN_OF_COLUMNS * size and back <= MAX_BACK_OF_COLUMNS * known:
        found |= IN_COLUMNS
    doubt = back + WITHOUT_ONE * one + WITHOUT_TWO * two
    if doubt < MIN_SURE_DOUBT * size and one < MIN_ONE * size and two < MIN_TWO * size:
        return found
    gains = np.zeros((keys.size, 2 + MAX_BETWEEN), np.int16)
    fill_gains(gains, keys, table)
    swapped, left_out = first_gains(gains, keys)
    if swapped > MIN_GAIN_OF_SWAPS * keys.size:
        found |= SWAPPED
    if left_out > MIN_GAIN_WITHOUT * keys.size:
        found |= INSERTED
    return found


@kernel(nogil=True)
def _worst_stretch(keys: Keys, table: Table) -> int:
    """Return the start of the sample of tokens with the fewest known pairs; only every second pair is counted."""
    blocks = np.zeros(keys.size // BLOCK, np.int64)
    for block in range(blocks.size):
        for place in range(block * BLOCK + 1, (block + 1) * BLOCK, 2):
            blocks[block] += as_int(is_pair(keys[place - 1], keys[place], table))
    here = blocks[:BLOCKS].sum()
    least, best = here, 0
    for last in range(BLOCKS, blocks.size):
        here += blocks[last] - blocks[last - BLOCKS]
        if here < least:
            least, best = here, last - BLOCKS + 1
    return best * BLOCK
