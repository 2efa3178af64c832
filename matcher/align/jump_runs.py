"""Runs of the same tokens that a walk is in: from the middle of one no gap leads to anything better.

What a gap leads to can be come to by the same gap from the next token as well, and the token between is one that is the
same. So gaps are looked at from the last tokens of a run alone. Walks are the same with and without (8,600 pages).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import kernel
from matcher.align.jump_cells import NO_CELL, UNALIGNED, Cells, Ends, JumpCosts, Side

# Tokens of a run that are looked ahead at once, and those before its end at which it is looked whether it goes on.
MAX_RUN, RUN_MARGIN = 64, 8


class Run(NamedTuple):
    """Page tokens [start, end) that are the same as the work's tokens `shift` further on."""

    start: int
    end: int
    shift: int


@kernel(allocates=False)
def run_ahead(  # noqa: PLR0917
    run: Run, cells: Cells, ends: Ends, page: Side, work: Side, owners: NDArray[np.int32], at: int
) -> Run:
    """The run that the best walk goes on with at page token `at`."""
    cell = ends.cell[at]
    if cell == NO_CELL:
        return run
    shift = cells.works[cell] + 1 - at
    if shift == run.shift and run.start <= at < run.end - RUN_MARGIN:
        return run
    start = run.start if shift == run.shift and run.start <= at <= run.end else at
    end, limit = at, min(at + MAX_RUN, page.tokens.size, work.tokens.size - shift)
    while end < limit and page.tokens[end] == work.tokens[end + shift]:
        if page.characters[end] != work.characters[end + shift] or owners[end + shift] not in (UNALIGNED, end):
            break
        end += 1
    return Run(start, end, shift)


@kernel(allocates=False)
def is_inside(run: Run, at: int, there: int, costs: JumpCosts) -> bool:
    """Whether page token `at` and work token `there` lie in the run, and as many behind them as a gap may have."""
    return bool(there - at == run.shift and run.start <= at and at + costs.gap_tokens < run.end)
