"""A report as figures and tables: the one place that decides what is shown and how it is rounded.

Every format renders these, so a figure cannot differ from one format to the next. A cell holds a plain value, an
enumeration's member (which a format writes as its name or its phrase), or None where there is nothing to say.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import cast

from analytics.figures import StateCounts
from analytics.records import CaseRow, LeadRow
from analytics.report import Report
from core.plain_text import clean_line
from core.shares import cut_share
from core.wording import Message, has_words

Cell = str | int | float | date | datetime | StrEnum | tuple[StrEnum, ...] | None

HOUR_DECIMALS = 1
MAX_TITLE_CHARS = 200  # of a page; what stands behind it is stuffing for search engines


class Kind(StrEnum):
    """What a cell holds, hence how it is written."""

    TEXT = "text"
    URL = "url"
    TERM = "term"  # a member of an enumeration
    TERMS = "terms"
    COUNT = "count"
    SHARE = "share"  # 0 to 1, cut (core.shares)
    HOURS = "hours"  # one decimal
    DAY = "day"
    MOMENT = "moment"  # in the user's zone


@dataclass(frozen=True, slots=True)
class Figure:
    """One value with a name."""

    key: str
    kind: Kind
    value: Cell


@dataclass(frozen=True, slots=True)
class Column:
    key: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells in the order of `columns`."""

    key: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> Iterable[dict[str, Cell]]:
        """Each row with its columns' keys."""
        keys = [column.key for column in self.columns]
        return (dict(zip(keys, row, strict=True)) for row in self.rows)


def scope_figures(report: Report) -> tuple[Figure, ...]:
    """Name what the report covers."""
    scope = report.scope
    return (
        Figure("rights_holder", Kind.TEXT, clean_line(scope.rights_holder) or None),
        Figure("since", Kind.DAY, scope.since),
        Figure("until", Kind.DAY, scope.until),
        Figure("works", Kind.TEXT, clean_line("、".join(scope.works)) or None),
        Figure("sites", Kind.TEXT, clean_line("、".join(scope.sites)) or None),
        Figure("time_zone", Kind.TEXT, scope.time_zone),
        Figure("generated_at", Kind.MOMENT, _moment(report, scope.generated_at)),
    )


def summary_figures(report: Report) -> tuple[Figure, ...]:
    """List the figures of the whole report."""
    totals = report.totals
    return (
        Figure("pages_checked", Kind.COUNT, totals.pages_checked),
        Figure("new_versions", Kind.COUNT, totals.new_versions),
        Figure("opened", Kind.COUNT, totals.cases.opened),
        Figure("confirmed", Kind.COUNT, totals.cases.confirmed),
        Figure("dismissed", Kind.COUNT, totals.cases.dismissed),
        Figure("open", Kind.COUNT, totals.cases.open),
        Figure("set_aside", Kind.COUNT, totals.cases.set_aside),
        Figure("precision", Kind.SHARE, _share(totals.precision)),
        Figure("median_hours_to_verdict", Kind.HOURS, _hours(totals.median_hours_to_verdict)),
        Figure("sites_with_copies", Kind.COUNT, totals.sites_with_copies),
        Figure("works_copied", Kind.COUNT, totals.works_copied),
        Figure("chars_taken", Kind.COUNT, totals.chars_taken),
        Figure("chars_on_pages", Kind.COUNT, totals.chars_on_pages),
        Figure("excluded", Kind.COUNT, totals.excluded),
        Figure("crawl_runs", Kind.COUNT, totals.crawl_runs),
        Figure("pages_fetched", Kind.COUNT, totals.pages_fetched),
        Figure("pages_failed", Kind.COUNT, totals.pages_failed),
    )


def measure_tables(report: Report) -> tuple[Table, ...]:
    """Every table but the cases, in the order in which a reader wants them."""
    return (
        sites(report),
        works(report),
        _count_table("classes", "match_class", report.classes),
        _count_table("obfuscations", "obfuscation", report.obfuscations),
        Table("verdicts", (Column("verdict", Kind.TERM), Column("cases", Kind.COUNT)), report.verdicts),
        exclusions(report),
        crawls(report),
        days(report),
    )


