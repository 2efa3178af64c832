"""The tables of `bench quality` as one HTML file in Chinese and English, without scripts or external resources."""

import hashlib
from base64 import b64encode
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html import builder as tag

from laboratory.measures.labels import CHINESE
from laboratory.measures.results import Results
from laboratory.measures.tables import conditions, tables
from laboratory.report import TextTable

_STYLE_SHEET = Path(__file__).with_name("web_page.css")
_SETTINGS = ("size", "seed", "works", "works_chars", "pages", "pages_chars", "news_items")

NOTES = (
    "A page and a work are one pair: precision is the share of the reported pairs that are right, recall the share "
    "of the true pairs that were reported. False positives: innocent pages with any match; accused: with a match "
    "that is no quotation. plagdet and granularity: Potthast et al. 2010. In brackets: 95 % intervals (Wilson; "
    "plagdet by bootstrap over pages).",
    "一个网页与一部作品为一对：查准率是报告的对子中正确的比例，查全率是真实的对子中被报告的比例。误报率：正当网页中有"
    "任何匹配的比例；误控率：匹配不只是引文的比例。plagdet 与粒度见 Potthast 等 2010。"
    "方括号内为 95 % 置信区间（Wilson；plagdet 用按页自助法）。",
)


def rendered(results: Results) -> bytes:
    """Return the page in UTF-8."""
    style = _STYLE_SHEET.read_text(encoding="utf-8")
    shown = tables(results)
    if len(results.engines) > 1:
        shown += [conditions(engine, results.conditions) for engine in results.engines if engine.measures]
    body = tag.BODY(
        tag.HEADER(tag.H1("检测质量", tag.SMALL("Detection quality")), _settings(results)),
        tag.MAIN(*map(_section, shown)),
        tag.FOOTER(*map(tag.P, NOTES)),
    )
    page = tag.HTML(_head(style), body, lang="zh-Hans")
    content: bytes = html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>")
    return content + b"\n"


def _head(style: str) -> Any:
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return tag.HEAD(
        tag.META(charset="utf-8"),
        tag.META({"http-equiv": "Content-Security-Policy", "content": policy}),
        tag.META(name="viewport", content="width=device-width, initial-scale=1"),
        tag.TITLE("追文 · 检测质量 Detection quality"),
        tag.STYLE(style),
    )


def _settings(results: Results) -> Any:
    values = {name: results.settings[name] for name in _SETTINGS if name in results.settings}
    return tag.DL(*(tag.DIV(tag.DT(_both(name)), tag.DD(str(value))) for name, value in values.items()))


def _section(table: TextTable) -> Any:
    head = tag.THEAD(tag.TR(*(tag.TH(_both(name), scope="col") for name in table.columns)))
    names = len(table.columns) - len(table.right)
    rows = []
    for row in table.rows:
        cells = [tag.TH(_both(cell), scope="row") for cell in row[:names]] + [tag.TD(cell) for cell in row[names:]]
        rows.append(tag.TR(*cells, *([tag.CLASS("class")] if row[1] == "all" else [])))
    return tag.SECTION(tag.H2(_both(table.title)), tag.DIV(tag.TABLE(head, tag.TBODY(*rows)), tag.CLASS("scroll")))


def _both(english: str) -> Any:
    """Return a name in both languages, if the Chinese one is known."""
    chinese = CHINESE.get(english)
    return tag.SPAN(*([chinese, tag.SMALL(english)] if chinese else [english]), tag.CLASS("both"))
