"""A report as JSON, for programs.

`{"format": "zhuiwen.report", "version": 1, "language", "notice", "scope": {}, "summary": {}, "sites": [], "works": [],
"days": [], "classes": [], "obfuscations": [], "verdicts": [], "exclusions": [], "crawls": [], "cases": [],
"lead_caution", "lead_counts": [], "leads": []}`

Leads (suspected rewrites) are not cases and not included in other figures; these lists are empty without a search for
rewrites.

Keys are defined in `analytics.tables`; `schema()` returns a JSON Schema. Shares are numbers from 0 to 1, days
`2026-11-21`, moments ISO 8601 with the offset of the user's time zone, terms the values of core's enumerations, missing
values null. Within a version, keys are never removed and never change their meaning; new keys may be added.
"""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from analytics import tables
from analytics.report import Report
from analytics.tables import Cell, CellKind, ReportFigure, ReportTable, TableColumn
from core.plain_text import clean_line

FORMAT = "zhuiwen.report"
VERSION = 1

_TYPES: dict[CellKind, dict[str, Any]] = {
    CellKind.TEXT: {"type": ["string", "null"]},
    CellKind.URL: {"type": "string"},
    CellKind.TERM: {"type": ["string", "null"]},
    CellKind.TERMS: {"type": "array", "items": {"type": "string"}},
    CellKind.COUNT: {"type": "integer", "minimum": 0},
    CellKind.SHARE: {"type": ["number", "null"], "minimum": 0, "maximum": 1},
    CellKind.HOURS: {"type": ["number", "null"], "minimum": 0},
    CellKind.DAY: {"type": "string", "format": "date"},
    CellKind.MOMENT: {"type": ["string", "null"], "format": "date-time"},
}


def render(report: Report) -> bytes:
    """Return the report as UTF-8 JSON, indented by two."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "language": report.scope.language,
        "notice": report.notice,
        "scope": _figures_record(tables.scope_figures(report)) | _filter_names(report),
        "summary": _figures_record(tables.summary_figures(report)),
    }
    content |= {table.key: list(table.records()) for table in _all_tables(report)}
    content["lead_caution"] = tables.caution(report) if report.has_leads else None
    content |= {table.key: list(table.records()) if report.has_leads else [] for table in _lead_tables(report)}
    return json.dumps(content, ensure_ascii=False, indent=2, default=_iso_text).encode() + b"\n"


def schema(report: Report) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) for any report; `report` only provides the columns."""
    properties: dict[str, Any] = {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "language": {"type": "string"},
        "notice": {"type": ["string", "null"]},
        "scope": _fields_object(tables.scope_figures(report)),
        "summary": _fields_object(tables.summary_figures(report)),
    }
    names = {"type": "array", "items": {"type": "string"}}
    properties["scope"]["properties"] |= {"works": names, "sites": names}
    properties |= {
        table.key: {"type": "array", "items": _fields_object(table.columns)} for table in _all_tables(report)
    }
    properties["lead_caution"] = {"type": ["string", "null"]}
    properties |= {
        table.key: {"type": "array", "items": _fields_object(table.columns)} for table in _lead_tables(report)
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"{FORMAT} {VERSION}",
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }


def _all_tables(report: Report) -> tuple[ReportTable, ...]:
    return (*tables.measure_tables(report), tables.cases(report))


def _lead_tables(report: Report) -> tuple[ReportTable, ...]:
    return (tables.lead_counts(report), tables.leads(report))


def _figures_record(figures: Sequence[ReportFigure]) -> dict[str, Cell]:
    return {figure.key: figure.value for figure in figures}


def _filter_names(report: Report) -> dict[str, list[str]]:
    return {
        "works": [clean_line(title) for title in report.scope.works],
        "sites": [clean_line(name) for name in report.scope.sites],
    }


def _fields_object(fields: Sequence[TableColumn | ReportFigure]) -> dict[str, Any]:
    properties = {field.key: _TYPES[field.kind] for field in fields}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _iso_text(value: object) -> str:
    if isinstance(value, date):  # a datetime is a date too
        return value.isoformat()
    raise TypeError(f"no JSON for {value!r}")
