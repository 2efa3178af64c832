"""The `site effect` command."""

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from core.shares import format_percentage
from core.wording import Message
from webadmin.ui.console.days import parse_day
from webadmin.ui.console.lists import ConsoleColumn, as_record, print_list
from webadmin.ui.console.output import as_json, print_line
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.notices.services.removals.track_record import TrackRecord

_NONE = "–"
# Rows: the name and track record of an addressee. The rate is in [0, 1]. Times are in seconds in JSON, in days in
# tables.
_COLUMNS = (
    ConsoleColumn("name", "column.addressee", lambda row: row[0]),
    ConsoleColumn("notices", "column.notices", lambda row: row[1].notices),
    ConsoleColumn("pages", "column.pages", lambda row: row[1].pages),
    ConsoleColumn("removed", "column.removed", lambda row: row[1].removed),
    ConsoleColumn(
        "removal_rate", "column.removal-rate", lambda row: row[1].removal_rate, lambda row: _format_rate(row[1])
    ),
    ConsoleColumn(
        "median_removal_s",
        "column.days-to-removal",
        lambda row: _total_seconds(row[1].to_removal),
        lambda row: _days_or_none(row[1].days_to_removal),
    ),
    ConsoleColumn("back_again", "column.back-again", lambda row: row[1].returned),
    ConsoleColumn("answers", "column.answers", lambda row: row[1].answered),
    ConsoleColumn("refusals", "column.refusals", lambda row: row[1].refused),
    ConsoleColumn(
        "median_answer_s",
        "column.days-to-answer",
        lambda row: _total_seconds(row[1].to_answer),
        lambda row: _days_or_none(row[1].days_to_answer),
    ),
)


def effect(
    site: Annotated[str, typer.Argument(metavar="SITE")],
    since: Annotated[str, typer.Option(metavar="YYYY-MM-DD")] = "",
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Print the outcomes of the notices about a site, in total and for each addressee.

    --since: count only notices sent since this day.
    """
    first = parse_day("--since", since)
    with session() as settings:
        from webadmin.notices.services.removals import track_record
        from webadmin.sites.services import watchlist

        found = watchlist.find_site(site)
        zone = ZoneInfo(settings.web.time_zone)
        from_when = datetime.combine(first, time(), tzinfo=zone) if first else None
        total = track_record.site_record(found, from_when)
        rows = [(each.name, record) for each, record in track_record.records_per_addressee(found, from_when)]
        if is_json:
            addressees = [as_record(row, _COLUMNS, settings) for row in rows]
            as_json({"site": found.name, "since": since or None, **as_record(("", total), _COLUMNS[1:], settings),
                     "addressees": addressees})  # fmt: skip
        elif not total.notices:
            print_line(Message("removal.record-none"))
        else:
            print_list([(Message("removal.record-all"), total), *rows], _COLUMNS, settings, is_json=False)


def _format_rate(record: "TrackRecord") -> str:
    return _NONE if record.removal_rate is None else format_percentage(record.removal_rate)


def _total_seconds(passed: timedelta | None) -> float | None:
    return None if passed is None else passed.total_seconds()


def _days_or_none(days: int | None) -> object:
    return _NONE if days is None else days
