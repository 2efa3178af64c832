"""Writes a report as JSON for programs.

`{"format": "zhuiwen.report", "version": 1, "language", "notice", "scope": {}, "summary": {}, "sites": [], "works": [],
"days": [], "classes": [], "obfuscations": [], "verdicts": [], "exclusions": [], "crawls": [], "cases": [],
"lead_caution", "lead_counts": [], "leads": []}`

Leads (suspected rewrites) are not cases and do not count in other figures. Their lists are empty if the search for
rewrites is off.

`analytics.tables` defines the keys. Shares are numbers from 0 to 1. Days have the form `2026-11-21`; times are in ISO
8601 with the offset of the user's time zone. Terms are the values of core's enumerations. Missing values are null.
Within a version, keys are never removed and never change their meaning; new keys may be added.
"""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from analytics import tables
from analytics.report import Report
from analytics.tables import Cell, ReportFigure
from core.plain_text import clean_line

FORMAT = "zhuiwen.report"
VERSION = 1


def render(report: Report) -> bytes:
    """Return the report as JSON in UTF-8, indented by two spaces."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "language": report.scope.language,
        "notice": report.notice,
        "scope": _figures_record(tables.scope_figures(report)) | _filter_names(report),
        "summary": _figures_record(tables.summary_figures(report)),
    }
    content |= {table.key: list(table.records()) for table in (*tables.measure_tables(report), tables.cases(report))}
    content["lead_caution"] = tables.caution(report) if report.has_leads else None
    for table in (tables.lead_counts(report), tables.leads(report)):
        content[table.key] = list(table.records()) if report.has_leads else []
    return json.dumps(content, ensure_ascii=False, indent=2, default=_iso_text).encode() + b"\n"


def _figures_record(figures: Sequence[ReportFigure]) -> dict[str, Cell]:
    return {figure.key: figure.value for figure in figures}


def _filter_names(report: Report) -> dict[str, list[str]]:
    return {
        "works": [clean_line(title) for title in report.scope.works],
        "sites": [clean_line(name) for name in report.scope.sites],
    }


def _iso_text(value: object) -> str:
    if isinstance(value, date):  # a datetime is a date too
        return value.isoformat()
    raise TypeError(f"no JSON for {value!r}")
