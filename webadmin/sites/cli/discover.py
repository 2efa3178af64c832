"""The `discover` command: searches for copies of works on unwatched sites."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput
from core.wording import Message
from webadmin.ui.console.faults import FAILED, complain
from webadmin.ui.console.output import as_json, print_fields, print_line, progress
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.sites.services.discovery_round import Discovered
    from webadmin.works.models import Work

_NAMES = {
    "queries": "column.queries",
    "results": "column.results",
    "fetched": "column.fetched",
    "proposed": "column.found",
}


def discover(
    works: Annotated[list[str] | None, typer.Argument(metavar="[WORK]...")] = None,
    queries_a_day: int | None = None,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Send distinctive sentences of works to the search endpoint (ZHUIWEN_SEARCH_URL), and compare the results."""
    with session() as settings:
        from webadmin.sites.models import DiscoveryPlan
        from webadmin.sites.services.discovery_round import discover as run_round
        from webadmin.stores import live
        from webadmin.works.services import catalogue

        chosen = [catalogue.find_work(key) for key in works or ()]
        _start_searching(chosen, queries_a_day)
        if not DiscoveryPlan.objects.filter(is_active=True).exists():
            raise BadInput("tracking.no-work")
        with progress(Message("tracking.discovering")) as meter:
            done = run_round(
                live(settings),
                settings,
                [work.pk for work in chosen] or None,
                lambda now: meter.text(
                    Message("tracking.discovered", queries=now.queries, results=now.results, proposed=now.proposed)
                ),
                max_round_s=24 * 3600.0,
            )
    _print_round(done, is_json)


def _print_round(done: "Discovered", is_json: bool) -> None:
    if done.stopped:
        complain(done.stopped)
    record = {name: getattr(done, name) for name in _NAMES}
    if is_json:
        as_json(record)
    elif not done.queries and not done.stopped:
        print_line(Message("tracking.nothing-sent"))
    else:
        print_fields([(_NAMES[name], str(value)) for name, value in record.items()])
        if done.proposed:
            print_line(Message("tracking.look-at"))
    if done.stopped:
        raise typer.Exit(FAILED)


def _start_searching(works: "list[Work]", queries_a_day: int | None) -> None:
    from django.core.exceptions import ValidationError

    from webadmin.sites.services import discovery

    for work in works:
        plan = discovery.get_or_create_plan(work)
        plan.is_active = True
        if queries_a_day is not None:
            plan.queries_a_day = queries_a_day
        try:
            plan.full_clean()
        except ValidationError as error:
            raise BadInput("tracking.bad-budget", count=queries_a_day, reason=error.messages[0]) from error
        plan.save()
