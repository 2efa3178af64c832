"""Writes a report as one HTML file with charts, without scripts and external resources, for screens and printing.

lxml's builder escapes all content. The Content-Security-Policy forbids scripts and requests, whatever a crawled title
contains. Only http and https URLs become links.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html import builder as tag

from analytics.formats import TEMPLATES
from analytics.phrases import Phrases
from analytics.report import Report
from analytics.view import CaseGroup, CaseView, CellView, Charts, LeadsView, ReportView, TableView, lay_out
from core.fit_text import fit_text
from core.typesetting import draw

_STYLE_SHEET = Path(__file__).parents[1] / "templates" / "report.css"


def render(report: Report) -> bytes:
    """Return the report as one self-contained HTML page in UTF-8."""
    view = lay_out(report)
    style = _STYLE_SHEET.read_text(encoding="utf-8")
    page = tag.HTML(_page_head(view, style), _page_body(view), lang=view.phrases["html_lang"])
    rendered: bytes = html.tostring(page, encoding="utf-8", doctype="<!DOCTYPE html>")
    return rendered + b"\n"


def _page_head(view: ReportView, style: str) -> Any:
    style_digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{style_digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return tag.HEAD(
        tag.META(charset="utf-8"),
        tag.META({"http-equiv": "Content-Security-Policy", "content": policy}),
        tag.META(name="viewport", content="width=device-width, initial-scale=1"),
        tag.META(name="referrer", content="no-referrer"),
        tag.META(name="robots", content="noindex"),
        tag.TITLE(f"{view.phrases['title']} · {view.scope[0][1]}"),
        tag.STYLE(style),
    )


def _page_body(view: ReportView) -> Any:
    phrases = view.phrases
    return tag.BODY(
        tag.HEADER(
            tag.P(phrases["product"], tag.CLASS("product")),
            tag.H1(phrases["title"]),
            _definition_list(view.scope, "scope"),
        ),
        tag.MAIN(
            *([tag.P(view.notice, tag.CLASS("notice"))] if view.notice else []),
            tag.SECTION(tag.H2(phrases["table.summary"]), _definition_list(view.summary, "summary"), id="summary"),
            *([_charts_section(view.charts, phrases)] if view.charts else []),
            *(_table_element(table, phrases["no_rows"]) for table in view.tables),
            *(_case_group(group, view) for group in view.groups),
            *([_leads_section(view.leads, phrases["no_rows"])] if view.leads else []),
        ),
        tag.FOOTER(*(tag.P(note) for note in view.notes)),
    )


def _definition_list(lines: Sequence[tuple[str, str]], name: str) -> Any:
    pairs = (tag.DIV(tag.DT(label), tag.DD(tag.BDI(text))) for label, text in lines)
    return tag.DL(*pairs, tag.CLASS(name))


def _charts_section(charts: Charts, phrases: Phrases) -> Any:
    keys = ("top_sites", "days_chart") if charts.top_sites else ("days_chart",)
    section = tag.SECTION(id="charts")
    for key, svg in zip(
        keys, draw(TEMPLATES, "pictures.typ", {"report": json.dumps(fit_text(asdict(charts)))}), strict=True
    ):
        section.extend((tag.H2(phrases[key]), _picture_figure(svg, phrases[key])))
    return section


def _picture_figure(svg: bytes, description: str) -> Any:
    image = tag.IMG(src=f"data:image/svg+xml;base64,{b64encode(svg).decode()}", alt=description)
    return tag.DIV(image, tag.CLASS("scroll"))


def _table_element(table: TableView, no_rows: str) -> Any:
    return tag.SECTION(tag.H2(table.title), *_table_rows(table, no_rows), id=table.key)


def _table_rows(table: TableView, no_rows: str) -> list[Any]:
    if not table.rows:
        return [tag.P(no_rows)]
    head = tag.TR(
        *(_column_heading(text, numeric) for text, numeric in zip(table.headings, table.is_numeric, strict=True))
    )
    rows = (tag.TR(*_row_cells(row, table.is_numeric)) for row in table.rows)
    return [tag.DIV(tag.TABLE(tag.THEAD(head), tag.TBODY(*rows)), tag.CLASS("scroll"))]


def _column_heading(text: str, is_numeric: bool) -> Any:
    return tag.TH(text, tag.CLASS("number" if is_numeric else "text"), scope="col")


def _row_cells(row: Sequence[CellView], is_numeric: Sequence[bool]) -> list[Any]:
    cells = []
    for cell, numeric in zip(row, is_numeric, strict=True):
        small = [tag.SMALL(tag.BDI(cell.small))] if cell.small else []
        cells.append(tag.TD(tag.BDI(cell.text), *small, tag.CLASS("number" if numeric else "text")))
    return cells


def _case_group(group: CaseGroup, view: ReportView) -> Any:
    phrases = view.phrases
    headings = ("column.case_id", "page", "column.work", "comparison")
    head = tag.TR(*(tag.TH(phrases[key], scope="col") for key in headings))
    bodies = (_case_article(case, group, phrases["column.excerpt"]) for case in group.cases)
    return tag.SECTION(
        tag.H2(group.title),
        tag.TABLE(tag.THEAD(head), *bodies, tag.CLASS("cases")),
        id=f"cases-{group.state}",
    )


def _case_article(case: CaseView, group: CaseGroup, excerpt_label: str) -> Any:
    state = tag.SPAN(case.state, tag.CLASS(f"state {group.state}"))
    rows = [
        tag.TR(
            tag.TD(tag.B(f"#{case.number}"), " ", state, _facts_list(case.history)),
            tag.TD(tag.B(tag.BDI(case.page_title)), _url_element(case.page_url), _facts_list(case.page)),
            tag.TD(tag.B(tag.BDI(case.work_title)), _facts_list(case.work)),
            tag.TD(_facts_list(case.figures)),
        )
    ]
    if case.excerpt:
        quote = tag.TD(tag.BLOCKQUOTE(tag.BDI(case.excerpt), title=excerpt_label), colspan="4")
        rows.append(tag.TR(quote))
    return tag.TBODY(*rows, id=f"case-{case.number}")


def _leads_section(leads: LeadsView, no_rows: str) -> Any:
    return tag.SECTION(
        tag.H2(leads.title),
        tag.P(leads.caution, tag.CLASS("notice")),
        *_table_rows(leads.counts, no_rows),
        *_table_rows(leads.leads, no_rows),
        id="leads",
    )


def _url_element(url: str) -> Any:
    if not url.lower().startswith(("http://", "https://")):
        return tag.P(tag.BDI(url), tag.CLASS("url"))
    return tag.P(tag.A(tag.BDI(url), href=url, rel="noopener noreferrer nofollow"), tag.CLASS("url"))


def _facts_list(lines: Sequence[tuple[str, str]]) -> Any:
    return _definition_list(lines, "facts")
