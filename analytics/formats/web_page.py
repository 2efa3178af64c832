"""A report as one HTML file: no script, nothing fetched, printable, readable on a telephone.

Everything goes through lxml's builder, which escapes; the policy in the head lets the browser run no script and fetch
nothing, whatever a crawled title contains. Only http and https addresses become links.
"""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html import builder as tag

from analytics.formats import bar_charts
from analytics.reading import CaseGroup, ReadCase, ReadCell, Reading, ReadTable, read
from analytics.report import Report

_STYLE_SHEET = Path(__file__).parents[1] / "templates" / "report.css"


def render(report: Report) -> bytes:
    """Write the report as one self-contained page in UTF-8."""
    reading = read(report)
    style = _STYLE_SHEET.read_text(encoding="utf-8")
    page = tag.HTML(_head(reading, style), _body(reading), lang=reading.phrases["html_lang"])
    rendered: bytes = html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>")
    return rendered + b"\n"


def _head(reading: Reading, style: str) -> Any:
    style_digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style_digest}'; base-uri 'none'; form-action 'none'"
    return tag.HEAD(
        tag.META(charset="utf-8"),
        tag.META({"http-equiv": "Content-Security-Policy", "content": policy}),
        tag.META(name="viewport", content="width=device-width, initial-scale=1"),
        tag.META(name="referrer", content="no-referrer"),
        tag.META(name="robots", content="noindex"),
        tag.TITLE(f"{reading.phrases['title']} · {reading.scope[0][1]}"),
        tag.STYLE(style),
    )


def _body(reading: Reading) -> Any:
    phrases = reading.phrases
    return tag.BODY(
        tag.HEADER(
            tag.P(phrases["product"], tag.CLASS("product")),
            tag.H1(phrases["title"]),
            _definitions(reading.scope, "scope"),
        ),
        tag.MAIN(
            *([tag.P(reading.notice, tag.CLASS("notice"))] if reading.notice else []),
            tag.SECTION(tag.H2(phrases["table.summary"]), _definitions(reading.summary, "summary"), id="summary"),
            *_charts(reading),
            *(_table(table, phrases["no_rows"]) for table in reading.tables),
            *(_group(group, reading) for group in reading.groups),
        ),
        tag.FOOTER(*(tag.P(note) for note in reading.notes)),
    )


def _definitions(lines: Sequence[tuple[str, str]], name: str) -> Any:
    pairs = (tag.DIV(tag.DT(label), tag.DD(tag.BDI(text))) for label, text in lines)
    return tag.DL(*pairs, tag.CLASS(name))


def _charts(reading: Reading) -> list[Any]:
    if not reading.groups:
        return []
    phrases = reading.phrases
    legend = tag.P(
        *(tag.SPAN(part, tag.CLASS(name)) for part, name in zip(reading.parts, bar_charts.PARTS, strict=True))
    )
    legend.set("class", "legend")
    return [
        tag.SECTION(
            *(tag.H2(phrases["top_sites"]), bar_charts.rows(reading.top_sites)) if reading.top_sites else (),
            tag.H2(phrases["days_chart"]),
            bar_charts.columns(reading.days),
            legend,
            id="charts",
        )
    ]


def _table(table: ReadTable, no_rows: str) -> Any:
    section = tag.SECTION(tag.H2(table.title), id=table.key)
    if not table.rows:
        section.append(tag.P(no_rows))
        return section
    head = tag.TR(*(_heading(text, numeric) for text, numeric in zip(table.headings, table.is_numeric, strict=True)))
    rows = (tag.TR(*_cells(row, table.is_numeric)) for row in table.rows)
    section.append(tag.DIV(tag.TABLE(tag.THEAD(head), tag.TBODY(*rows)), tag.CLASS("scroll")))
    return section


def _heading(text: str, is_numeric: bool) -> Any:
    return tag.TH(text, tag.CLASS("number" if is_numeric else "text"), scope="col")


def _cells(row: Sequence[ReadCell], is_numeric: Sequence[bool]) -> list[Any]:
    cells = []
    for cell, numeric in zip(row, is_numeric, strict=True):
        small = [tag.SMALL(tag.BDI(cell.small))] if cell.small else []
        cells.append(tag.TD(tag.BDI(cell.text), *small, tag.CLASS("number" if numeric else "text")))
    return cells


def _group(group: CaseGroup, reading: Reading) -> Any:
    phrases = reading.phrases
    headings = ("column.case_id", "page", "column.work", "comparison")
    head = tag.TR(*(tag.TH(phrases[key], scope="col") for key in headings))
    bodies = (_case(case, group, phrases["column.excerpt"]) for case in group.cases)
    return tag.SECTION(
        tag.H2(group.title),
        tag.TABLE(tag.THEAD(head), *bodies, tag.CLASS("cases")),
        id=f"cases-{group.state}",
    )


def _case(case: ReadCase, group: CaseGroup, excerpt_label: str) -> Any:
    state = tag.SPAN(case.state, tag.CLASS(f"state {group.state}"))
    rows = [
        tag.TR(
            tag.TD(tag.B(f"#{case.number}"), " ", state, _facts(case.history)),
            tag.TD(tag.B(tag.BDI(case.page_title)), _address(case.page_url), _facts(case.page)),
            tag.TD(tag.B(tag.BDI(case.work_title)), _facts(case.work)),
            tag.TD(_facts(case.figures)),
        )
    ]
    if case.excerpt:
        quote = tag.TD(tag.BLOCKQUOTE(tag.BDI(case.excerpt), title=excerpt_label), colspan="4")
        rows.append(tag.TR(quote))
    return tag.TBODY(*rows, id=f"case-{case.number}")


def _address(url: str) -> Any:
    if not url.lower().startswith(("http://", "https://")):
        return tag.P(tag.BDI(url), tag.CLASS("url"))
    return tag.P(tag.A(tag.BDI(url), href=url, rel="noopener noreferrer nofollow"), tag.CLASS("url"))


def _facts(lines: Sequence[tuple[str, str]]) -> Any:
    return _definitions(lines, "facts")
