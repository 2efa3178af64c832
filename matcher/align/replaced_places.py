"""Beside a gap of the work: which of its tokens a replaced character stands for.

Where one of two characters was replaced and the other left out, a walk may set the one that is there beside either.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.jump_cells import UNALIGNED, Side
from matcher.align.token_agreement import NearTokens, agree

# Tokens. On 24 passages 1 and 2 are alike; with 4, of 30 % random characters 24 are shown as left out in place of 21
# (2026-11-25, seed 77 of the measure of comparisons).
MAX_AWAY = 2
OTHER, NEAR, SAME = range(3)


@kernel()
def settle_replaced(aligned_to: NDArray[np.int32], page: Side, near: NearTokens, work: Side) -> int:
    """Set each token that stands beside another one beside the likest of those near by that are free. How many moved.

    Free are tokens between the first and the last that has a counterpart. aligned_to: tokens of `work`, or UNALIGNED.
    """
    is_free, moved, first, end = np.ones(work.tokens.size, np.bool_), 0, work.tokens.size, 0
    for there in aligned_to:
        if there != UNALIGNED:
            is_free[there] = False
            first, end = min(first, there), max(end, there + 1)
    for here in range(aligned_to.size):
        there = aligned_to[here]
        if there == UNALIGNED or page.characters[here] == work.characters[there]:
            continue
        best, most = there, UNALIGNED
        for step in (-1, 1):
            place = there + step
            while abs(place - there) <= MAX_AWAY and first <= place < end and is_free[place]:
                if most == UNALIGNED:
                    most = _likeness(page, near, work, here, there)
                likeness = _likeness(page, near, work, here, place)
                if likeness > most:
                    best, most = place, likeness
                place += step
        if best != there:
            is_free[there], is_free[best] = True, False
            aligned_to[here] = best
            moved += 1
    return moved


@kernel(allocates=False)
def _likeness(page: Side, near: NearTokens, work: Side, here: int, there: int) -> int:
    if page.characters[here] == work.characters[there]:
        return SAME
    return NEAR if agree(page.tokens, near.rows, near.masks, work.tokens, here, there) else OTHER
