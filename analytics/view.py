"""Lays out a report for readers in one language; PDF and HTML render the same layout."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from analytics import tables
from analytics.figures import StateCounts
from analytics.phrases import Phrases
from analytics.records import LeadRow
from analytics.report import STATE_ORDER, Report
from analytics.tables import Cell, CellKind, ReportTable, TableColumn
from analytics.wording import column_label, row_texts, scope_lines, summary_lines, table_title
from core.plain_text import clean_line
from core.states import CaseState
from core.wording import Message

NOTES = ("note.counting", "note.chars", "note.shares", "note.text")
# Columns shown below the name in a row's first cell, because printed tables have no room for more columns.
_SMALL = ("hosts", "work_chars")
_NUMERIC = frozenset({CellKind.COUNT, CellKind.SHARE, CellKind.HOURS})


@dataclass(frozen=True, slots=True)
class CellView:
    """The content of a table cell. small: text that is shown below it in smaller type."""

    text: str
    small: str = ""


@dataclass(frozen=True, slots=True)
class TableView:
    key: str
    title: str
    headings: tuple[str, ...]
    is_numeric: tuple[bool, ...]  # for each column
    rows: tuple[tuple[CellView, ...], ...]


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A bar of a chart. counts: the length of each of its parts, from the bottom up."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts of a report. parts: the names of the parts of a bar."""

    parts: tuple[str, ...]
    top_sites: tuple[ChartBar, ...]
    days: tuple[ChartBar, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    """A case in the list of cases. history, page, work, figures: lines of label and text for its four cells."""

    number: str
    state: str
    history: tuple[tuple[str, str], ...]
    page_title: str
    page_url: str
    page: tuple[tuple[str, str], ...]
    work_title: str
    work: tuple[tuple[str, str], ...]
    figures: tuple[tuple[str, str], ...]
    excerpt: str


@dataclass(frozen=True, slots=True)
class CaseGroup:
    """The cases of one state."""

    state: CaseState
    title: str
    cases: tuple[CaseView, ...]


@dataclass(frozen=True, slots=True)
class LeadsView:
    """The chapter on suspected rewrites: a caution, their counts, and the list."""

    title: str
    caution: str
    counts: TableView
    leads: TableView


@dataclass(frozen=True, slots=True)
class ReportView:
    """The layout of a report. charts: None without cases. leads: None if the search for rewrites is off."""

    phrases: Phrases
    scope: tuple[tuple[str, str], ...]
    notice: str
    summary: tuple[tuple[str, str], ...]
    charts: Charts | None
    tables: tuple[TableView, ...]
    groups: tuple[CaseGroup, ...]
    leads: LeadsView | None
    notes: tuple[str, ...]


def lay_out(report: Report) -> ReportView:
    """Return the layout of a report in the language of its scope."""
    phrases = Phrases(report.scope.language)
    return ReportView(
        phrases=phrases,
        scope=tuple(scope_lines(tables.scope_figures(report), phrases)),
        notice=phrases.term(report.notice) if report.notice else "",
        summary=tuple(summary_lines(tables.summary_figures(report), phrases)),
        charts=_report_charts(report, phrases) if report.cases else None,
        tables=tuple(_table_view(report, table, phrases) for table in tables.measure_tables(report)),
        groups=tuple(_case_groups(report, phrases)),
        leads=_leads_view(report, phrases) if report.has_leads else None,
        notes=(*(phrases[note] for note in NOTES), *_reading_caveats(report, phrases)),
    )


def _reading_caveats(report: Report, phrases: Phrases) -> Iterator[str]:
    """Yield a caveat on each kind of obfuscation in the report whose repair may be wrong."""
    for kind, _ in report.obfuscations:
        if kind.caveat is not None:
            yield f"{phrases.term(kind)}: {kind.caveat.in_language(phrases.language)}"


def _report_charts(report: Report, phrases: Phrases) -> Charts:
    return Charts(
        parts=tuple(phrases.term(state) for state in STATE_ORDER),
        top_sites=tuple(_chart_bar(clean_line(site.site_name), site.cases) for site in report.top_sites),
        days=tuple(_chart_bar(day.day.isoformat(), day.cases) for day in report.days),
    )


def _chart_bar(label: str, counts: StateCounts) -> ChartBar:
    return ChartBar(label, tuple(getattr(counts, state) for state in STATE_ORDER))


def _table_view(report: Report, table: ReportTable, phrases: Phrases) -> TableView:
    """Lay out a table: the column in _SMALL goes below the first cell; a single rights holder is not repeated."""
    dropped = {*_SMALL} | ({"rights_holder"} if report.scope.rights_holder else set())
    kept = [n for n, column in enumerate(table.columns) if column.key not in dropped]
    below = next((n for n, column in enumerate(table.columns) if column.key in _SMALL), None)
    rows = []
    for row in table.rows:
        texts = row_texts(table, row, phrases)
        small = _small_figure(table.columns[below], texts[below], phrases) if below is not None and row[below] else ""
        rows.append(tuple(CellView(texts[n], small if n == 0 else "") for n in kept))
    return TableView(
        key=table.key,
        title=table_title(table, phrases),
        headings=tuple(column_label(table.columns[n], phrases) for n in kept),
        is_numeric=tuple(table.columns[n].kind in _NUMERIC for n in kept),
        rows=tuple(rows),
    )


def _leads_view(report: Report, phrases: Phrases) -> LeadsView:
    table = tables.leads(report)
    keys = [column.key for column in table.columns]
    rows = [
        _lead_cells(lead, dict(zip(keys, row_texts(table, row, phrases), strict=True)), report)
        for lead, row in zip(report.leads, table.rows, strict=True)
    ]
    headings = ("page", "column.work", "column.sentences_paired", "column.band", "column.lead_state")
    return LeadsView(
        title=table_title(table, phrases),
        caution=tables.caution(report),
        counts=_table_view(report, tables.lead_counts(report), phrases),
        leads=TableView("leads", table_title(table, phrases), tuple(phrases[key] for key in headings),
                        (False,) * len(headings), tuple(rows)),
    )  # fmt: skip


def _lead_cells(lead: LeadRow, text: dict[str, str], report: Report) -> tuple[CellView, ...]:
    """Return the cells of a suspected rewrite in five columns, with details in smaller type.

    text: the cells of its row in the table of leads, by column key.
    """
    counts = {"pairs": lead.pairs, "sentences": lead.sentences, "in_order": lead.in_order}
    below = [text["chapter"] if lead.chapter_title else "", "" if report.scope.rights_holder else text["rights_holder"]]
    decided = f"{text['reviewer']} {text['decided_at']}" if lead.decided_at else ""
    return (
        CellView(text["page_title"], f"{text['page_url']} · {text['site']} · {text['found_at']}"),
        CellView(text["work"], " · ".join(filter(None, below))),
        CellView(Message("reworded.counterparts", **counts).in_language(report.scope.language), text["lead_class"]),
        CellView(text["band"], text["alarms"]),
        CellView(text["lead_state"], decided),
    )


def _small_figure(column: TableColumn, text: str, phrases: Phrases) -> str:
    return text if column.key == "hosts" else f"{column_label(column, phrases)} {text}"


def _case_groups(report: Report, phrases: Phrases) -> Iterator[CaseGroup]:
    table = tables.cases(report)
    rows = zip(report.cases, table.rows, strict=True)
    for state, members in groupby(rows, key=lambda pair: pair[0].state):
        cases = tuple(_case_view(table, row, report, phrases) for _, row in members)
        yield CaseGroup(state, f"{phrases['table.cases']} · {phrases.term(state)}", cases)


def _case_view(table: ReportTable, row: tuple[Cell, ...], report: Report, phrases: Phrases) -> CaseView:
    keys = [column.key for column in table.columns]
    text = dict(zip(keys, row_texts(table, row, phrases), strict=True))
    has = {key for key, value in zip(keys, row, strict=True) if value not in (None, "", ())}

    def lines(*wanted: str) -> tuple[tuple[str, str], ...]:
        return tuple((phrases[f"column.{key}"], text[key]) for key in wanted if key in has)

    named, unsigned = lines("page_poster", "page_author"), ((phrases["signature"], phrases["unsigned"]),)
    holder = () if report.scope.rights_holder else lines("rights_holder")
    return CaseView(
        number=text["case_id"],
        state=text["state"],
        history=(
            *lines("opened_at", "first_seen_at", "last_seen_at"),
            *lines("verdict", "reviewer", "decided_at", "allowed_as", "allowed_by"),
        ),
        page_title=text["page_title"],
        page_url=text["page_url"],
        page=(*lines("other_urls", "site", "host"), *(named or unsigned), *lines("page_published_at")),
        work_title=text["work"],
        work=(*holder, *lines("chapter", "match_class", "obfuscations")),
        figures=lines("similarity", "page_containment", "work_containment", "taken_chars", "matched_chars"),
        excerpt=text["excerpt"] if "excerpt" in has else "",
    )
