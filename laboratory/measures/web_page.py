"""The results as one HTML file: no script, nothing fetched, Chinese and English side by side."""

import hashlib
from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html import builder as tag

from laboratory.measures.charts import charts, picture
from laboratory.measures.labels import COLUMNS, EDITS, attack_label, class_label
from laboratory.measures.results import EngineResult, Results
from laboratory.measures.tables import strength_text
from laboratory.scores.detection_quality import NATURAL, OVERALL, Condition, Measures
from laboratory.scores.intervals import Interval

_STYLE_SHEET = Path(__file__).with_name("web_page.css")

Cell = tuple[str, Interval | None]

NOTES = (
    (
        "A page and a work are one pair: precision is the share of the reported pairs that are right, recall the share "
        "of the true pairs that were reported. False positives: innocent pages with any match; accused: with a match "
        "that is no quotation. plagdet and granularity: Potthast et al. 2010. Small figures: 95 % intervals (Wilson; "
        "plagdet by bootstrap over pages). A dash: there are no passages to be scored.",
        "一个页面与一部作品为一对：查准率是报告的对子中正确的比例，查全率是真实的对子中被报告的比例。误报率：无辜页面中有"
        "任何匹配的比例；误控率：匹配不只是引文的比例。plagdet 与粒度见 Potthast 等 2010。"
        "小字为 95 % 置信区间（Wilson；plagdet 用按页自助法）。短横：没有可评的片段。",
    ),
)


def rendered(results: Results) -> bytes:
    """The page in UTF-8."""
    style = _STYLE_SHEET.read_text(encoding="utf-8")
    page = tag.HTML(_head(style), _body(results), lang="zh-Hans")
    content: bytes = html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>")
    return content + b"\n"


def _head(style: str) -> Any:
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    return tag.HEAD(
        tag.META(charset="utf-8"),
        tag.META({"http-equiv": "Content-Security-Policy", "content": policy}),
        tag.META(name="viewport", content="width=device-width, initial-scale=1"),
        tag.TITLE("追文 · 检测质量 Detection quality"),
        tag.STYLE(style),
    )


def _body(results: Results) -> Any:
    return tag.BODY(
        tag.HEADER(tag.H1("检测质量", tag.SMALL("Detection quality")), _settings(results)),
        tag.MAIN(
            *_overview(results),
            *_news(results),
            *_comparisons(results),
            *_curves(results),
            *(_engine(result, results.conditions) for result in results.engines if result.measures),
        ),
        tag.FOOTER(*(tag.DIV(tag.P(chinese), tag.P(english)) for english, chinese in NOTES)),
    )


def _settings(results: Results) -> Any:
    names = {
        "size": ("size", "规模"),
        "seed": ("seed", "随机种子"),
        "works": ("works", "作品"),
        "works_chars": ("characters of works", "作品字符"),
        "pages": ("pages", "页面"),
        "pages_chars": ("characters of pages", "页面字符"),
        "news_items": ("news items", "新闻条目"),
    }
    pairs = []
    for key, (english, chinese) in names.items():
        value = results.settings.get(key)
        if value is not None:
            text = f"{value:,}" if isinstance(value, int) and key != "seed" else str(value)
            pairs.append(tag.DIV(tag.DT(_both(english, chinese)), tag.DD(text)))
    return tag.DL(*pairs)


def _overview(results: Results) -> list[Any]:
    measured = [result for result in results.engines if result.of(OVERALL)]
    if not measured:
        return []
    names = ("precision", "recall", "f1", "false_positives", "accusations", "plagdet", "granularity", "hard", "speed")
    rows = []
    for result in measured:
        overall = result.of(OVERALL)
        assert overall is not None
        hard = result.of("hard")
        speed = f"{result.run.pages_per_s:,.0f}" if result.run else ""
        cells = [
            *_page_cells(overall),
            *_accusation_cells(overall),
            *_span_cells(overall)[:2],
            _share(hard.recall, hard.recall_interval) if hard else ("", None),
            (speed, None),
        ]
        rows.append(tag.TR(tag.TH(result.engine, scope="row"), *map(_cell, cells)))
    return [
        tag.SECTION(
            _heading("All classes but hard, grey and chapter", "总表（不含高难、灰色、整章）"),
            _table(("engine", *names), rows),
            id="overview",
        )
    ]


def _news(results: Results) -> list[Any]:
    rows = []
    for result in results.engines:
        score = result.news
        if score is None:
            continue
        cells: list[Cell] = [
            (f"{score.repeating:,}", None),
            _share(score.recall, score.recall_interval),
            (f"{score.innocent:,}", None),
            (f"{score.matched:,}", None),
            _share(score.accusation_rate, score.accusation_interval),
            (f"{result.news_run.pages_per_s:,.0f}" if result.news_run else "", None),
        ]
        rows.append(tag.TR(tag.TH(result.engine, scope="row"), *map(_cell, cells)))
    if not rows:
        return []
    columns = ("engine", "repeating", "found", "innocent", "matched", "accusations", "speed")
    heading = _heading("News items, each a work and a page", "新闻条目（既作作品又作页面）")
    return [tag.SECTION(heading, _table(columns, rows), id="news")]


