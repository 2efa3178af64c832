"""The verbs `site failures`, `site moves`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from core.wording import Message
from deploy.cli.output import as_json, say, table
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from records.models import Address, SiteMove

MAX_ROWS = 200
_MOVE_COLUMNS = (
    "column.move",
    "column.site",
    "column.from",
    "column.to",
    "column.state",
    "column.evidence",
    "column.proposed",
)


def failures(
    site: Annotated[str, typer.Argument(metavar="[SITE]")] = "",
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the addresses that could not be fetched, why, and when they are tried again."""
    with session() as settings:
        from records.sites import visit_repository as revisits
        from records.works import catalogue

        rows = revisits.failing(catalogue.find_site(site) if site.strip() else None)
        if is_json:
            as_json([_failure(row, settings) for row in rows])
            return
        shown = list(rows[:MAX_ROWS])
        table(
            ("column.site", "column.address", "column.times", "column.reason", "column.last", "column.again"),
            [
                (
                    row.site.name,
                    row.url,
                    row.failures,
                    row.sentence or row.reason,
                    local_time(row.failed_at or row.due_at, settings),
                    local_time(row.due_at, settings),
                )
                for row in shown
            ],
            right=("column.times",),
        )
        if len(shown) == MAX_ROWS and (left := rows.count() - MAX_ROWS) > 0:
            say(Message("tracking.more-failures", left=left))


def moves(
    accept: Annotated[int | None, typer.Option(metavar="N")] = None,
    refuse: Annotated[int | None, typer.Option(metavar="N")] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the sites that may have moved to another host and what speaks for it; accept or refuse a move."""
    if accept is not None and refuse is not None:
        raise BadInput("tracking.one-of-two")
    with session() as settings:
        from records.models import SiteMove
        from records.sites import domain_changes as identity

        if accept is not None or refuse is not None:
            _decide(identity.find_move(accept if accept is not None else refuse or 0), is_accepted=accept is not None)
            return
        found = list(SiteMove.objects.select_related("site", "other").order_by("-proposed_at", "-pk"))
        if is_json:
            as_json([_move(move, settings) for move in found])
            return
        table(
            _MOVE_COLUMNS,
            [
                (
                    move.pk,
                    move.site.name,
                    move.from_host,
                    move.to_host,
                    move.get_state_display(),
                    _evidence(move.evidence),
                    local_time(move.proposed_at, settings),
                )
                for move in found
            ],
            right=("column.move",),
        )


def _decide(move: "SiteMove", *, is_accepted: bool) -> None:
    from records.sites import domain_changes as identity

    if is_accepted:
        identity.accept(move, None)
        say(Message("tracking.accepted", host=move.to_host, site=move.site.name))
        return
    identity.refuse(move, None)
    say(Message("tracking.refused", host=move.to_host, site=move.site.name))


def _failure(row: "Address", settings: Any) -> dict[str, Any]:
    return {
        "site": row.site.name,
        "url": row.url,
        "failures": row.failures,
        "reason": row.reason,
        "sentence": str(row.sentence or ""),
        "failed_at": local_iso(row.failed_at, settings),
        "due_at": local_iso(row.due_at, settings),
    }


def _move(move: "SiteMove", settings: Any) -> dict[str, Any]:
    return {
        "id": move.pk,
        "site": move.site.name,
        "from_host": move.from_host,
        "to_host": move.to_host,
        "watched_as": move.other.name if move.other else None,
        "state": move.state,
        "evidence": move.evidence,
        "proposed_at": local_iso(move.proposed_at, settings),
        "decided_at": local_iso(move.decided_at, settings),
    }


def _evidence(found: dict[str, Any]) -> Message:
    """In a few words; what was not found is not said."""
    told = []
    if count := found.get("start_pages_led"):
        told.append(Message("tracking.start-pages-led", count=count))
    if count := found.get("pages_led"):
        told.append(Message("tracking.pages-led", count=count, same=found.get("same_place", 0)))
    if count := found.get("shared_texts"):
        told.append(Message("tracking.shared-texts", count=count))
    if compared := found.get("compared"):
        told.append(Message("tracking.alike", alike=found.get("alike", 0), compared=compared))
    if (value := found.get("template")) is not None:
        told.append(Message("tracking.template", value=value))
    return Message("tracking.several", states=told)
