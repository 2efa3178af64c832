"""Aligns the sentences of a page with sentences of a work that mean the same, and scores the alignment.

The score is the mean of two measures. The first compares the similarity of two sentences with the similarity of each to
sentences in general (`csls`). The second compares this with the usual value in the two stretches, since texts on one
subject are similar everywhere. In both, a sentence of the page has at most one counterpart.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matcher.reworded.background import SentenceWindows
from matcher.reworded.weights import Floats

Indexes = NDArray[np.int64]


# The constants of the score. Reasons and tried alternatives: docs/decisions/rewritten-text.md.
SHIFT = 0.08  # subtracted from csls
MIN_GAIN = 0.05  # subtracted from the remainder
MIN_LOCAL_GAIN = 0.3  # of the excess over the rest of the stretch
REPEAT_WEIGHT = 0.5  # the weight of a work sentence that already has a counterpart
MAX_PAGE_STEP = 2  # sentences between two of the page that count as neighbours
MAX_WORK_STEP = 3
MIN_PAIR_GAIN = 0.02  # below it, two sentences are no pair
SCALE = 10.0


@dataclass(frozen=True, slots=True)
class UnitPair:
    """A sentence of the page and a sentence of the work, by number.

    strength: the contribution of the pair to the score.
    """

    page: int
    work: int
    strength: float


@dataclass(frozen=True, slots=True)
class Alignment:
    """The result of an alignment. score: 0 if nothing is similar; pairs: in order of the page."""

    score: float
    pairs: tuple[UnitPair, ...]


NO_ALIGNMENT = Alignment(0.0, ())


def align(page: SentenceWindows, work: SentenceWindows) -> Alignment:
    """Align the sentences of a stretch of the page with the sentences of a stretch of the work."""
    if not page.units or not work.units:
        return NO_ALIGNMENT
    matrix = sentence_matrix(csls(page, work), page.units, work.units) - SHIFT
    rows, columns, gains = solve_assignment(np.maximum(matrix - MIN_GAIN, 0), REPEAT_WEIGHT)
    local = np.maximum(_local_excess(matrix) - MIN_LOCAL_GAIN, 0)
    total, local_sum = float(gains.sum()), float(solve_assignment(local, REPEAT_WEIGHT)[2].sum())
    is_pair = gains > MIN_PAIR_GAIN
    pairs = list(zip(rows[is_pair].tolist(), columns[is_pair].tolist(), gains[is_pair].tolist(), strict=True))
    score = SCALE * ((total + local_sum) / 2 + _score_parallel_pairs(pairs))
    return Alignment(round(score, 4), tuple(UnitPair(*pair) for pair in pairs))


def csls(page: SentenceWindows, work: SentenceWindows) -> Floats:
    """Return twice the cosine minus the nearness of both sides, float32[page windows, work windows]."""
    values = page.vectors @ work.vectors.T
    values *= 2
    values -= page.nearness[:, None]
    values -= work.nearness
    return values


def sentence_matrix(windows: Floats, page: int, work: int) -> Floats:
    """Return, for each pair of sentences, the best value of the windows that contain them, float32[page, work].

    windows: float32[2 page - 1, 2 work - 1], the result of `csls`: sentences first, then pairs of neighbours.
    """
    return _best_of_windows(_best_of_windows(windows, work).T, page).T


def solve_assignment(gains: Floats, repeat_weight: float) -> tuple[Indexes, Indexes, Floats]:
    """Assign a column to each row so that the sum is greatest; return rows, columns and gains, in order of the rows.

    A column may be assigned twice, the second time with `repeat_weight` of its gain.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(np.concatenate([gains, repeat_weight * gains], axis=1), maximize=True)
    first = columns < gains.shape[1]
    columns = columns % gains.shape[1]
    return rows, columns, gains[rows, columns] * np.where(first, 1.0, repeat_weight).astype(np.float32)


def _best_of_windows(windows: Floats, units: int) -> Floats:
    best = windows[:, :units].copy()
    pairs = windows[:, units:]
    if units > 1:
        np.maximum(best[:, :-1], pairs, out=best[:, :-1])
        np.maximum(best[:, 1:], pairs, out=best[:, 1:])
    return best


def _local_excess(matrix: Floats) -> Floats:
    """Return how much each cell exceeds the mean of the medians of its row and its column."""
    rows, columns = np.median(matrix, axis=1, keepdims=True), np.median(matrix, axis=0, keepdims=True)
    return np.asarray(matrix - (rows + columns) / 2, np.float32)


def _score_parallel_pairs(pairs: list[tuple[int, int, float]]) -> float:
    """Return the sum, over neighbouring pairs that are also neighbours in the work, of the smaller gain of both."""
    total = 0.0
    for (page, work, gain), (next_page, next_work, next_gain) in pairwise(pairs):
        if next_page - page <= MAX_PAGE_STEP and abs(next_work - work) <= MAX_WORK_STEP:
            total += min(gain, next_gain)
    return total
