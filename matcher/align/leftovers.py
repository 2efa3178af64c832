"""What a walk leaves without a counterpart on both sides although it is the same: too little to leap for."""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.token_agreement import NearTokens, Tokens, agree

UNALIGNED = -1
# Of a gap of like size on both sides: one token in so many agrees where single words were replaced; by chance it is
# one in thirty (16 passages with 30 % random characters beside 16 with foreign sentences, 2026-11; 3-6 tried).
TOKENS_A_MATCH = 8


@kernel(allocates=False)
def fill_gaps(aligned_to: NDArray[np.int32], page: Tokens, near: NearTokens, work: Tokens) -> None:
    """Set token beside token in gaps that are as long on the page as in the work, if enough of them agree."""
    before = UNALIGNED
    for at in range(aligned_to.size):
        if aligned_to[at] == UNALIGNED:
            continue
        size = at - before - 1
        if before != UNALIGNED and size and aligned_to[at] - aligned_to[before] - 1 == size:
            shift, agreeing = aligned_to[before] - before, 0
            for place in range(before + 1, at):
                agreeing += agree(page, near.rows, near.masks, work, place, place + shift)
            if agreeing * TOKENS_A_MATCH >= size:
                for place in range(before + 1, at):
                    aligned_to[place] = place + shift
        before = at
