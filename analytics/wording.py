"""Writes the cells of tables as text for human readers, in the same way in PDF and HTML."""

from collections.abc import Sequence
from datetime import date, datetime
from enum import StrEnum

from analytics.phrases import Phrases
from analytics.tables import Cell, CellKind, ReportFigure, ReportTable, TableColumn
from core.shares import format_percentage

MOMENT_FORMAT = "%Y-%m-%d %H:%M"


def cell_text(kind: CellKind, value: Cell, phrases: Phrases) -> str:
    """Return a cell as text: 12,345; 83.1%; 2026-11-21 15:04; a dash for None.

    >>> cell_text(CellKind.SHARE, 0.831, Phrases("en"))
    '83.1%'
    """
    if value is None or value in ("", ()):
        return phrases["nothing"]
    match value:
        case StrEnum():
            return phrases.term(value)
        case tuple():
            return phrases.terms(value)
        case datetime():
            return value.strftime(MOMENT_FORMAT)
        case date():
            return value.isoformat()
        case int() | float():
            return _format_number(kind, value)
        case _:
            return value


def column_label(column: TableColumn, phrases: Phrases) -> str:
    return phrases[f"column.{column.key}"]


def table_title(table: ReportTable, phrases: Phrases) -> str:
    return phrases[f"table.{table.key}"]


def row_texts(table: ReportTable, row: Sequence[Cell], phrases: Phrases) -> list[str]:
    """Return the cells of a row as text. A missing verdict is spelled out, because most cases have none."""
    pairs = zip(table.columns, row, strict=True)
    return [_cell_in_column(column, value, phrases) for column, value in pairs]


def summary_lines(figures: Sequence[ReportFigure], phrases: Phrases) -> list[tuple[str, str]]:
    """Return the label and value of each figure in the summary."""
    return [(phrases[f"column.{figure.key}"], cell_text(figure.kind, figure.value, phrases)) for figure in figures]


def scope_lines(figures: Sequence[ReportFigure], phrases: Phrases) -> list[tuple[str, str]]:
    """Return the label and value of each line of the scope. The period is one line; a missing filter is "all"."""
    texts = {f.key: cell_text(f.kind, f.value, phrases) if f.value is not None else phrases["all"] for f in figures}
    period = f"{texts.pop('since')} {phrases['to']} {texts.pop('until')}"
    lines = [(phrases[f"scope.{key}"], text) for key, text in texts.items()]
    return [lines[0], (phrases["scope.period"], period), *lines[1:]]


def _cell_in_column(column: TableColumn, value: Cell, phrases: Phrases) -> str:
    if column.key == "verdict" and value is None:
        return phrases["verdict.none"]
    if column.key == "case_id":
        return str(value)
    return cell_text(column.kind, value, phrases)


def _format_number(kind: CellKind, value: float) -> str:
    if kind is CellKind.SHARE:
        return format_percentage(value)
    return f"{value:,.1f}" if kind is CellKind.HOURS else f"{value:,}"
