"""The `discover` command: searches for copies of works on unwatched sites, and accepts or dismisses the results."""

from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound
from core.settings import Settings
from core.wording import Message
from webadmin.ui.console.faults import FAILED, complain
from webadmin.ui.console.lists import ConsoleColumn, print_list, share_column
from webadmin.ui.console.output import as_json, print_fields, print_line, progress
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.sites.models import DiscoveredPage
    from webadmin.works.models import Work

MAX_LISTED = 200
_NAMES = {
    "queries": "column.queries",
    "results": "column.results",
    "fetched": "column.fetched",
    "proposed": "column.found",
}


def discover(  # noqa: PLR0917 - options of a command
    works: Annotated[list[str] | None, typer.Argument(metavar="[WORK]...")] = None,
    queries_a_day: int | None = None,
    accept: Annotated[list[int] | None, typer.Option(metavar="PAGE")] = None,
    dismiss: Annotated[list[int] | None, typer.Option(metavar="PAGE")] = None,
    is_list: Annotated[bool, typer.Option("--list")] = False,
    is_log: Annotated[bool, typer.Option("--log")] = False,
    stop: Annotated[bool, typer.Option("--stop")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Send distinctive sentences of works to the search endpoint (ZHUIWEN_SEARCH_URL) and compare the results."""
    with session() as settings:
        chosen = _find_works(works or ())
        if accept or dismiss:
            _settle_proposals(accept or [], dismiss or [], settings)
        elif is_list:
            _show_found(chosen, settings, is_json)
        elif is_log:
            _show_log(chosen, settings, is_json)
        elif stop:
            _stop_searching(chosen)
        else:
            _search_works(chosen, queries_a_day, settings, is_json)


def _find_works(keys: "list[str] | tuple[()]") -> "list[Work]":
    from webadmin.works.services import catalogue

    return [catalogue.find_work(key) for key in keys]


def _search_works(works: "list[Work]", queries_a_day: int | None, settings: Settings, is_json: bool) -> None:
    from webadmin.sites.models import DiscoveryPlan
    from webadmin.sites.services.discovery_round import discover as run_round
    from webadmin.stores import live

    _start_searching(works, queries_a_day)
    if not DiscoveryPlan.objects.filter(is_active=True).exists():
        raise BadInput("tracking.no-work")
    keys = [work.pk for work in works] or None
    with progress(Message("tracking.discovering")) as meter:
        done = run_round(
            live(settings),
            settings,
            keys,
            lambda now: meter.text(
                Message("tracking.discovered", queries=now.queries, results=now.results, proposed=now.proposed)
            ),
            max_round_s=24 * 3600.0,
        )
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


def _stop_searching(works: "list[Work]") -> None:
    from webadmin.sites.models import DiscoveryPlan

    if not works:
        raise BadInput("tracking.name-works")
    stopped = DiscoveryPlan.objects.filter(work__in=works).update(is_active=False)
    print_line(Message("tracking.stopped", count=stopped))


def _settle_proposals(accepted: list[int], dismissed: list[int], settings: Settings) -> None:
    from django.utils import timezone

    from webadmin.sites.services import discovery
    from webadmin.sites.services.discovery_round import crawl_accepted
    from webadmin.stores import live

    for key in accepted:
        page = _find_page(key)
        if page.state == page.State.ACCEPTED:
            print_line(Message("tracking.watched-already", host=page.host))
            continue
        site = discovery.accept_proposal(page, discovery.BY_COMMAND_LINE, timezone.now())
        crawl_accepted(site, live(settings))
        print_line(Message("tracking.accepted-page", id=site.pk, site=site.name))
    for key in dismissed:
        discovery.dismiss_proposal(_find_page(key), discovery.BY_COMMAND_LINE, timezone.now())
        print_line(Message("tracking.dismissed", page=key))


def _find_page(key: int) -> "DiscoveredPage":
    from webadmin.sites.models import DiscoveredPage

    page = DiscoveredPage.objects.select_related("work__rights_holder").filter(pk=key).first()
    if page is None:
        raise NotFound("found-page", key)
    return page


def _show_found(works: "list[Work]", settings: Settings, is_json: bool) -> None:
    from webadmin.sites.models import DiscoveredPage

    pages = DiscoveredPage.objects.select_related("work")
    pages = pages.filter(work__in=works) if works else pages
    print_list(pages.order_by("-matched_chars", "pk")[:MAX_LISTED], _PAGES, settings, is_json=is_json)


_PAGES = (
    ConsoleColumn("id", "column.id", "pk", is_number=True),
    ConsoleColumn("state", "column.state", "state", "get_state_display"),
    ConsoleColumn("work_title", "column.work", "work.title"),
    ConsoleColumn("matched_chars", "column.characters", "matched_chars", is_number=True),
    share_column("similarity", "column.similarity", "similarity"),
    ConsoleColumn("url", "column.address", "url"),
    ConsoleColumn("work", "", "work_id"),
    ConsoleColumn("title", "", "title"),
    ConsoleColumn("class", "", "match_class"),
    ConsoleColumn("excerpt", "", "excerpt"),
    ConsoleColumn("fault", "", lambda page: str(page.fault or "")),
    ConsoleColumn("found_at", "", "found_at"),
    ConsoleColumn("decided_by", "", "decided_by"),
    ConsoleColumn("site", "", "site_id"),
)


def _show_log(works: "list[Work]", settings: Settings, is_json: bool) -> None:
    from webadmin.sites.models import DiscoveryQuery

    queries = DiscoveryQuery.objects.select_related("work")
    queries = queries.filter(work__in=works) if works else queries
    print_list(queries[:MAX_LISTED], _QUERIES, settings, is_json=is_json)


_QUERIES = (
    ConsoleColumn("asked_at", "column.asked-at", "asked_at"),
    ConsoleColumn("work", "column.work", "work_id", "work.title"),
    ConsoleColumn("sentence", "column.sentence", "sentence"),
    ConsoleColumn("state", "column.state", "state", "get_state_display"),
    ConsoleColumn("results", "column.results", "results", is_number=True),
    ConsoleColumn("fault", "column.fault", lambda query: str(query.fault or ""), "fault"),
    ConsoleColumn("chapter", "", "chapter_number"),
    ConsoleColumn("left_out", "", "left_out"),
)
