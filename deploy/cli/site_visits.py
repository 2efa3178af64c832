"""The verbs `site failures`, `site moves`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from deploy.cli.output import as_json, say, table
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from webadmin.models import Address, SiteMove

MAX_ROWS = 200


def register(group: typer.Typer) -> None:
    """Add the verbs to the group `site`."""
    group.command("failures")(failures)
    group.command("moves")(moves)


def failures(
    site: Annotated[str, typer.Argument(metavar="[SITE]", help="number, name, host or URL; all sites without")] = "",
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """List the addresses that could not be fetched, why, and when they are tried again."""
    with session() as settings:
        from webadmin import catalogue, revisits

        rows = revisits.failing(catalogue.find_site(site) if site.strip() else None)
        if is_json:
            as_json([_failure(row, settings) for row in rows])
            return
        shown = list(rows[:MAX_ROWS])
        table(
            ("site", "address", "times", "reason", "last", "again"),
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
            right=("times",),
        )
        if len(shown) == MAX_ROWS and (left := rows.count() - MAX_ROWS) > 0:
            say(f"and {left} more; all of them with --json")


def moves(
    accept: Annotated[int | None, typer.Option(metavar="N", help="the new host is the same site")] = None,
    refuse: Annotated[int | None, typer.Option(metavar="N", help="it is another site")] = None,
    is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """List the sites that may have moved to another host and what speaks for it; accept or refuse a move."""
    if accept is not None and refuse is not None:
        raise BadInput("accept a move or refuse it; give one of --accept and --refuse")
    with session() as settings:
        from webadmin import identity
        from webadmin.models import SiteMove

        if accept is not None or refuse is not None:
            _decide(identity.find_move(accept if accept is not None else refuse or 0), is_accepted=accept is not None)
            return
        found = list(SiteMove.objects.select_related("site", "other").order_by("-proposed_at", "-pk"))
        if is_json:
            as_json([_move(move, settings) for move in found])
            return
        table(
            ("move", "site", "from", "to", "state", "evidence", "proposed"),
            [
                (
                    move.pk,
                    move.site.name,
                    move.from_host,
                    move.to_host,
                    move.state,
                    _evidence(move.evidence),
                    local_time(move.proposed_at, settings),
                )
                for move in found
            ],
            right=("move",),
        )


def _decide(move: "SiteMove", *, is_accepted: bool) -> None:
    from webadmin import identity

    if is_accepted:
        identity.accept(move, None)
        say(f"{move.to_host} belongs to {move.site.name} now; its pages and cases stay, visits go on at {move.to_host}")
        return
    identity.refuse(move, None)
    say(f"{move.to_host} is another site than {move.site.name}; it is not proposed again")


def _failure(row: "Address", settings: Any) -> dict[str, Any]:
    return {
        "site": row.site.name,
        "url": row.url,
        "failures": row.failures,
        "reason": row.reason,
        "sentence": row.sentence,
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


def _evidence(found: dict[str, Any]) -> str:
    """In a few words; what was not found is not said."""
    told = []
    if found.get("start_pages_led"):
        told.append(f"start pages lead there: {found['start_pages_led']}")
    if found.get("pages_led"):
        told.append(f"pages lead there: {found['pages_led']} (same path: {found.get('same_place', 0)})")
    if found.get("shared_texts"):
        told.append(f"same texts: {found['shared_texts']}")
    if found.get("compared"):
        told.append(f"alike at the same path: {found.get('alike', 0)} of {found['compared']}")
    if found.get("template") is not None:
        told.append(f"template {found['template']:.2f}")
    return "; ".join(told)
