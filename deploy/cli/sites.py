"""The verbs `site add`, `site list`; `site failures` and `site moves` stand in deploy.cli.site_visits."""

import re
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.errors import BadInput
from core.pages import SpiderKind
from deploy.cli import site_trial, site_visits
from deploy.cli.output import as_json, say, table
from deploy.cli.session import local_iso, local_time, session

if TYPE_CHECKING:
    from webadmin.models import Site


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""
    group = typer.Typer(help="The sites to watch.", no_args_is_help=True, rich_markup_mode=None)
    group.command("add")(add)
    group.command("list")(show)
    site_trial.register(group)
    site_visits.register(group)
    app.add_typer(group, name="site")


def add(  # noqa: PLR0917 - options of a command
    url: Annotated[str, typer.Argument(metavar="[URL]", help="where a crawl begins")] = "",
    name: Annotated[str, typer.Option(help="of the site; its host where none is given")] = "",
    kind: Annotated[
        str | None,
        typer.Option(
            help="generic, sitemap, feed, novel, list or archive: what the URL is; generic where none is given"
        ),
    ] = None,
    urls: Annotated[
        Path | None, typer.Option(metavar="FILE", help="of --kind list: the pages, one a line; # begins a comment")
    ] = None,
    rights_holder: Annotated[str, typer.Option(help="who watches it. Needed where there are several")] = "",
    daily_at: Annotated[str | None, typer.Option(metavar="HH:MM", help="when it is crawled, in your zone")] = None,
    every_days: Annotated[int | None, typer.Option(help="crawl it every so many days")] = None,
    max_pages: Annotated[int | None, typer.Option(help="pages of one crawl")] = None,
    max_depth: Annotated[int | None, typer.Option(help="links from the start")] = None,
    delay: Annotated[float | None, typer.Option(help="seconds between two requests")] = None,
    follow: Annotated[list[str] | None, typer.Option(metavar="REGEX", help="follow only such links")] = None,
    keep: Annotated[list[str] | None, typer.Option(metavar="REGEX", help="keep only such pages")] = None,
    deny: Annotated[list[str] | None, typer.Option(metavar="REGEX", help="never visit such links")] = None,
    body: Annotated[str | None, typer.Option(metavar="SELECTOR", help="CSS or XPath of the main text")] = None,
    title_selector: Annotated[str | None, typer.Option(metavar="SELECTOR", help="CSS or XPath of the title")] = None,
    encoding: Annotated[str | None, typer.Option(help="where it cannot be found from the pages")] = None,
    ignore_robots: Annotated[bool, typer.Option(help="crawl what robots.txt forbids; ask the site first")] = False,
    reason: Annotated[str, typer.Option(help="why robots.txt is ignored; kept, and shown in the admin")] = "",
) -> None:
    """Watch a site. The same address again brings its options up to date; --name of a site adds an address to it."""
    options: dict[str, Any] = {
        "kind": _kind(kind),
        "crawl_at": _time(daily_at),
        "interval_days": every_days,
        "max_pages": max_pages,
        "max_depth": max_depth,
        "delay_s": delay,
        "follow_patterns": _lines(follow),
        "page_patterns": _lines(keep),
        "deny_patterns": _lines(deny),
        "body_selector": body,
        "title_selector": title_selector,
        "encoding": encoding,
        "obey_robots": False if ignore_robots else None,
    }
    given = {option: value for option, value in options.items() if value is not None}
    if ignore_robots and kind in ("list", "archive"):
        raise BadInput("--ignore-robots is not for lists and archives here; switch it in the admin, with the reason")
    if ignore_robots and not reason.strip():
        raise BadInput("--ignore-robots needs --reason: why robots.txt is not to be obeyed")
    if kind in ("list", "archive"):
        _add_named(kind, url, urls, name, rights_holder, given)
        return
    if urls is not None:
        raise BadInput("a file of addresses makes a list: give --kind list with --urls")
    if not url.strip():
        raise BadInput("the address of the site is empty; write it like https://www.example.com/")
    with session() as settings:
        from deploy.cli.reachability import require_reachable
        from webadmin import catalogue, sharing

        require_reachable(url.strip(), settings.crawl)
        site = catalogue.add_site(catalogue.holder(rights_holder), url, name, **given)
        _note_switch(site, ignore_robots, reason)
        hosts = ", ".join(domain.host for domain in site.domains.all())
        say(f"watching {site.pk} {site.name} ({hosts}) at {_when(site)}; crawl it now with: zhuiwen crawl {site.pk}")
        if settings.crawl.is_shared:
            told = sharing.what_is_shared(site.kind, settings.crawl)
            say(f"{sharing.processes(settings.crawl)} processes crawl it. {told}")


