"""Formats the figures as tables: one line per engine, one line per condition, and recalls side by side."""

from collections.abc import Sequence

from laboratory.measures.comparison import Fared
from laboratory.measures.results import EngineResult, Results, shown
from laboratory.measures.reworded import RewordedAlarms, RewordedResults
from laboratory.report import TextTable
from laboratory.scores.detection_quality import ALL, OVERALL, Condition, Measures
from laboratory.scores.intervals import wilson

MILLION = 1e6
ENGINES_SIDE_BY_SIDE = 6  # fit a terminal


def tables(results: Results) -> list[TextTable]:
    """Return all tables: the engines, then the conditions of one engine or the recalls of several."""
    found = [overview(results)] if any(engine.measures for engine in results.engines) else []
    if len(results.engines) == 1:
        found += [conditions(results.engines[0], results.conditions)] if found else []
    else:
        found += recalls(results)
    found += [news(results)] if any(engine.news for engine in results.engines) else []
    found += [comparisons(results.comparisons)] if results.comparisons else []
    reworded = results.reworded
    return found + ([reworded_pages(reworded), innocent_passages(reworded), bytes_a_char(reworded)] if reworded else [])


def overview(results: Results) -> TextTable:
    """Return one line per engine."""
    right = ("precision", "recall", "F1", "false pos.", "accused", "plagdet", "granularity", "hard", "pages/s")
    rows = [_overview_row(engine) for engine in results.engines]
    return TextTable("All classes but hard, grey and chapter", ("engine", *right), tuple(rows), right)


def conditions(engine: EngineResult, order: Sequence[Condition]) -> TextTable:
    """Return one line per condition, with 95 % intervals."""
    right = (
        "pages",
        "precision",
        "recall",
        "false pos.",
        "accused",
        "quotation",
        "plagdet",
        "gran.",
        "sp.prec",
        "sp.rec",
    )
    rows = [_condition_row(condition, engine.measures[condition]) for condition in order]
    return TextTable(f"{engine.engine}, by condition", ("class", "attack", "strength", *right), tuple(rows), right)


def recalls(results: Results) -> list[TextTable]:
    """Return the recall by condition, with several engines side by side."""
    blocks = []
    for start in range(0, len(results.engines), ENGINES_SIDE_BY_SIDE):
        engines = results.engines[start : start + ENGINES_SIDE_BY_SIDE]
        names = tuple(engine.engine for engine in engines)
        rows = [
            (*_names(condition), *(_recall(engine.measures.get(condition)) for engine in engines))
            for condition in results.conditions
        ]
        blocks.append(TextTable("Recall by condition", ("class", "attack", "strength", *names), tuple(rows), names))
    return blocks


def news(results: Results) -> TextTable:
    """Return one line per engine: repeating items found, innocent items accused."""
    right = ("repeating", "found", "recall", "innocent", "matched", "accused", "accused share", "pages/s")
    rows = []
    for engine in results.engines:
        score = engine.news
        if score is None:
            continue
        accusations = shown(score.accusation_rate, score.accusation_interval)
        counts = (score.repeating, score.found, shown(score.recall, score.recall_interval), score.innocent)
        speed = f"{engine.news_run.pages_per_s:,.0f}" if engine.news_run else ""
        cells = (engine.engine, *counts, score.matched, score.accused, accusations, speed)
        rows.append(tuple(map(str, cells)))
    return TextTable("News items as works and pages", ("engine", *right), tuple(rows), right)


def comparisons(fared: Sequence[Fared]) -> TextTable:
    """Return one line per edit: the shares of correctly shown characters, and the accuracy of passages."""
    right = ("unchanged", "changed", "left out", "right kind", "claimed", "falsely deleted", "plagdet", "granularity")
    rows = tuple(
        (
            each.name,
            *(shown(share) for share in each.comparison.shares.values()),
            shown(each.spans.plagdet),
            shown(each.spans.granularity),
        )
        for each in fared
    )
    return TextTable("Each character as it was shown", ("edit", *right), rows, right)


