"""A report as a person reads it: words in one language, laid out for a page. PDF and HTML draw this and no more."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from analytics import tables
from analytics.figures import SiteMeasures, StateCounts
from analytics.phrases import Phrases
from analytics.plain_text import shown
from analytics.report import Report
from analytics.tables import Cell, Kind, Table
from analytics.wording import column_label, row_texts, scope_lines, summary_lines, table_title
from core.states import CaseState

NOTES = ("note.counting", "note.shares", "note.text")
_NUMERIC = frozenset({Kind.COUNT, Kind.SHARE, Kind.HOURS})


@dataclass(frozen=True, slots=True)
class ReadCell:
    """What stands in a cell; `small` stands below it in lesser type."""

    text: str
    small: str = ""


@dataclass(frozen=True, slots=True)
class ReadTable:
    key: str
    title: str
    headings: tuple[str, ...]
    is_numeric: tuple[bool, ...]  # for each column
    rows: tuple[tuple[ReadCell, ...], ...]


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart, in three stacked parts."""

    label: str
    confirmed: int
    open: int
    dismissed: int


@dataclass(frozen=True, slots=True)
class ReadCase:
    """One case: lines of (label, text), grouped as they stand in its row."""

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
    cases: tuple[ReadCase, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """All that is drawn. `parts`: the names of a bar's three parts."""

    phrases: Phrases
    scope: tuple[tuple[str, str], ...]
    notice: str
    summary: tuple[tuple[str, str], ...]
    parts: tuple[str, str, str]
    top_sites: tuple[Bar, ...]
    days: tuple[Bar, ...]
    tables: tuple[ReadTable, ...]
    groups: tuple[CaseGroup, ...]
    notes: tuple[str, ...]


def read(report: Report) -> Reading:
    """Lay a report out in the language of its scope."""
    phrases = Phrases(report.scope.language)
    return Reading(
        phrases=phrases,
        scope=tuple(scope_lines(tables.scope_figures(report), phrases)),
        notice=phrases.term(report.notice) if report.notice else "",
        summary=tuple(summary_lines(tables.summary_figures(report), phrases)),
        parts=(phrases["state.confirmed"], phrases["state.open"], phrases["state.dismissed"]),
        top_sites=tuple(_bar(name, site.cases) for name, site in _top_sites(report)),
        days=tuple(_bar(day.day.isoformat(), day.cases) for day in report.days),
        tables=tuple(_read_table(report, table, phrases) for table in tables.measure_tables(report)),
        groups=tuple(_groups(report, phrases)),
        notes=tuple(phrases[note] for note in NOTES),
    )


def _top_sites(report: Report) -> Iterator[tuple[str, SiteMeasures]]:
    return ((shown(site.name), site) for site in report.top_sites)


def _bar(label: str, counts: StateCounts) -> Bar:
    return Bar(label, counts.confirmed, counts.open, counts.dismissed)


def _read_table(report: Report, table: Table, phrases: Phrases) -> ReadTable:
    """Join hosts to their site, and leave out the column of rights holders where the report has one."""
    dropped = {"hosts"} | ({"rights_holder"} if report.scope.rights_holder else set())
    kept = [n for n, column in enumerate(table.columns) if column.key not in dropped]
    hosts = next((n for n, column in enumerate(table.columns) if column.key == "hosts"), None)
    rows = []
    for row in table.rows:
        texts = row_texts(table, row, phrases)
        small = texts[hosts] if hosts is not None and row[hosts] else ""
        rows.append(tuple(ReadCell(texts[n], small if n == 0 else "") for n in kept))
    return ReadTable(
        key=table.key,
        title=table_title(table, phrases),
        headings=tuple(column_label(table.columns[n], phrases) for n in kept),
        is_numeric=tuple(table.columns[n].kind in _NUMERIC for n in kept),
        rows=tuple(rows),
    )


def _groups(report: Report, phrases: Phrases) -> Iterator[CaseGroup]:
    table = tables.cases(report)
    rows = zip(report.cases, table.rows, strict=True)
    for state, members in groupby(rows, key=lambda pair: pair[0].state):
        cases = tuple(_read_case(table, row, report, phrases) for _, row in members)
        yield CaseGroup(state, f"{phrases['table.cases']} · {phrases.term(state)}", cases)


def _read_case(table: Table, row: tuple[Cell, ...], report: Report, phrases: Phrases) -> ReadCase:
    keys = [column.key for column in table.columns]
    text = dict(zip(keys, row_texts(table, row, phrases), strict=True))
    has = {key for key, value in zip(keys, row, strict=True) if value not in (None, "", ())}

    def lines(*wanted: str) -> tuple[tuple[str, str], ...]:
        return tuple((phrases[f"column.{key}"], text[key]) for key in wanted if key in has)

    holder = () if report.scope.rights_holder else lines("rights_holder")
    return ReadCase(
        number=text["case_id"],
        state=text["state"],
        history=(*lines("opened_at", "last_seen_at"), *lines("verdict", "reviewer", "decided_at")),
        page_title=text["page_title"],
        page_url=text["page_url"],
        page=lines("site", "host"),
        work_title=text["work"],
        work=(*holder, *lines("chapter", "match_class", "disguises")),
        figures=lines("similarity", "page_containment", "work_containment", "matched_chars"),
        excerpt=text["excerpt"] if "excerpt" in has else "",
    )
