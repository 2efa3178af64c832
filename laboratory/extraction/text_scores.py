"""Scores an extracted text against a reference: the share found, and the share of other text in it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from laboratory import draws
from laboratory.draws import generator

GRAM_CHARS = 2
BOOTSTRAP_ROUNDS = 2_000
INTERVAL = 0.95


@dataclass(frozen=True, slots=True)
class TextScore:
    """Precision, recall and F1 in [0, 1]; those of an empty text are 0.0."""

    precision: float
    recall: float
    f1: float


def text_score(found: str, reference: str) -> TextScore:
    """Return precision, recall and F1 over pairs of characters with their counts, ignoring blanks and line ends.

    The measure that gives trafilatura .909 and GNE .776 on the shared saved pages (docs/extraction.md).

    >>> text_score("追文 追查", "追文追查")
    TextScore(precision=1.0, recall=1.0, f1=1.0)
    """
    taken, wanted = grams(found), grams(reference)
    common, total = (taken & wanted).total(), taken.total() + wanted.total()
    if not common:
        return TextScore(0.0, 0.0, 0.0)
    return TextScore(common / taken.total(), common / wanted.total(), 2 * common / total)


def mean_score(scores: Sequence[TextScore]) -> TextScore:
    """Return the mean of each figure over the pages; F1 is the mean of their F1. Requires at least one page."""
    return TextScore(
        fmean(score.precision for score in scores),
        fmean(score.recall for score in scores),
        fmean(score.f1 for score in scores),
    )


def bootstrap_interval(values: Sequence[float], seed: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean, from the percentiles of the means of 2,000 samples with replacement."""
    rng, count = generator(seed, "bootstrap"), len(values)
    means = sorted(fmean(values[draws.one_below(rng, count)] for _ in range(count)) for _ in range(BOOTSTRAP_ROUNDS))
    tail = round((1 - INTERVAL) / 2 * BOOTSTRAP_ROUNDS)
    return means[tail], means[-tail - 1]


def grams(text: str) -> Counter[str]:
    """Return the pairs of neighbouring characters with their counts."""
    joined = "".join(text.split())
    return Counter(joined[start : start + GRAM_CHARS] for start in range(max(0, len(joined) - GRAM_CHARS + 1)))
