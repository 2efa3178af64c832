"""The `crawl` command, which requests crawls of sites and can wait for their end."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound, ServiceUnavailable
from core.messages import CrawlRequested
from core.wording import Message
from crawler.stats import NEEDS_BROWSER, NEEDS_OCR, REPEATED_TEXTS
from deploy.crawl_waiting import wait_for_runs
from webadmin.ui.console.faults import FAILED, USAGE, complain, full_disk, of_a_full_disk
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.sites.models import CrawlRun, Site


def crawl(
    sites: Annotated[list[str] | None, typer.Argument(metavar="SITE|URL...")] = None,
    due: Annotated[bool, typer.Option("--due")] = False,
    wait: Annotated[bool, typer.Option("--wait")] = False,
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Request crawls of sites from the services; `zhuiwen site list` lists the sites."""
    if bool(sites) == due:
        raise BadInput("tracking.name-sites")
    with session() as settings:
        runs, has_fault = _requested_runs(sites or (), due, err=is_json)
        if not runs and due and not has_fault:
            print_line(Message("tracking.none-due"), err=is_json)
        ok = True
        if wait and runs:
            runs = wait_for_runs(runs, settings)
            ok = _went_well(runs)
        if is_json or (wait and runs):
            print_list(runs, _COLUMNS, settings, is_json=is_json)
        if not is_json and wait:
            for missing in dict.fromkeys(fault for run in runs for fault in _left_out(run)):
                print_line(missing)
    if has_fault:
        raise typer.Exit(USAGE)
    if not ok:
        raise typer.Exit(FAILED)


def _requested_runs(keys: Sequence[str], due: bool, *, err: bool) -> "tuple[list[CrawlRun], bool]":
    """Request runs of sites, and return these or the live runs, and whether a run could not be requested.

    keys: names or URLs of sites. due: whether to request all runs that are due. err: whether to print messages on
    stderr.
    """
    from django.utils import timezone

    from webadmin.sites.models import CrawlRun
    from webadmin.sites.services import runs as crawls

    runs: list[CrawlRun] = []
    has_fault = False
    for key in keys:
        try:
            runs.append(_request_run(_find_site(key), CrawlRun.Trigger.PERSON, err=err))
        except BadInput as fault:
            complain(fault)
            has_fault = True
    if due:
        runs += [_request_run(site, CrawlRun.Trigger.SCHEDULE, err=err) for site in crawls.due_sites(timezone.now())]
    return runs, has_fault


def _find_site(key: str) -> "Site":
    from webadmin.sites.services import watchlist

    try:
        return watchlist.find_site(key)
    except NotFound as error:
        added = Message("tracking.add-url", url=key if "://" in key else "URL")
        raise BadInput("tracking.add-it", fault=error, command=added) from error


def _request_run(site: "Site", trigger: str, *, err: bool) -> "CrawlRun":
    from webadmin import stores
    from webadmin.sites.services import runs as crawls

    try:
        run = crawls.request_run(site, trigger=trigger)
    except crawls.AlreadyRunning as error:
        live = crawls.live_run(site)
        if live is None:
            raise
        print_line(error, err=err)
        return live
    try:
        stores.outbox().send(CrawlRequested(run.pk))
    except ServiceUnavailable as error:
        # The run remains queued, and the scheduler starts it once the broker is back.
        complain(of_a_full_disk(error, os.environ) or error)
    print_line(Message("tracking.crawling", site=site.name, run=run.pk), err=err)
    return run


def _went_well(runs: "Sequence[CrawlRun]") -> bool:
    """Return whether all runs finished. If not, and if a disk is full, print a message on it."""
    is_ok = all(run.state == run.State.FINISHED for run in runs)
    if not is_ok and (told := full_disk(os.environ)):
        complain(told)
    return is_ok


def _new_cases(run: "CrawlRun") -> int:
    from webadmin.cases.models import Case

    return Case.objects.filter(page__site=run.site_id, opened_at__gte=run.started_at or run.due_at).count()


def _left_out(run: "CrawlRun") -> "Sequence[Message]":
    from webadmin.sites.services import runs as crawls

    return crawls.left_out_messages(run)


def _left_out_sentence(run: "CrawlRun", code: str) -> str | None:
    """Return the sentence on the pages that a run left out for the reason `code`, or None if there are none."""
    return next((str(fault) for fault in _left_out(run) if fault.code == code), None)


_COLUMNS = (
    ConsoleColumn("site", "column.site", lambda run: {"id": run.site_id, "name": run.site.name}, "site.name"),
    ConsoleColumn("state", "column.state", "state", "get_state_display"),
    ConsoleColumn("fetched", "column.fetched", "pages_fetched", is_number=True),
    ConsoleColumn("kept", "column.kept", "pages_stored", is_number=True),
    ConsoleColumn("new", "column.new", "new_versions", is_number=True),
    ConsoleColumn("failed", "column.failed", "failed_requests", is_number=True),
    ConsoleColumn("new_cases", "column.new-cases", _new_cases, is_number=True),
    ConsoleColumn(
        "ended_because",
        "column.ended-because",
        lambda run: run.finish_reason and str(run.finish_reason),
        lambda run: run.finish_reason or "",
    ),
    ConsoleColumn("run", "", "pk"),
    ConsoleColumn("needs_browser", "", lambda run: _left_out_sentence(run, NEEDS_BROWSER)),
    ConsoleColumn("needs_ocr", "", lambda run: _left_out_sentence(run, NEEDS_OCR)),
    ConsoleColumn("repeated_texts", "", lambda run: _left_out_sentence(run, REPEATED_TEXTS)),
)
