"""Confidence intervals of 95 % for measured figures."""

from collections.abc import Callable
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NORMAL_95 = 1.959963984540054  # the 97.5 % point of the normal distribution
RESAMPLES = 1_000  # Efron and Tibshirani 1993, 13.3: enough for the ends of a 95 % interval
SEED = 2026


class Interval(NamedTuple):
    """A closed interval [low, high]."""

    low: float
    high: float


def wilson(hits: int, trials: int) -> Interval:
    """Return the score interval of a share, which is also valid at 0 and 1; [0, 1] if there were no trials.

    Source: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.

    >>> tuple(round(end, 4) for end in wilson(102, 102)), tuple(wilson(0, 0))
    ((0.9637, 1.0), (0.0, 1.0))
    """
    if not trials:
        return Interval(0.0, 1.0)
    share, square = hits / trials, NORMAL_95**2
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    reach = NORMAL_95 * sqrt(share * (1 - share) / trials + square / (4 * trials**2)) / (1 + square / trials)
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))


def bootstrap(sums: NDArray[np.float64], figure: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Interval:
    """Return the percentile interval of a figure computed from sums over pages, by resampling the pages.

    sums: float64[pages, quantities]; figure: from float64[draws, quantities] totals to float64[draws].
    The draws are the same each time. Return [0, 1] if there are no pages.
    """
    pages = sums.shape[0]
    if not pages:
        return Interval(0.0, 1.0)
    rng = np.random.Generator(np.random.PCG64(SEED))
    weights = rng.multinomial(pages, np.full(pages, 1 / pages), size=RESAMPLES)
    low, high = np.quantile(figure(weights @ sums), (0.025, 0.975))
    return Interval(float(low), float(high))
