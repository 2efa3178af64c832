"""Measures how well copies are found and which pages are wrongly accused, on pages where the truth is known.

The unit of precision and recall is the pair of a page and a work. A work that naturally contains parts of a page
(`also` of the truth) counts neither way.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.matches import MatchClass
from laboratory.edits.edited import Passage
from laboratory.scores.intervals import Interval, bootstrap, wilson
from laboratory.scores.span_scores import SpanScore, harmonic, plagdet, span_score

# Beyond what is promised, ambiguous by design, or the domain of document engines: not included in the totals.
OUTSIDE_OVERALL = frozenset({"hard", "grey", "chapter"})
NATURAL = "natural"  # one of several true works is enough
NEGATIVE, OVERALL, POSITIVES, ALL = "negative", "overall", "positives", "*"


@dataclass(frozen=True, slots=True)
class Case:
    """One page and its truth.

    passages: the passages that it took, none on an innocent page; also: works that naturally contain parts of it and
    count neither way; is_span_scored: the passages are exact to the character.
    """

    case_class: str
    attack: str
    strength: float | str
    text: str
    passages: tuple[Passage, ...] = ()
    also: tuple[str, ...] = ()
    is_span_scored: bool = True
    page_id: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """One work reported as a source of a page. also: works reported to contain the same passages.

    match_class: None for an engine without classes, each of whose reports is an accusation.
    """

    work_id: str
    passages: tuple[Passage, ...] = ()
    match_class: MatchClass | None = None
    also: tuple[str, ...] = ()

    @property
    def is_accusation(self) -> bool:
        return self.match_class is not MatchClass.QUOTATION


@dataclass(frozen=True, slots=True, order=True)
class Condition:
    """One row of a table."""

    case_class: str
    attack: str = ALL
    strength: float | str = ""


@dataclass(frozen=True, slots=True)
class PageScore:
    """The score of one page. right, wrong, missed: numbers of works."""

    right: int
    wrong: int
    missed: int
    is_positive: bool
    is_matched: bool  # with any work but those of `also`
    is_accused: bool  # with any work but those of `also`, as more than a quotation
    spans: SpanScore | None = None


@dataclass(frozen=True)
class Measures:
    """The figures of one condition. All shares are 0 to 1; intervals are at 95 %."""

    pages: Sequence[PageScore] = field(repr=False)

    @cached_property
    def right(self) -> int:
        return sum(page.right for page in self.pages)

    @cached_property
    def wrong(self) -> int:
        return sum(page.wrong for page in self.pages)

    @cached_property
    def missed(self) -> int:
        return sum(page.missed for page in self.pages)

    @property
    def precision(self) -> float:
        """The share of correct works among those reported; 1 if nothing was reported and there was nothing to find."""
        reported = self.right + self.wrong
        return self.right / reported if reported else float(not self.missed)

    @property
    def precision_interval(self) -> Interval:
        return wilson(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of works found among those taken from; 1 if there were none."""
        true = self.right + self.missed
        return self.right / true if true else 1.0

    @property
    def recall_interval(self) -> Interval:
        return wilson(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        return harmonic(self.precision, self.recall)

    @cached_property
    def positive_pages(self) -> int:
        """The number of pages that took something."""
        return sum(page.is_positive for page in self.pages)

    @property
    def negative_pages(self) -> int:
        return len(self.pages) - self.positive_pages

    @cached_property
    def matched_negatives(self) -> int:
        """The number of innocent pages with any match."""
        return sum(page.is_matched for page in self.pages if not page.is_positive)

    @cached_property
    def accused_negatives(self) -> int:
        """The number of innocent pages with a match that is not a quotation."""
        return sum(page.is_accused for page in self.pages if not page.is_positive)

    @property
    def false_positive_rate(self) -> float | None:
        """The share of innocent pages with any match, or None if there are no innocent pages."""
        return self.matched_negatives / self.negative_pages if self.negative_pages else None

    @property
    def false_positive_interval(self) -> Interval:
        return wilson(self.matched_negatives, self.negative_pages)

    @property
    def false_accusation_rate(self) -> float | None:
        """The share of innocent pages with a match that is not a quotation, or None if there are no innocent pages."""
        return self.accused_negatives / self.negative_pages if self.negative_pages else None

    @cached_property
    def quoted_pages(self) -> int:
        """The number of positive pages that were found, but only reported as quotations."""
        return sum(page.is_positive and bool(page.right) and not page.is_accused for page in self.pages)

    @cached_property
    def accused_positives(self) -> int:
        """The number of positive pages that were reported as more than quotations."""
        return sum(page.is_positive and page.is_accused for page in self.pages)

    @property
    def quotation_rate(self) -> float | None:
        """The share of positive pages with a match that are only reported as quotations, None if none has a match."""
        matched = sum(page.is_positive and page.is_matched for page in self.pages)
        return self.quoted_pages / matched if matched else None

    @cached_property
    def spans(self) -> "SpanMeasures | None":
        """The measures of spans, or None if the engine gives no passages or none is exact enough to be scored."""
        scores = [page.spans for page in self.pages if page.spans is not None]
        return SpanMeasures(scores) if any(score.recalls for score in scores) else None


@dataclass(frozen=True)
class SpanMeasures:
    """The measures of PAN over pages, micro (by characters) and macro (by passages)."""

    scores: Sequence[SpanScore] = field(repr=False)

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        """float64[pages, 5]: met, detected, true, pieces, number of detected cases."""
        rows = [(each.met, each.detected, each.true, sum(each.pieces), len(each.pieces)) for each in self.scores]
        return np.array(rows, np.float64).reshape(-1, 5)

    @cached_property
    def _totals(self) -> list[float]:
        return [float(total) for total in self._sums.sum(axis=0)]

    @property
    def precision(self) -> float:
        """The share of reported characters that were taken."""
        met, detected, *_ = self._totals
        return met / detected if detected else 0.0

    @property
    def recall(self) -> float:
        """The share of taken characters that were reported."""
        met, _, true, *_ = self._totals
        return met / true

    @property
    def granularity(self) -> float:
        """The mean number of detections of each detected passage, 1 at best."""
        pieces, cases = self._totals[3:]
        return pieces / cases if cases else 1.0

    @property
    def plagdet(self) -> float:
        return plagdet(self.precision, self.recall, self.granularity)

    @property
    def plagdet_interval(self) -> Interval:
        return bootstrap(self._sums, _plagdets)

    @cached_property
    def macro_precision(self) -> float:
        shares = [share for score in self.scores for share in score.precisions]
        return float(np.mean(shares)) if shares else 0.0

    @cached_property
    def macro_recall(self) -> float:
        return float(np.mean([share for score in self.scores for share in score.recalls]))

    @property
    def macro_plagdet(self) -> float:
        return plagdet(self.macro_precision, self.macro_recall, self.granularity)


def measured(pages: Iterable[tuple[Case, Sequence[Reported]]]) -> dict[Condition, Measures]:
    """Return the measures of every condition, of every class, of all classes together, and of their positive pages.

    They are in the order of the pages.
    """
    everything = list(pages)
    gives_spans = any(report.passages for _, reports in everything for report in reports)
    rows: defaultdict[Condition, list[PageScore]] = defaultdict(list)
    for truth, reports in everything:
        score = page_score(truth, reports, gives_spans=gives_spans)
        for condition in _conditions(truth):
            is_counted = bool(truth.passages) or condition.case_class in (OVERALL, NEGATIVE)
            rows[condition].append(score if is_counted else _without_spans(score))
    return {condition: Measures(scores) for condition, scores in rows.items()}


def page_score(truth: Case, reports: Sequence[Reported], *, gives_spans: bool = True) -> PageScore:
    """Compare the reports of one page with its truth."""
    true = {passage.work_id for passage in truth.passages}
    counted = [report for report in reports if report.work_id not in truth.also]
    named = {report.work_id for report in counted}
    right, missed = len(true & named), len(true - named)
    if truth.case_class == NATURAL and true:
        right = min(right, 1)
        missed = 1 - right
    spans = None
    if truth.is_span_scored and gives_spans:
        spans = span_score(truth.passages, (passage for report in reports for passage in report.passages))
    return PageScore(
        right=right,
        wrong=len(named - true),
        missed=missed,
        is_positive=bool(true),
        is_matched=bool(named),
        is_accused=any(report.is_accusation for report in counted),
        spans=spans,
    )


def _conditions(truth: Case) -> list[Condition]:
    strength = "" if truth.case_class == NATURAL else truth.strength
    conditions = [Condition(truth.case_class, truth.attack, strength), Condition(truth.case_class)]
    if truth.case_class not in OUTSIDE_OVERALL:
        conditions += [Condition(OVERALL), *([Condition(POSITIVES)] if truth.passages else ())]
    return conditions


def _without_spans(score: PageScore) -> PageScore:
    head = (score.right, score.wrong, score.missed, score.is_positive, score.is_matched)
    return PageScore(*head, score.is_accused)


def _plagdets(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64[draws], the plagdet of each row of float64[draws, 5]."""
    met, detected, true, pieces, cases = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = np.nan_to_num(met / detected), np.nan_to_num(met / true)
        scores = np.nan_to_num(2 * precision * recall / (precision + recall))
        granularity = np.where(cases > 0, pieces / cases, 1.0)
    return np.asarray(scores / np.log2(1 + granularity))
