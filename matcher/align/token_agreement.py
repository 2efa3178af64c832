"""Agreement of page and work tokens, and runs of agreeing tokens on a diagonal."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from fingerprint.stream import WILDCARD

Tokens = NDArray[np.uint16]
Rows = NDArray[np.int32]
Masks = NDArray[np.uint64]
Index = int | np.uint64


class NearTokens(NamedTuple):
    """The tokens that each page token may represent.

    rows int32[n]: the mask of each token; masks uint64[R, W]: bit t is token t.
    """

    rows: Rows
    masks: Masks


class TokenPosition(NamedTuple):
    """A position on the page and one in the work, in tokens."""

    page: int
    work: int


class TokenBounds(NamedTuple):
    """The range of a text in an array of tokens: [start, end)."""

    start: int
    end: int


class AgreeingRun(NamedTuple):
    """Consecutive tokens that agree. readable: tokens without a wildcard; firm: tokens up to the last readable one."""

    length: int
    readable: int
    firm: int


@kernel(allocates=False)
def do_tokens_agree(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, rows: Rows, masks: Masks, work: Tokens, page_at: Index, work_at: Index
) -> bool:
    """Return whether two tokens agree; a wildcard agrees with any token.

    rows, masks: NearTokens.
    """
    here, there = np.uint64(page_at), np.uint64(work_at)  # unsigned: numba counts negative indexes from the end
    ours, theirs = page[here], work[there]
    if ours == theirs or ours == WILDCARD or theirs == WILDCARD:  # noqa: PLR1714, SIM109 - compiled: no tuples
        return True
    return bool((masks[np.uint64(rows[here]), np.uint64(theirs >> 6)] >> np.uint64(theirs & 63)) & np.uint64(1))


@kernel(allocates=False)
def agreeing_run(  # noqa: PLR0917
    page: Tokens, rows: Rows, masks: Masks, work: Tokens, page_at: int, work_at: int, direction: int, limit: int
) -> AgreeingRun:
    """Return the run of agreeing tokens from a position on, at most `limit`. direction: 1 ahead, -1 back.

    rows, masks: the fields of NearTokens, unpacked by the caller before its loop: numba counts a reference at every
    access to an array in a tuple, which took half of the time of extension (November 2026).
    """
    length, readable, firm = 0, 0, 0
    while length < limit:
        here, there = np.uint64(page_at + length * direction), np.uint64(work_at + length * direction)
        if page[here] == work[there]:
            is_readable = page[here] != WILDCARD
        elif do_tokens_agree(page, rows, masks, work, here, there):
            is_readable = page[here] != WILDCARD and work[there] != WILDCARD
        else:
            break
        length += 1
        if is_readable:
            readable += 1
            firm = length
    return AgreeingRun(length, readable, firm)
