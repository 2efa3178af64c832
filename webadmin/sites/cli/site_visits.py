"""The commands `site failures` and `site moves`."""

from typing import Annotated, Any

import typer

from core.errors import BadInput
from core.wording import Message
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session

MAX_ROWS = 200
_FAILURES = (
    ConsoleColumn("site", "column.site", "site.name"),
    ConsoleColumn("url", "column.address", "url"),
    ConsoleColumn("failures", "column.times", "failures", is_number=True),
    ConsoleColumn("reason", "column.reason", "reason", lambda row: row.sentence or row.reason),
    ConsoleColumn("failed_at", "column.last", "failed_at", lambda row: row.failed_at or row.due_at),
    ConsoleColumn("due_at", "column.again", "due_at"),
    ConsoleColumn("sentence", "", lambda row: str(row.sentence or "")),
)
_MOVES = (
    ConsoleColumn("id", "column.move", "pk", is_number=True),
    ConsoleColumn("site", "column.site", "site.name"),
    ConsoleColumn("from_host", "column.from", "from_host"),
    ConsoleColumn("to_host", "column.to", "to_host"),
    ConsoleColumn("state", "column.state", "state", "get_state_display"),
    ConsoleColumn("evidence", "column.evidence", "evidence", lambda move: _describe_evidence(move.evidence)),
    ConsoleColumn("proposed_at", "column.proposed", "proposed_at"),
    ConsoleColumn("decided_at", "", "decided_at"),
    ConsoleColumn("watched_as", "", lambda move: move.other.name if move.other else None),
)


def failures(
    site: Annotated[str, typer.Argument(metavar="[SITE]")] = "",
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the URLs that could not be fetched, with the reason and the time of the next attempt."""
    with session() as settings:
        from webadmin.sites.services import visit_repository as revisits
        from webadmin.sites.services import watchlist

        rows = revisits.failing(watchlist.find_site(site) if site.strip() else None)
        shown = list(rows if is_json else rows[:MAX_ROWS])
        print_list(shown, _FAILURES, settings, is_json=is_json)
        if not is_json and len(shown) == MAX_ROWS and (left := rows.count() - MAX_ROWS) > 0:
            print_line(Message("tracking.more-failures", left=left))


def moves(
    accept: Annotated[int | None, typer.Option(metavar="N")] = None,
    refuse: Annotated[int | None, typer.Option(metavar="N")] = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """List the sites that may have moved to another host, with the evidence; accept or refuse a move."""
    if accept is not None and refuse is not None:
        raise BadInput("tracking.one-of-two")
    with session() as settings:
        from webadmin.sites.models import SiteMove
        from webadmin.sites.services import domain_changes as identity

        if accept is not None or refuse is not None:
            is_accepted = accept is not None
            move = identity.find_move(accept if accept is not None else refuse or 0)
            (identity.accept_move if is_accepted else identity.refuse_move)(move, None)
            decided = "tracking.accepted" if is_accepted else "tracking.refused"
            print_line(Message(decided, host=move.to_host, site=move.site.name))
            return
        found = SiteMove.objects.select_related("site", "other").order_by("-proposed_at", "-pk")
        print_list(found, _MOVES, settings, is_json=is_json)


def _describe_evidence(evidence: dict[str, Any]) -> Message:
    from webadmin.sites.services.domain_changes import describe_evidence

    return Message("tracking.several", states=describe_evidence(evidence))