def sites(report: Report) -> Table:
    columns = (
        Column("site", Kind.TEXT), Column("hosts", Kind.TEXT), *_counts("pages_checked", "new_versions"), *_STATES,
        *_counts("works_copied", "chars_taken", "chars_on_pages", "excluded"),
    )  # fmt: skip
    rows = tuple(
        (clean_line(site.name), clean_line("、".join(site.hosts)), site.pages_checked, site.new_versions,
         *_states(site.cases), site.works_copied, site.chars_taken, site.chars_on_pages, site.excluded)
        for site in report.sites
    )  # fmt: skip
    return Table("sites", columns, rows)


def works(report: Report) -> Table:
    columns = (
        Column("work", Kind.TEXT), Column("rights_holder", Kind.TEXT), Column("work_chars", Kind.COUNT), *_STATES,
        *_counts("sites_with_copies", "chars_taken"), Column("share_taken", Kind.SHARE), *_counts("chars_on_pages"),
        Column("largest_share", Kind.SHARE),
    )  # fmt: skip
    rows = tuple(
        (clean_line(work.title), clean_line(work.rights_holder), work.work_chars, *_states(work.cases), work.sites,
         work.chars_taken, _share(work.share_taken), work.chars_on_pages, _share(work.largest_share))
        for work in report.works
    )  # fmt: skip
    return Table("works", columns, rows)


def exclusions(report: Report) -> Table:
    """Name for each reason what is counted under it: findings, page versions, or responses of a crawl."""
    columns = (Column("reason", Kind.TERM), Column("left_out", Kind.TERM), Column("count", Kind.COUNT))
    return Table("exclusions", columns, tuple((reason, reason.leaves_out, n) for reason, n in report.exclusions))


def days(report: Report) -> Table:
    columns = (Column("day", Kind.DAY), *_counts("pages_checked", "new_versions"), *_STATES)
    rows = tuple((day.day, day.pages_checked, day.new_versions, *_states(day.cases)) for day in report.days)
    return Table("days", columns, rows)


def crawls(report: Report) -> Table:
    keys = ("crawl_runs", "runs_finished", "runs_failed", "runs_missed", "pages_fetched", "pages_failed")
    rows = tuple(
        (clean_line(row.site), row.runs, row.finished, row.failed, row.missed, row.pages_fetched, row.pages_failed)
        for row in report.crawls
    )
    return Table("crawls", (Column("site", Kind.TEXT), *_counts(*keys)), rows)


_CASE_COLUMNS = (
    Column("case_id", Kind.COUNT),
    Column("state", Kind.TERM),
    Column("verdict", Kind.TERM),
    Column("reviewer", Kind.TEXT),
    Column("decided_at", Kind.MOMENT),
    Column("allowed_as", Kind.TERM),
    Column("allowed_by", Kind.TEXT),
    Column("rights_holder", Kind.TEXT),
    Column("work", Kind.TEXT),
    Column("chapter", Kind.TEXT),
    Column("site", Kind.TEXT),
    Column("host", Kind.TEXT),
    Column("page_title", Kind.TEXT),
    Column("page_poster", Kind.TEXT),
    Column("page_author", Kind.TEXT),
    Column("page_published_at", Kind.MOMENT),
    Column("page_url", Kind.URL),
    Column("other_urls", Kind.TEXT),
    Column("match_class", Kind.TERM),
    Column("similarity", Kind.SHARE),
    Column("page_containment", Kind.SHARE),
    Column("work_containment", Kind.SHARE),
    Column("taken_chars", Kind.COUNT),
    Column("matched_chars", Kind.COUNT),
    Column("obfuscations", Kind.TERMS),
    Column("opened_at", Kind.MOMENT),
    Column("first_seen_at", Kind.MOMENT),
    Column("last_seen_at", Kind.MOMENT),
    Column("excerpt", Kind.TEXT),
)