def _comparisons(results: Results) -> list[Any]:
    if not results.comparisons:
        return []
    rows = []
    for fared in results.comparisons:
        shares = [_share(share, None) for share in fared.comparison.shares.values()]
        spans = [_share(fared.spans.plagdet, fared.spans.plagdet_interval), _share(fared.spans.granularity, None)]
        rows.append(tag.TR(tag.TH(_both(fared.name, EDITS[fared.name]), scope="row"), *map(_cell, shares + spans)))
    columns = ("edit", *results.comparisons[0].comparison.shares, "plagdet", "granularity")
    heading = _heading("Each character as it was shown", "逐字比对是否如实")
    return [tag.SECTION(heading, _table(columns, rows), id="comparisons")]


def _curves(results: Results) -> list[Any]:
    found = charts(results)
    if not found:
        return []
    names = ", ".join(f"{chart.chinese} {chart.english}" for chart in found)
    drawn = tag.IMG(src=f"data:image/svg+xml;base64,{b64encode(picture(found)).decode()}", alt=names)
    heading = _heading("Recall by strength of the edit", "查全率与改动强度")
    return [tag.SECTION(heading, drawn, id="curves")]


def _engine(result: EngineResult, conditions: Sequence[Condition]) -> Any:
    names = ("pages", "precision", "recall", "false_positives", "accusations", "quotations")
    spans = ("plagdet", "granularity", "span_precision", "span_recall")
    bodies: dict[str, list[Any]] = {}
    for condition in conditions:
        if condition in result.measures:
            row = _condition_row(condition, result.measures[condition])
            bodies.setdefault(condition.case_class, []).append(row)
    head = _table_head(("condition", "strength", *names, *spans))
    groups = (tag.TBODY(*rows) for rows in bodies.values())
    table = tag.DIV(tag.TABLE(head, *groups, tag.CLASS("conditions")), tag.CLASS("scroll"))
    return tag.DETAILS(tag.SUMMARY(result.engine), table)


def _condition_row(condition: Condition, measures: Measures) -> Any:
    is_class = condition.attack == "*"
    label = class_label(condition.case_class) if is_class else attack_label(condition.attack)
    is_grey = condition.case_class == "grey" and measures.quotation_rate is not None
    page_cells = _page_cells(measures)[:2] if measures.positive_pages else [("", None)] * 2
    cells: list[Cell] = [
        ("" if condition.case_class == NATURAL else strength_text(condition), None),
        (f"{len(measures.pages):,}", None),
        *page_cells,
        *_accusation_cells(measures),
        _share(measures.quotation_rate, None) if is_grey else ("", None),
        *_span_cells(measures),
    ]
    row = tag.TR(tag.TH(_both(*label), scope="row"), *map(_cell, cells))
    if is_class:
        row.set("class", "class")
    return row


def _page_cells(measures: Measures) -> list[Cell]:
    return [
        _share(measures.precision, measures.precision_interval),
        _share(measures.recall, measures.recall_interval),
        _share(measures.f1, None),
    ]


def _accusation_cells(measures: Measures) -> list[Cell]:
    rate = measures.false_positive_rate
    if rate is None:
        return [("", None), ("", None)]
    return [_share(rate, measures.false_positive_interval), _share(measures.false_accusation_rate, None)]


def _span_cells(measures: Measures) -> list[Cell]:
    spans = measures.spans
    if spans is None:
        return [("–", None)] * 4
    return [
        _share(spans.plagdet, spans.plagdet_interval),
        _share(spans.granularity, None),
        _share(spans.precision, None),
        _share(spans.recall, None),
    ]


def _share(value: float | None, interval: Interval | None) -> Cell:
    return ("" if value is None else f"{value:.4f}", interval if value is not None else None)


def _cell(cell: Cell) -> Any:
    text, interval = cell
    small = [tag.SMALL(f"{interval.low:.4f}–{interval.high:.4f}")] if interval else []
    return tag.TD(text, *small)


def _table(columns: Sequence[str], rows: Iterable[Any]) -> Any:
    return tag.DIV(tag.TABLE(_table_head(columns), tag.TBODY(*rows)), tag.CLASS("scroll"))


def _table_head(columns: Sequence[str]) -> Any:
    return tag.THEAD(tag.TR(*(tag.TH(_both(*COLUMNS[name]), scope="col") for name in columns)))


def _heading(english: str, chinese: str) -> Any:
    return tag.H2(chinese, tag.SMALL(english))


def _both(english: str, chinese: str) -> Any:
    same = english == chinese
    return tag.SPAN(chinese, *([] if same else [tag.SMALL(english)]), tag.CLASS("both"))
