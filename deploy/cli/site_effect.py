"""The verb `site effect`."""

from datetime import datetime, time
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from core.shares import percentage
from core.wording import Message
from deploy.cli.output import as_json, say, table
from deploy.cli.report import day_of
from deploy.cli.session import session

if TYPE_CHECKING:
    from records.removals.track_record import Record

_COLUMNS = (
    *("column.addressee", "column.notices", "column.pages", "column.removed", "column.removal-rate"),
    *("column.days-to-removal", "column.back-again", "column.answers", "column.refusals", "column.days-to-answer"),
)
_NONE = "–"


def effect(
    site: Annotated[str, typer.Argument(metavar="SITE")],
    since: Annotated[str, typer.Option(metavar="YYYY-MM-DD")] = "",
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show what the notices about a site have come to, of each addressee and together."""
    first = day_of("--since", since)
    with session() as settings:
        from records.removals import track_record
        from records.works import catalogue

        found = catalogue.find_site(site)
        zone = ZoneInfo(settings.web.time_zone)
        from_when = datetime.combine(first, time(), tzinfo=zone) if first else None
        total = track_record.of_site(found, from_when)
        rows = [(each.name, record) for each, record in track_record.by_addressee(found, from_when)]
        if is_json:
            addressees = [{"name": name, **_record(record)} for name, record in rows]
            as_json({"site": found.name, "since": since or None, **_record(total), "addressees": addressees})
        elif not total.notices:
            say(Message("removal.record-none"))
        else:
            table(
                _COLUMNS, [_row(Message("removal.record-all"), total), *(_row(name, record) for name, record in rows)]
            )


def _row(name: str | Message, record: "Record") -> tuple[object, ...]:
    rate = record.removal_rate
    return (
        *(name, record.notices, record.pages, record.removed, _NONE if rate is None else percentage(rate)),
        *(_or_none(record.days_to_removal), record.returned, record.answered, record.refused),
        _or_none(record.days_to_answer),
    )


def _record(record: "Record") -> dict[str, Any]:
    """Figures for programs: counts, the rate in [0, 1], times in seconds."""
    return {
        "notices": record.notices,
        "pages": record.pages,
        "removed": record.removed,
        "removal_rate": record.removal_rate,
        "median_removal_s": record.to_removal.total_seconds() if record.to_removal is not None else None,
        "back_again": record.returned,
        "answers": record.answered,
        "refusals": record.refused,
        "median_answer_s": record.to_answer.total_seconds() if record.to_answer is not None else None,
    }


def _or_none(days: int | None) -> object:
    return _NONE if days is None else days