def cases(report: Report) -> Table:
    """List the cases, in the report's order."""
    rows = (tuple(_cell(report, case, column) for column in _CASE_COLUMNS) for case in report.cases)
    return Table("cases", _CASE_COLUMNS, tuple(rows))


_LEAD_COLUMNS = (
    Column("lead_id", Kind.COUNT),
    Column("lead_class", Kind.TERM),
    Column("lead_state", Kind.TERM),
    Column("reviewer", Kind.TEXT),
    Column("decided_at", Kind.MOMENT),
    Column("rights_holder", Kind.TEXT),
    Column("work", Kind.TEXT),
    Column("chapter", Kind.TEXT),
    Column("site", Kind.TEXT),
    Column("page_title", Kind.TEXT),
    Column("page_url", Kind.URL),
    Column("sentences_paired", Kind.COUNT),
    Column("sentences", Kind.COUNT),
    Column("sentences_in_order", Kind.COUNT),
    Column("band", Kind.TEXT),
    Column("alarms", Kind.TEXT),
    Column("found_at", Kind.MOMENT),
)


def lead_counts(report: Report) -> Table:
    """Leads of the period by class and state."""
    columns = (Column("lead_class", Kind.TERM), *_counts("leads_waiting", "leads_confirmed", "leads_dismissed"))
    return Table("lead_counts", columns, tuple((found, *counts) for found, counts in report.lead_counts))


def leads(report: Report) -> Table:
    """List the leads, which are no cases."""
    rows = (tuple(_cell(report, lead, column) for column in _LEAD_COLUMNS) for lead in report.leads)
    return Table("leads", _LEAD_COLUMNS, tuple(rows))


def caution(report: Report) -> str:
    """What stands above all leads."""
    return Message("reworded.caution").in_language(report.scope.language)


# Columns that are called otherwise than the field that they show.
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


def _cell(report: Report, row: CaseRow | LeadRow, column: Column) -> Cell:
    """Return the value of a case or a lead in a column."""
    if isinstance(row, LeadRow) and column.key in ("band", "alarms"):
        return _band(report, row) if column.key == "band" else _alarms(report, row)
    value = getattr(row, _FIELDS.get(column.key, column.key))
    match column.kind:
        case Kind.MOMENT:
            return _moment(report, value)
        case Kind.SHARE:
            return _share(value)
        case Kind.TEXT | Kind.URL:
            text = " ; ".join(value) if isinstance(value, tuple) else value
            return clean_line(text, MAX_TITLE_CHARS) if column.key in _CUT else clean_line(text)
    return cast("Cell", value)


def _band(report: Report, lead: LeadRow) -> str:
    words = Message(code) if has_words(code := f"reworded-band.{lead.band}") else None
    return words.in_language(report.scope.language) if words else clean_line(lead.band)


def _alarms(report: Report, lead: LeadRow) -> str | None:
    if lead.passages is None:
        return None
    return Message("reworded.band", alarms=lead.alarms or 0, passages=lead.passages).in_language(report.scope.language)


def _counts(*keys: str) -> tuple[Column, ...]:
    return tuple(Column(key, Kind.COUNT) for key in keys)


_STATES = _counts("opened", "confirmed", "dismissed", "open", "set_aside")


def _states(counts: StateCounts) -> tuple[int, int, int, int, int]:
    return counts.opened, counts.confirmed, counts.dismissed, counts.open, counts.set_aside


def _count_table(key: str, column: str, pairs: Iterable[tuple[StrEnum, StateCounts]]) -> Table:
    rows = tuple((member, *_states(counts)) for member, counts in pairs)
    return Table(key, (Column(column, Kind.TERM), *_STATES), rows)


def _share(value: float | None) -> float | None:
    return None if value is None else cut_share(value)


def _hours(value: float | None) -> float | None:
    return None if value is None else round(value, HOUR_DECIMALS)


def _moment(report: Report, moment: datetime | None) -> datetime | None:
    return None if moment is None else report.scope.local(moment).replace(microsecond=0)
