"""Writes a report as an Excel workbook with sheets for the summary, sites, works, days and cases.

Numbers and dates are stored as such; there are no formulas and links. Rows are written to disk one by one, in constant
memory. Times are in the user's time zone, which the summary names, because a spreadsheet has no time zones.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import xlsxwriter

from analytics import tables
from analytics.phrases import Phrases
from analytics.report import Report
from analytics.tables import Cell, CellKind, ReportFigure, ReportTable
from analytics.wording import cell_text, column_label, row_texts, table_title
from core.errors import BadInput
from core.plain_text import text_width
from core.shares import format_percentage

MAX_ROWS = 1_048_575  # of a sheet, below its header; the limit of the format
_MIN_WIDTH, _MAX_WIDTH = 8, 60  # in widths of a digit, the format's unit

_NUMBER_FORMATS = {
    CellKind.COUNT: "#,##0",
    CellKind.HOURS: "#,##0.0",
    CellKind.DAY: "yyyy-mm-dd",
    CellKind.MOMENT: "yyyy-mm-dd hh:mm",
}
# A number format rounds; these formats display the same digits as core.shares.
_ALL_OR_NOTHING, _LITTLE, _TENTHS = "0%", '"<0.1%"', "0.0%"
_OWN_SHEETS = ("sites", "works", "days")
_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "remove_timezone": True,
}


@dataclass(frozen=True, slots=True)
class _Styles:
    """The cell formats of a workbook, and the phrases for its cells."""

    phrases: Phrases
    title: Any
    header: Any
    text: Any
    by_kind: dict[CellKind, Any]
    shares: dict[str, Any]  # by number format

    def cell_format(self, kind: CellKind, value: Cell) -> Any:
        """Return the format of a cell with this kind and value."""
        if kind is CellKind.SHARE and isinstance(value, (int, float)):
            return self.shares[_share_format(value)]
        return self.by_kind.get(kind, self.text)


def render(report: Report) -> bytes:
    """Return the report as an .xlsx file. Raises BadInput if there are more cases or leads than rows in a sheet."""
    if max(len(report.cases), len(report.leads) + 10) > MAX_ROWS:  # the tables above the leads have fewer rows
        raise BadInput("report.too-many-rows", most=MAX_ROWS, cases=len(report.cases))
    phrases = Phrases(report.scope.language)
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, _OPTIONS) as book:
        book.set_properties({"title": phrases["title"], "created": report.scope.generated_at.replace(tzinfo=None)})
        styles = _make_styles(book, phrases)
        measures = tables.measure_tables(report)
        _write_summary(book, report, [table for table in measures if table.key not in _OWN_SHEETS], styles)
        for table in (*(table for table in measures if table.key in _OWN_SHEETS), tables.cases(report)):
            _write_table_sheet(book, table, styles)
        if report.has_leads:
            _write_leads(book, report, styles)
    return out.getvalue()


def _make_styles(book: Any, phrases: Phrases) -> _Styles:
    base = {"font_name": "Microsoft YaHei", "font_size": 10, "valign": "top"}
    header = base | {
        "bold": True,
        "bg_color": "#1F3A5F",
        "font_color": "#FFFFFF",
        "text_wrap": True,
        "valign": "vcenter",
    }
    return _Styles(
        phrases=phrases,
        title=book.add_format(base | {"bold": True, "font_size": 13}),
        header=book.add_format(header),
        text=book.add_format(base),
        by_kind={
            kind: book.add_format(
                base | {"num_format": code, "align": "left" if kind in {CellKind.DAY, CellKind.MOMENT} else "right"}
            )
            for kind, code in _NUMBER_FORMATS.items()
        },
        shares={
            code: book.add_format(base | {"num_format": code, "align": "right"})
            for code in (_ALL_OR_NOTHING, _LITTLE, _TENTHS)
        },
    )


def _share_format(share: float) -> str:
    if share in (0, 1):
        return _ALL_OR_NOTHING
    return _LITTLE if format_percentage(share).startswith("<") else _TENTHS


def _write_summary(book: Any, report: Report, extra: Sequence[ReportTable], styles: _Styles) -> None:
    """Write the scope, the totals and the tables in `extra`, which have few rows, to the first sheet."""
    phrases = styles.phrases
    sheet = book.add_worksheet(phrases["table.summary"])
    sheet.hide_gridlines(2)
    sheet.set_column(0, 0, 34)
    sheet.set_column(1, 6, 17)
    sheet.write_string(0, 0, phrases["title"], styles.title)
    row = 1
    if report.notice:
        sheet.write_string(row, 0, phrases.term(report.notice), styles.text)
        row += 1
    row = _write_figures(sheet, row + 1, "scope", tables.scope_figures(report), styles)
    row = _write_figures(sheet, row + 1, "summary", tables.summary_figures(report), styles)
    for table in extra:
        sheet.write_string(row + 1, 0, table_title(table, phrases), styles.title)
        row = _write_table(sheet, row + 2, table, styles) + 1
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


def _write_figures(sheet: Any, row: int, part: str, figures: Iterable[ReportFigure], styles: _Styles) -> int:
    sheet.write_string(row, 0, styles.phrases[f"table.{part}"], styles.title)
    prefix = "scope" if part == "scope" else "column"
    for figure in figures:
        row += 1
        sheet.write_string(row, 0, styles.phrases[f"{prefix}.{figure.key}"], styles.text)
        is_open_filter = part == "scope" and figure.value is None
        _write_cell(sheet, (row, 1), figure.kind, styles.phrases["all"] if is_open_filter else figure.value, styles)
    return row + 1


def _write_table_sheet(book: Any, table: ReportTable, styles: _Styles) -> None:
    sheet = book.add_worksheet(table_title(table, styles.phrases))
    for number, width in enumerate(_fit_columns(table, styles.phrases)):
        sheet.set_column(number, number, width)
    sheet.freeze_panes(1, 1)
    sheet.autofilter(0, 0, len(table.rows), len(table.columns) - 1)
    sheet.repeat_rows(0)
    sheet.set_landscape()
    sheet.set_paper(9)  # A4
    sheet.fit_to_pages(1, 0)
    _write_table(sheet, 0, table, styles)


def _write_leads(book: Any, report: Report, styles: _Styles) -> None:
    """Write the caution, the counts and the list of suspected rewrites to a separate sheet."""
    counts, leads = tables.lead_counts(report), tables.leads(report)
    sheet = book.add_worksheet(table_title(leads, styles.phrases))
    for number, width in enumerate(_fit_columns(leads, styles.phrases)):
        sheet.set_column(number, number, width)
    sheet.write_string(0, 0, tables.caution(report), styles.title)
    row = _write_table(sheet, 2, counts, styles)
    _write_table(sheet, row + 1, leads, styles)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)


def _write_table(sheet: Any, first_row: int, table: ReportTable, styles: _Styles) -> int:
    """Write the header and the rows of a table, and return the index of the row after it."""
    for number, column in enumerate(table.columns):
        sheet.write_string(first_row, number, column_label(column, styles.phrases), styles.header)
    row = first_row
    for row, cells in enumerate(table.rows, first_row + 1):
        for number, (column, value) in enumerate(zip(table.columns, cells, strict=True)):
            is_undecided = column.key == "verdict" and value is None
            _write_cell(
                sheet,
                (row, number),
                column.kind,
                styles.phrases["verdict.none"] if is_undecided else value,
                styles,
            )
    return row + 1


def _write_cell(sheet: Any, at: tuple[int, int], kind: CellKind, value: Cell, styles: _Styles) -> None:
    style = styles.cell_format(kind, value)
    match value:
        case None:
            return
        case date():  # a datetime is a date too
            sheet.write_datetime(*at, value, style)
        case int() | float():
            sheet.write_number(*at, value, style)
        case str() | tuple() if value:
            sheet.write_string(*at, cell_text(kind, value, styles.phrases), styles.text)


def _fit_columns(table: ReportTable, phrases: Phrases) -> list[int]:
    """Return the width of each column for its widest cell, within _MIN_WIDTH and _MAX_WIDTH."""
    widths = [max(_MIN_WIDTH, text_width(column_label(column, phrases)) + 4) for column in table.columns]
    for row in table.rows:
        for number, text in enumerate(row_texts(table, row, phrases)):
            widths[number] = max(widths[number], text_width(text[:_MAX_WIDTH]) + 2)
    return [min(width, _MAX_WIDTH) for width in widths]