def reworded_pages(results: RewordedResults) -> TextTable:
    """Return one line for each kind of rewritten page, by the size of the works and the surroundings on the page."""
    right = ("pages", "found", "share", "low", "wrong texts", "least score", "pairs", "in place", "ms a page")
    rows = tuple(
        (
            f"{each.works_chars / MILLION:.1f} M",
            each.kind,
            each.surroundings,
            str(each.pages),
            str(each.found),
            f"{each.found / each.pages:.2f}",
            f"{wilson(each.found, each.pages).low:.2f}",
            str(each.wrong),
            f"{each.least_score:.1f}",
            str(each.pairs),
            f"{each.pairs_in_place / each.pairs:.3f}" if each.pairs else "",
            f"{each.cpu_s_a_page * 1_000:.0f}",
        )
        for each in results.fared
    )
    return TextTable("Pages in other words", ("works", "kind", "surroundings", *right), rows, right)


def innocent_passages(results: RewordedResults) -> TextTable:
    """Return one line for each kind of innocent passage and half: how many had a score, and how many were reported."""
    right = ("passages", "scored", "named", "share", "high", "highest", "ms a page")
    rows = tuple(_alarm_row(each) for each in results.alarms if each.passages)
    return TextTable("Innocent passages", ("works", "kind", "half", *right), rows, right)


def _alarm_row(each: RewordedAlarms) -> tuple[str, ...]:
    named = each.named
    return (
        f"{each.works_chars / MILLION:.1f} M",
        each.kind,
        "thresholds" if each.is_of_first_half else "unseen",
        str(each.passages),
        str(len(each.scores)),
        str(named),
        f"{named / each.passages:.4f}",
        f"{wilson(named, each.passages).high:.4f}",
        f"{each.scores[0].score if each.scores else 0:.1f}",
        f"{each.cpu_s / each.passages * 1_000:.0f}",
    )


def bytes_a_char(results: RewordedResults) -> TextTable:
    """Return the table of the bytes that each index takes per character of the works."""
    rows = tuple((name, f"{chars / MILLION:.1f} M", f"{bytes_:.2f}") for name, chars, bytes_ in results.bytes_a_char)
    return TextTable("Bytes a character of works", ("look-up", "works", "bytes"), rows, ("bytes",))


def strength_text(condition: Condition) -> str:
    """Return the strength as shown in the tables, or "" if there is only one.

    >>> strength_text(Condition("full", "homophone", 0.4)), strength_text(Condition("full", "none", 0))
    ('0.4', '')
    """
    if isinstance(condition.strength, str):
        return condition.strength
    return f"{condition.strength:g}" if condition.strength else ""


def _overview_row(engine: EngineResult) -> tuple[str, ...]:
    overall, hard = engine.of(OVERALL), engine.of("hard")
    speed = f"{engine.run.pages_per_s:,.0f}" if engine.run else ""
    if overall is None:
        return (engine.engine, *("" for _ in range(7)), _recall(hard), speed)
    spans = overall.spans
    return (
        engine.engine,
        shown(overall.precision, overall.precision_interval),
        shown(overall.recall, overall.recall_interval),
        shown(overall.f1),
        _false_positives(overall),
        shown(overall.false_accusation_rate),
        shown(spans.plagdet, spans.plagdet_interval) if spans else "no spans",
        shown(spans.granularity) if spans else "",
        _recall(hard),
        speed,
    )


def _condition_row(condition: Condition, measures: Measures) -> tuple[str, ...]:
    spans = measures.spans
    is_positive = bool(measures.positive_pages)
    return (
        *_names(condition),
        f"{len(measures.pages):,}",
        shown(measures.precision, measures.precision_interval) if is_positive else "",
        shown(measures.recall, measures.recall_interval) if is_positive else "",
        _false_positives(measures),
        shown(measures.false_accusation_rate),
        shown(measures.quotation_rate) if condition.case_class == "grey" else "",
        shown(spans.plagdet, spans.plagdet_interval) if spans else "",
        shown(spans.granularity) if spans else "",
        shown(spans.precision) if spans else "",
        shown(spans.recall) if spans else "",
    )


def _names(condition: Condition) -> tuple[str, str, str]:
    return condition.case_class, "all" if condition.attack == ALL else condition.attack, strength_text(condition)


def _false_positives(measures: Measures) -> str:
    rate = measures.false_positive_rate
    return shown(rate, measures.false_positive_interval) if rate is not None else ""


def _recall(measures: Measures | None) -> str:
    return shown(measures.recall, measures.recall_interval) if measures and measures.positive_pages else ""
