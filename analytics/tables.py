"""Builds the figures and tables of a report, with rounded values.

All formats render these tables and therefore contain the same figures. A cell is a plain value, a member of an
enumeration (which a format writes as its value or its term), or None.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, cast

from analytics.figures import StateCounts
from analytics.records import LeadRow
from analytics.report import Report
from core.plain_text import clean_line
from core.shares import cut_share
from core.wording import Message, has_words

Cell = str | int | float | date | datetime | StrEnum | tuple[StrEnum, ...] | None

HOUR_DECIMALS = 1
MAX_TITLE_CHARS = 200  # of a page's title; the rest is keyword stuffing for search engines


class CellKind(StrEnum):
    """The kind of a cell's content, which determines its format."""

    TEXT = "text"
    URL = "url"
    TERM = "term"  # a member of an enumeration
    TERMS = "terms"
    COUNT = "count"
    SHARE = "share"  # 0 to 1, truncated (core.shares)
    HOURS = "hours"  # one decimal
    DAY = "day"
    MOMENT = "moment"  # in the user's zone


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """A single value. key: its name in the catalogues of phrases and in JSON."""

    key: str
    kind: CellKind
    value: Cell


@dataclass(frozen=True, slots=True)
class TableColumn:
    key: str
    kind: CellKind


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells in the order of `columns`."""

    key: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> Iterable[dict[str, Cell]]:
        """Return each row as a dict by column key."""
        keys = [column.key for column in self.columns]
        return (dict(zip(keys, row, strict=True)) for row in self.rows)


def scope_figures(report: Report) -> tuple[ReportFigure, ...]:
    """Return the rights holder, period, filters, time zone and time of a report as figures."""
    scope = report.scope
    return (
        ReportFigure("rights_holder", CellKind.TEXT, clean_line(scope.rights_holder) or None),
        ReportFigure("since", CellKind.DAY, scope.since),
        ReportFigure("until", CellKind.DAY, scope.until),
        ReportFigure("works", CellKind.TEXT, clean_line("、".join(scope.works)) or None),
        ReportFigure("sites", CellKind.TEXT, clean_line("、".join(scope.sites)) or None),
        ReportFigure("time_zone", CellKind.TEXT, scope.time_zone),
        ReportFigure("generated_at", CellKind.MOMENT, _local_moment(report, scope.generated_at)),
    )


def summary_figures(report: Report) -> tuple[ReportFigure, ...]:
    """Return the totals of a report as figures."""
    columns = (
        *_count_columns("pages_checked", "new_versions"), *_STATES, TableColumn("precision", CellKind.SHARE),
        TableColumn("median_hours_to_verdict", CellKind.HOURS),
        *_count_columns("sites_with_copies", "works_copied", "chars_taken", "chars_on_pages", "excluded"),
        *_count_columns("crawl_runs", "pages_fetched", "pages_failed"),
    )  # fmt: skip
    return tuple(
        ReportFigure(column.key, column.kind, _column_cell(report, report.totals, column)) for column in columns
    )


def measure_tables(report: Report) -> tuple[ReportTable, ...]:
    """Return all tables except those of cases and suspected rewrites, in the order of the report."""
    return (
        sites(report),
        works(report),
        _count_table("classes", "match_class", report.classes),
        _count_table("obfuscations", "obfuscation", report.obfuscations),
        ReportTable(
            "verdicts", (TableColumn("verdict", CellKind.TERM), TableColumn("cases", CellKind.COUNT)), report.verdicts
        ),
        exclusions(report),
        crawls(report),
        days(report),
    )


def sites(report: Report) -> ReportTable:
    columns = (
        TableColumn("site", CellKind.TEXT), TableColumn("hosts", CellKind.TEXT),
        *_count_columns("pages_checked", "new_versions"), *_STATES,
        *_count_columns("works_copied", "chars_taken", "chars_on_pages", "excluded"),
    )  # fmt: skip
    return _record_table(report, "sites", columns, report.sites)


def works(report: Report) -> ReportTable:
    columns = (
        TableColumn("work", CellKind.TEXT), TableColumn("rights_holder", CellKind.TEXT),
        TableColumn("work_chars", CellKind.COUNT), *_STATES, *_count_columns("sites_with_copies", "chars_taken"),
        TableColumn("share_taken", CellKind.SHARE), *_count_columns("chars_on_pages"),
        TableColumn("largest_share", CellKind.SHARE),
    )  # fmt: skip
    return _record_table(report, "works", columns, report.works)


def exclusions(report: Report) -> ReportTable:
    """Return the table of exclusions by reason, with the counted unit: findings, page versions or responses."""
    columns = (
        TableColumn("reason", CellKind.TERM),
        TableColumn("left_out", CellKind.TERM),
        TableColumn("count", CellKind.COUNT),
    )
    return ReportTable("exclusions", columns, tuple((reason, reason.leaves_out, n) for reason, n in report.exclusions))


def days(report: Report) -> ReportTable:
    columns = (TableColumn("day", CellKind.DAY), *_count_columns("pages_checked", "new_versions"), *_STATES)
    return _record_table(report, "days", columns, report.days)


def crawls(report: Report) -> ReportTable:
    keys = ("crawl_runs", "runs_finished", "runs_failed", "runs_missed", "pages_fetched", "pages_failed")
    columns = (TableColumn("site", CellKind.TEXT), *_count_columns(*keys))
    return _record_table(report, "crawls", columns, report.crawls)


_CASE_COLUMNS = (
    TableColumn("case_id", CellKind.COUNT),
    TableColumn("state", CellKind.TERM),
    TableColumn("verdict", CellKind.TERM),
    TableColumn("reviewer", CellKind.TEXT),
    TableColumn("decided_at", CellKind.MOMENT),
    TableColumn("allowed_as", CellKind.TERM),
    TableColumn("allowed_by", CellKind.TEXT),
    TableColumn("rights_holder", CellKind.TEXT),
    TableColumn("work", CellKind.TEXT),
    TableColumn("chapter", CellKind.TEXT),
    TableColumn("site", CellKind.TEXT),
    TableColumn("host", CellKind.TEXT),
    TableColumn("page_title", CellKind.TEXT),
    TableColumn("page_poster", CellKind.TEXT),
    TableColumn("page_author", CellKind.TEXT),
    TableColumn("page_published_at", CellKind.MOMENT),
    TableColumn("page_url", CellKind.URL),
    TableColumn("other_urls", CellKind.TEXT),
    TableColumn("match_class", CellKind.TERM),
    TableColumn("similarity", CellKind.SHARE),
    TableColumn("page_containment", CellKind.SHARE),
    TableColumn("work_containment", CellKind.SHARE),
    TableColumn("taken_chars", CellKind.COUNT),
    TableColumn("matched_chars", CellKind.COUNT),
    TableColumn("obfuscations", CellKind.TERMS),
    TableColumn("opened_at", CellKind.MOMENT),
    TableColumn("first_seen_at", CellKind.MOMENT),
    TableColumn("last_seen_at", CellKind.MOMENT),
    TableColumn("excerpt", CellKind.TEXT),
)


def cases(report: Report) -> ReportTable:
    """Return the table of cases, in the order of the report."""
    return _record_table(report, "cases", _CASE_COLUMNS, report.cases)


_LEAD_COLUMNS = (
    TableColumn("lead_id", CellKind.COUNT),
    TableColumn("lead_class", CellKind.TERM),
    TableColumn("lead_state", CellKind.TERM),
    TableColumn("reviewer", CellKind.TEXT),
    TableColumn("decided_at", CellKind.MOMENT),
    TableColumn("rights_holder", CellKind.TEXT),
    TableColumn("work", CellKind.TEXT),
    TableColumn("chapter", CellKind.TEXT),
    TableColumn("site", CellKind.TEXT),
    TableColumn("page_title", CellKind.TEXT),
    TableColumn("page_url", CellKind.URL),
    TableColumn("sentences_paired", CellKind.COUNT),
    TableColumn("sentences", CellKind.COUNT),
    TableColumn("sentences_in_order", CellKind.COUNT),
    TableColumn("band", CellKind.TEXT),
    TableColumn("alarms", CellKind.TEXT),
    TableColumn("found_at", CellKind.MOMENT),
)


def lead_counts(report: Report) -> ReportTable:
    """Return the table of suspected rewrites by class and state."""
    columns = (
        TableColumn("lead_class", CellKind.TERM),
        *_count_columns("leads_waiting", "leads_confirmed", "leads_dismissed"),
    )
    return ReportTable("lead_counts", columns, tuple((found, *counts) for found, counts in report.lead_counts))


def leads(report: Report) -> ReportTable:
    """Return the table of suspected rewrites."""
    return _record_table(report, "leads", _LEAD_COLUMNS, report.leads)


def caution(report: Report) -> str:
    """Return the caution that precedes suspected rewrites, in the language of the report."""
    return Message("reworded.caution").in_language(report.scope.language)


# The fields of rows for columns whose key differs from their field.
_FIELDS = {
    "work": "work_title",
    "chapter": "chapter_title",
    "site": "site_name",
    "host": "site_host",
    "lead_class": "found_as",
    "lead_state": "state",
    "sentences_paired": "pairs",
    "sentences_in_order": "in_order",
}
_CUT = frozenset({"page_title", "page_poster", "page_author"})


def _record_table(report: Report, key: str, columns: tuple[TableColumn, ...], records: Iterable[Any]) -> ReportTable:
    rows = (tuple(_column_cell(report, record, column) for column in columns) for record in records)
    return ReportTable(key, columns, tuple(rows))


def _column_cell(report: Report, row: Any, column: TableColumn) -> Cell:
    """Return the cell of a row in a column, rounded or cleaned; counts by state come from the row's `cases`."""
    if isinstance(row, LeadRow) and column.key in ("band", "alarms"):
        return _band_name(report, row) if column.key == "band" else _describe_alarms(report, row)
    value = getattr(row.cases if column in _STATES else row, _FIELDS.get(column.key, column.key))
    match column.kind:
        case CellKind.MOMENT:
            return _local_moment(report, value)
        case CellKind.SHARE:
            return None if value is None else cut_share(value)
        case CellKind.HOURS:
            return None if value is None else round(value, HOUR_DECIMALS)
        case CellKind.TEXT | CellKind.URL:
            text = " ; ".join(value) if isinstance(value, tuple) else value
            return clean_line(text, MAX_TITLE_CHARS) if column.key in _CUT else clean_line(text)
    return cast("Cell", value)


