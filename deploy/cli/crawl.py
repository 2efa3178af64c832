"""The verb `crawl`: ask for runs, and wait for them where asked to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import BadInput, NotFound, ServiceUnavailable
from core.messages import CrawlRequested
from core.settings import Settings
from deploy.cli.crawl_waiting import wait_for_runs
from deploy.cli.faults import FAILED, USAGE, complain
from deploy.cli.output import say, table
from deploy.cli.session import session

if TYPE_CHECKING:
    from webadmin.models import CrawlRun, Site


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command("crawl")(crawl)


def crawl(
    sites: Annotated[list[str] | None, typer.Argument(metavar="SITE|URL...", help="number, name, host or URL")] = None,
    due: Annotated[bool, typer.Option("--due", help="every site that the schedule owes a crawl")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="until the crawls have ended and their pages are compared")
    ] = False,
    join: Annotated[
        bool, typer.Option("--join", help="help with the crawl of SITE that runs elsewhere, in a process here")
    ] = False,
) -> None:
    """Crawl sites now. The services do it; see `zhuiwen site list` for the sites."""
    if join:
        _join(sites or (), due or wait)
        return
    if bool(sites) == due:
        raise BadInput("name the sites to crawl, or give --due for those that the schedule owes")
    with session() as settings:
        runs, has_fault = _requested(sites or (), due)
        if not runs and due and not has_fault:
            say("no crawl is due")
        ok = _waited(runs, settings) if wait and runs else True
    if has_fault:
        raise typer.Exit(USAGE)
    if not ok:
        raise typer.Exit(FAILED)


def _join(keys: Sequence[str], has_more: bool) -> None:
    """Help with one run until it ends."""
    if len(keys) != 1 or has_more:
        raise BadInput("--join helps with one site and takes no other option: zhuiwen crawl SITE --join")
    with session() as settings:
        from pipeline.crawl_process import join_crawl
        from webadmin import crawls

        site = _site(keys[0])
        run = crawls.live_run(site)
        if not settings.crawl.is_shared:
            raise BadInput("crawls are not shared here; set ZHUIWEN_CRAWL_SHARED=1 on every machine that crawls")
        if run is None:
            raise BadInput(f"{site.name} is not being crawled; begin with: zhuiwen crawl {site.pk}")
        say(f"helping with run {run.pk} of {site.name} until it ends")
        code = join_crawl(run.pk)
    if code:
        raise typer.Exit(FAILED)


def _requested(keys: Sequence[str], due: bool) -> "tuple[list[CrawlRun], bool]":
    """The runs that were asked for, or were live already, and whether a site could not be crawled."""
    from django.utils import timezone

    from webadmin import crawls
    from webadmin.models import CrawlRun

    runs: list[CrawlRun] = []
    has_fault = False
    for key in keys:
        try:
            runs.append(_run_of(_site(key), CrawlRun.Trigger.PERSON))
        except BadInput as fault:
            complain(str(fault))
            has_fault = True
    if due:
        runs += [_run_of(site, CrawlRun.Trigger.SCHEDULE) for site in crawls.due_sites(timezone.now())]
    return runs, has_fault


def _site(key: str) -> "Site":
    from webadmin import catalogue

    try:
        return catalogue.find_site(key)
    except NotFound as error:
        added = f"zhuiwen site add {key}" if "://" in key else "zhuiwen site add URL"
        raise BadInput(f"{error}; list them with zhuiwen site list, or add it with {added}") from error


def _run_of(site: "Site", trigger: str) -> "CrawlRun":
    from webadmin import crawls, stores

    try:
        run = crawls.request_run(site, trigger=trigger)
    except crawls.AlreadyRunning as error:
        live = crawls.live_run(site)
        if live is None:
            raise
        say(str(error))
        return live
    try:
        stores.outbox().send(CrawlRequested(run.pk))
    except ServiceUnavailable as error:
        crawls.fail(run, counts=None, reason=str(error))  # or it would stand in the way of the next one
        raise
    say(f"crawling {site.name}: run {run.pk}")
    return run


def _waited(runs: "Sequence[CrawlRun]", settings: Settings) -> bool:
    """Wait for the runs and show what came of them; whether all went well."""
    wait_for_runs(runs, settings)
    _show(runs)
    return all(run.state == run.State.FINISHED for run in runs)


def _show(runs: "Sequence[CrawlRun]") -> None:
    from webadmin.models import Case

    rows = []
    for run in runs:
        cases = Case.objects.filter(page__site=run.site_id)
        opened = cases.filter(opened_at__gte=run.started_at or run.due_at).count()
        counts = (run.pages_fetched, run.pages_stored, run.new_versions, run.failed_requests, opened)
        rows.append((run.site.name, run.state, *counts, run.finish_reason))
    right = ("fetched", "kept", "new", "failed", "new cases")
    table(("site", "state", *right, "ended because"), rows, right=right)
