"""The results of a measurement: of one engine, of several, and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from laboratory.cases.news import NewsScore
from laboratory.measures.comparison import Fared
from laboratory.measures.reworded import RewordedResults
from laboratory.measures.running import Run
from laboratory.scores.detection_quality import NEGATIVE, OVERALL, Case, Condition, Measures, measured
from laboratory.scores.intervals import Interval

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class EngineResult:
    """The figures of one engine. news_run: the run on the news, which have separate works and pages."""

    engine: str
    measures: Mapping[Condition, Measures]
    run: Run | None = field(repr=False, default=None)
    news: NewsScore | None = None
    news_run: Run | None = field(repr=False, default=None)

    def of(self, case_class: str) -> Measures | None:
        """Return the figures of a class, or of `overall`; None if it was not measured."""
        return self.measures.get(Condition(case_class))


@dataclass(frozen=True, slots=True)
class Results:
    """settings: of the cases, with their digests. comparisons, reworded: if requested."""

    settings: Mapping[str, Any]
    engines: Sequence[EngineResult]
    comparisons: Sequence[Fared] = ()
    reworded: RewordedResults | None = None

    @property
    def conditions(self) -> list[Condition]:
        """The conditions of the first engine: overall first, then by class, with the total of each class first."""
        found = list(self.engines[0].measures) if self.engines else []
        classes = list(dict.fromkeys(condition.case_class for condition in found))
        heads = [name for name in classes if _is_sum(name)]
        ordered = [*heads, *(name for name in classes if not _is_sum(name))]
        return sorted(found, key=lambda each: (ordered.index(each.case_class), each.attack != "*"))


def engine_result(
    cases: Sequence[Case], run: Run | None, news: NewsScore | None = None, news_run: Run | None = None
) -> EngineResult:
    """Return the figures for the reports of an engine. Pages without reports may be absent."""
    named = run or news_run
    pages = ((case, run.reports.get(case.page_id, ())) for case in cases) if run else ()
    return EngineResult(named.engine if named else "", measured(pages), run, news, news_run)


def as_dict(results: Results) -> Row:
    """Return all figures as a dictionary."""
    return {
        "settings": dict(results.settings),
        "engines": [_engine(each) for each in results.engines],
        "comparisons": [each.as_row for each in results.comparisons],
        "reworded": results.reworded.as_dict if results.reworded else None,
    }


def _engine(result: EngineResult) -> Row:
    return {
        "engine": result.engine,
        "speed": _speed(result.run),
        "conditions": [row(condition, measures) for condition, measures in result.measures.items()],
        "news": _news(result.news, result.news_run),
    }


def row(condition: Condition, measures: Measures) -> Row:
    """Return the figures of one condition. Intervals are [low, high]; missing figures are left out."""
    figures: Row = {
        "class": condition.case_class,
        "attack": condition.attack,
        "strength": condition.strength,
        "pages": len(measures.pages),
    }
    if measures.positive_pages:
        figures |= {
            "precision": measures.precision,
            "precision_interval": list(measures.precision_interval),
            "recall": measures.recall,
            "recall_interval": list(measures.recall_interval),
            "f1": measures.f1,
            "accused_positives": measures.accused_positives,
        }
        if measures.quotation_rate is not None:
            figures["quotation_rate"] = measures.quotation_rate
    if measures.negative_pages:
        figures |= {
            "false_positive_rate": measures.false_positive_rate,
            "false_positive_interval": list(measures.false_positive_interval),
            "false_accusation_rate": measures.false_accusation_rate,
        }
    return figures | _spans(measures)


def _spans(measures: Measures) -> Row:
    spans = measures.spans
    if spans is None:
        return {}
    return {
        "span_precision": spans.precision,
        "span_recall": spans.recall,
        "granularity": spans.granularity,
        "plagdet": spans.plagdet,
        "plagdet_interval": list(spans.plagdet_interval),
        "macro_precision": spans.macro_precision,
        "macro_recall": spans.macro_recall,
        "plagdet_macro": spans.macro_plagdet,
    }


def _speed(run: Run | None) -> Row:
    if run is None:
        return {}
    return {"index_s": run.index_s, "pages_per_s": run.pages_per_s, "jobs": run.jobs}


def _news(score: NewsScore | None, run: Run | None) -> Row:
    if score is None:
        return {}
    figures = asdict(score)
    figures |= {"recall": score.recall, "recall_interval": list(score.recall_interval)}
    figures |= {"accusation_rate": score.accusation_rate, "accusation_interval": list(score.accusation_interval)}
    return {**figures, "speed": _speed(run)}


def _is_sum(case_class: str) -> bool:
    return case_class in (OVERALL, "positives", NEGATIVE)


def shown(share: float | None, interval: Interval | None = None) -> str:
    """Return a share with its interval, or "" if there is none.

    >>> shown(0.98, Interval(0.9314, 1.0)), shown(None)
    ('0.9800 [.9314-1]', '')
    """
    if share is None:
        return ""
    return f"{share:.4f}" + (f" [{_short(interval.low)}-{_short(interval.high)}]" if interval else "")


def _short(share: float) -> str:
    return {"1.0000": "1", "0.0000": "0"}.get(text := f"{share:.4f}", text.removeprefix("0"))