def _band_name(report: Report, lead: LeadRow) -> str:
    words = Message(code) if has_words(code := f"reworded-band.{lead.band}") else None
    return words.in_language(report.scope.language) if words else clean_line(lead.band)


def _describe_alarms(report: Report, lead: LeadRow) -> str | None:
    if lead.passages is None:
        return None
    return Message("reworded.band", alarms=lead.alarms or 0, passages=lead.passages).in_language(report.scope.language)


def _count_columns(*keys: str) -> tuple[TableColumn, ...]:
    return tuple(TableColumn(key, CellKind.COUNT) for key in keys)


_STATES = _count_columns("opened", "confirmed", "dismissed", "open", "set_aside")


def _state_counts(counts: StateCounts) -> tuple[int, int, int, int, int]:
    return counts.opened, counts.confirmed, counts.dismissed, counts.open, counts.set_aside


def _count_table(key: str, column: str, pairs: Iterable[tuple[StrEnum, StateCounts]]) -> ReportTable:
    rows = tuple((member, *_state_counts(counts)) for member, counts in pairs)
    return ReportTable(key, (TableColumn(column, CellKind.TERM), *_STATES), rows)


def _local_moment(report: Report, moment: datetime | None) -> datetime | None:
    return None if moment is None else report.scope.local(moment).replace(microsecond=0)
