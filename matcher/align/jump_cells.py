"""The costs, texts and cells of a walk with leaps (matcher.align.jump_walk)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matcher.align.token_agreement import Tokens

UNALIGNED = -1
NO_CELL = -1


class JumpCosts(NamedTuple):
    """The scores and costs of a walk. gap_tokens: the most of an edit; more is foreign, or a leap.

    same, near: for a token that is the same character, or that may stand for the other; other: for one beside another;
    gap, gap_more: for an edit and each token of it; foreign: to come to foreign text; back: to go on where it was
    left; leap: to go to any other place, backwards: to one before it, at most far more for a far one; boundary: earned
    by a leap or foreign text that begins with a sentence of the page or of the work; again: for a token of the work
    that another piece of the page has more of.
    """

    same: int
    near: int
    other: int
    gap: int
    gap_more: int
    gap_tokens: int
    foreign: int
    back: int
    leap: int
    backwards: int
    far: int
    boundary: int
    again: int


class AlignmentSide(NamedTuple):
    """A stretch of a text: its tokens, their characters in simplified form, and the beginnings of sentences."""

    tokens: Tokens
    characters: NDArray[np.uint32]
    begins: NDArray[np.bool_]


class Cells(NamedTuple):
    """Pairs of a page token and a work token that a walk may visit, by page token.

    rows: the start of each page token's cells; works, scores: the work token and the best score; before: the previous
    cell.
    """

    rows: NDArray[np.int32]
    works: NDArray[np.int32]
    scores: NDArray[np.int32]
    before: NDArray[np.int32]


class CellRow(NamedTuple):
    """The cells of the next page token, by work token; touched: the offered; is_edit: reached by a gap or leap."""

    scores: NDArray[np.int32]
    before: NDArray[np.int32]
    is_edit: NDArray[np.bool_]
    touched: NDArray[np.int32]


class Ends(NamedTuple):
    """Behind each page token: the best walk that matched it, and the best for which it is foreign.

    best, cell: score and cell of the first; foreign, left_at, is_left: of the second the score, the work token that
    was passed last, and whether it was left with this token.
    """

    best: NDArray[np.int32]
    cell: NDArray[np.int32]
    foreign: NDArray[np.int32]
    left_at: NDArray[np.int32]
    is_left: NDArray[np.bool_]
