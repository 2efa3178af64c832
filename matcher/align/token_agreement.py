"""Determines whether page and work tokens agree, and finds runs of agreeing tokens on a diagonal."""

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
    """The tokens that each page token may stand for.

    rows int32[n]: the mask of each page token; masks uint64[R, W]: bit t is set for token t.
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
    """Consecutive agreeing tokens.

    readable: how many of the pairs have no wildcard; firm: the length up to the last such pair.
    """

    length: int
    readable: int
    firm: int


@kernel(allocates=False)
def do_tokens_agree(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, rows: Rows, masks: Masks, work: Tokens, page_index: Index, work_index: Index
) -> bool:
    """Return whether a page token may stand for a work token; a wildcard agrees with any token.

    rows, masks: the fields of NearTokens.
    """
    page_key, work_key = (
        np.uint64(page_index),
        np.uint64(work_index),
    )  # unsigned: numba counts negative indexes from the end
    page_token, work_token = page[page_key], work[work_key]
    if page_token == work_token or page_token == WILDCARD or work_token == WILDCARD:  # noqa: PLR1714, SIM109 - compiled: no tuples
        return True
    return bool(
        (masks[np.uint64(rows[page_key]), np.uint64(work_token >> 6)] >> np.uint64(work_token & 63)) & np.uint64(1)
    )


@kernel(allocates=False)
def agreeing_run(  # noqa: PLR0917
    page: Tokens, rows: Rows, masks: Masks, work: Tokens, page_start: int, work_start: int, direction: int, limit: int
) -> AgreeingRun:
    """Return the run of agreeing tokens from a position on, at most `limit` tokens. direction: 1 ahead, -1 back.

    rows, masks: the fields of NearTokens, which the caller unpacks before its loop: numba counts a reference at every
    access to an array in a tuple, which took half of the time of extension (November 2026).
    """
    length, readable, firm = 0, 0, 0
    while length < limit:
        page_index, work_index = np.uint64(page_start + length * direction), np.uint64(work_start + length * direction)
        if page[page_index] == work[work_index]:
            is_readable = page[page_index] != WILDCARD
        elif do_tokens_agree(page, rows, masks, work, page_index, work_index):
            is_readable = page[page_index] != WILDCARD and work[work_index] != WILDCARD
        else:
            break
        length += 1
        if is_readable:
            readable += 1
            firm = length
    return AgreeingRun(length, readable, firm)