def _note_switch(site: "Site", ignore_robots: bool, reason: str) -> None:
    """Write down that robots.txt is ignored from now on, and why."""
    from webadmin import politeness

    if ignore_robots:
        politeness.note_robots_switch(site, reason)


def show(is_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
    """List the sites, when each was last crawled and how that ended."""
    with session() as settings:
        from webadmin.models import Site
        from webadmin.sharing import processes

        sites = list(Site.objects.select_related("rights_holder").prefetch_related("domains").order_by("pk"))
        if is_json:
            shared = {"processes": processes(settings.crawl)}
            as_json([_record(site) | shared | {"last_run": _run_record(site, settings)} for site in sites])
            return
        rows = []
        for site in sites:
            run = site.runs.first()
            last = f"{local_time(run.due_at, settings)} {run.state}, {run.pages_stored} pages" if run else "never"
            hosts = ", ".join(domain.host for domain in site.domains.all())
            rows.append((site.pk, site.name, hosts, site.kind, site.rights_holder.name, _when(site), last))
        table(("id", "name", "hosts", "kind", "rights holder", "crawled at", "last crawl"), rows, right=("id",))


def _record(site: "Site") -> dict[str, Any]:
    return {
        "id": site.pk,
        "name": site.name,
        "kind": site.kind,
        "rights_holder": site.rights_holder.name,
        "start_urls": site.start_urls.splitlines(),
        "hosts": [domain.host for domain in site.domains.all()],
        "is_watched": site.is_active,
        "daily_at": f"{site.crawl_at:%H:%M}",
        "every_days": site.interval_days,
        "max_pages": site.max_pages,
        "max_depth": site.max_depth,
        "delay_s": site.delay_s,
    }


def _run_record(site: "Site", settings: Any) -> dict[str, Any] | None:
    run = site.runs.first()
    if run is None:
        return None
    ended = local_iso(run.finished_at, settings)
    return {"id": run.pk, "state": run.state, "finished": ended, "pages_stored": run.pages_stored, "faults": run.faults}


def _when(site: "Site") -> str:
    if not site.is_active:
        return "not watched"
    return f"{site.crawl_at:%H:%M}" + (f" every {site.interval_days} days" if site.interval_days > 1 else "")


def _add_named(  # noqa: PLR0917 - what the command was given
    kind: str, url: str, urls: Path | None, name: str, rights_holder: str, options: dict[str, Any]
) -> None:
    """Add a site that has no one address."""
    is_list = kind == "list"
    if url.strip() or (urls is None) == is_list:
        raise BadInput(
            "a list of pages is given as a file: --kind list --urls FILE --name NAME"
            if is_list
            else "a site of archive files has no address: --kind archive --name NAME"
        )
    with session() as settings:
        from webadmin import catalogue, watchlist
        from webadmin.intake.plain import read_bytes

        text = read_bytes(urls, settings.crawl.max_body_bytes).decode("utf-8", "replace") if urls is not None else ""
        holder = catalogue.holder(rights_holder)
        values = {option: value for option, value in options.items() if option != "kind"}
        site = watchlist.add_list(holder, name, text, **values) if is_list else watchlist.archive_site(holder, name)
        count = f"{len(site.start_urls.splitlines())} pages, crawl them with: zhuiwen crawl {site.pk}"
        say(f"watching {site.pk} {site.name} ({count})" if is_list else f"{site.pk} {site.name} is ready for archives")


def _kind(text: str | None) -> str | None:
    known = [kind.value for kind in SpiderKind]
    if text is not None and text not in known:
        raise BadInput(f"--kind {text} is none of {', '.join(known)}")
    return text


def _time(text: str | None) -> time | None:
    if text is None:
        return None
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text.strip())
    if not found:
        raise BadInput(f"--daily-at {text} is no time of day; write it like 03:30")
    return time(int(found[1]), int(found[2]))


def _lines(patterns: list[str] | None) -> str | None:
    return "\n".join(patterns) if patterns else None
