"""Writes a report as CSV for spreadsheets and scripts, in UTF-8 with a byte-order mark, which Excel needs.

The file is one table with one header, so that it can be filtered, sorted and loaded as a whole. The first rows are the
cases, with the number of the case in the column "item". They are followed by the scope, all measures and the suspected
rewrites in long form: section, item, measure, value (section "sites", item the site, measure "pages checked", value
1234). The first column distinguishes them. Numbers and dates are plain; shares are from 0 to 1.
"""

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime
from enum import StrEnum

from analytics import tables
from analytics.phrases import Phrases
from analytics.report import Report
from analytics.tables import Cell, ReportTable
from analytics.wording import column_label, table_title
from core.plain_text import defuse_formula


def render(report: Report) -> bytes:
    """Return the report as one CSV table, with CR LF at the end of each line."""
    phrases = Phrases(report.scope.language)
    cases = tables.cases(report)
    facts = [column_label(column, phrases) for column in cases.columns[1:]]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([phrases["section"], phrases["item"], phrases["measure"], phrases["value"], *facts])
    for number, *values in cases.rows:
        title = table_title(cases, phrases)
        writer.writerow([title, number, "", "", *(plain_cell(value, phrases) for value in values)])
    for line in _measure_rows(report, phrases):
        writer.writerow([*(plain_cell(value, phrases) for value in line), *[""] * len(facts)])
    return out.getvalue().encode("utf-8-sig")


def plain_cell(value: Cell, phrases: Phrases) -> str | int | float:
    """Return a cell as a value for CSV. Text that spreadsheets would read as a formula is escaped.

    >>> plain_cell("=1+1", Phrases("en"))
    "'=1+1"
    """
    match value:
        case None:
            return ""
        case StrEnum():
            return phrases.term(value)
        case tuple():
            return phrases.terms(value)
        case datetime():
            return f"{value:%Y-%m-%d %H:%M:%S}"
        case date():
            return value.isoformat()
        case str():
            return defuse_formula(value)
        case _:
            return value


def _measure_rows(report: Report, phrases: Phrases) -> Iterator[tuple[Cell, Cell, Cell, Cell]]:
    scope = phrases["table.scope"]
    for figure in tables.scope_figures(report):
        yield scope, "", phrases[f"scope.{figure.key}"], phrases["all"] if figure.value is None else figure.value
    summary = phrases["table.summary"]
    if report.notice:
        yield summary, "", phrases["notice"], report.notice
    for figure in tables.summary_figures(report):
        yield summary, "", phrases[f"column.{figure.key}"], figure.value
    for table in tables.measure_tables(report):
        yield from _table_rows(table, phrases)
    if report.has_leads:
        yield phrases["table.leads"], "", phrases["notice"], tables.caution(report)
        yield from _table_rows(tables.lead_counts(report), phrases)
        yield from _table_rows(tables.leads(report), phrases)


def _table_rows(table: ReportTable, phrases: Phrases) -> Iterator[tuple[Cell, Cell, Cell, Cell]]:
    title = table_title(table, phrases)
    labels = [column_label(column, phrases) for column in table.columns[1:]]
    for name, *values in table.rows:
        item = phrases["verdict.none"] if table.key == "verdicts" and name is None else name
        for label, value in zip(labels, values, strict=True):
            yield title, item, label, value
