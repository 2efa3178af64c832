"""The commands `site add` and `site list`."""

import re
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from core.errors import BadInput
from core.hosts import DEFAULT_PORTS, host_key
from core.settings import CrawlSettings
from core.wording import Message
from crawler.site_kinds import KINDS, SiteKind
from webadmin.sites.cli import site_trial
from webadmin.ui.console.faults import warn
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import local_iso, local_time, session
from webadmin.ui.console.words import console_language

if TYPE_CHECKING:
    from webadmin.sites.models import Site


def _kinds_help() -> str:
    return "; ".join(f"{kind.name}: {kind.label.in_language(console_language())}" for kind in KINDS.values())


def _kinds_with_setting(setting: str) -> str:
    """Return the names of the kinds of sites to which a setting applies, separated by commas."""
    return ", ".join(kind.name for kind in KINDS.values() if setting in kind.settings)


def add(  # noqa: PLR0917 - options of a command
    url: Annotated[str, typer.Argument(metavar="[URL]")] = "",
    name: str = "",
    kind: Annotated[str | None, typer.Option(help=_kinds_help())] = None,
    urls: Annotated[Path | None, typer.Option(metavar="FILE")] = None,
    rights_holder: str = "",
    daily_at: Annotated[str | None, typer.Option(metavar="HH:MM")] = None,
    every_days: int | None = None,
    max_pages: int | None = None,
    max_depth: Annotated[int | None, typer.Option(help=_kinds_with_setting("max_depth"))] = None,
    delay: float | None = None,
    follow: Annotated[
        list[str] | None, typer.Option(metavar="REGEX", help=_kinds_with_setting("follow_patterns"))
    ] = None,
    keep: Annotated[list[str] | None, typer.Option(metavar="REGEX")] = None,
    deny: Annotated[list[str] | None, typer.Option(metavar="REGEX")] = None,
    body: Annotated[str | None, typer.Option(metavar="SELECTOR")] = None,
    title_selector: Annotated[str | None, typer.Option(metavar="SELECTOR")] = None,
    encoding: str | None = None,
    ignore_robots: bool = False,
    reason: str = "",
) -> None:
    """Watch a site. Repeating its URL updates its options. The --name of an existing site adds the URL to this site."""
    options: dict[str, Any] = {
        "kind": kind,
        "crawl_at": _parse_time(daily_at),
        "interval_days": every_days,
        "max_pages": max_pages,
        "max_depth": max_depth,
        "delay_s": delay,
        "follow_patterns": _join_patterns(follow),
        "page_patterns": _join_patterns(keep),
        "deny_patterns": _join_patterns(deny),
        "body_selector": body,
        "title_selector": title_selector,
        "encoding": encoding,
        "obey_robots": False if ignore_robots else None,
    }
    if kind is not None and kind not in KINDS:
        raise BadInput("tracking.no-kind", kind=kind, choices=list(KINDS))
    given = {option: value for option, value in options.items() if value is not None}
    of_kind = KINDS[kind or "generic"]
    if ignore_robots:
        _check_switch(of_kind, reason)
    if of_kind.starts_are_pages or not of_kind.is_crawled:
        _add_named(of_kind, url, urls, name, rights_holder, given)
    elif urls is not None:
        raise BadInput("tracking.not-a-list")
    elif not url.strip():
        raise BadInput("tracking.no-address")
    else:
        _add_addressed(url, name, rights_holder, given, reason)


def _add_addressed(url: str, name: str, rights_holder: str, options: dict[str, Any], reason: str) -> None:
    """Add a site with a start URL, and print its schedule. reason: why robots.txt is ignored, if it is."""
    with session() as settings:
        from webadmin.accounts.services import holders
        from webadmin.sites.services import politeness, watchlist
        from webadmin.sites.services.watchlist import shared_hosts

        _require_reachable(url.strip(), settings.crawl)
        site = watchlist.add_site(holders.holder(rights_holder), url, name, **options)
        if options.get("obey_robots") is False:
            politeness.note_robots_switch(site, reason)
        hosts = _host_names(site)
        print_line(Message("tracking.watching", id=site.pk, name=site.name, hosts=hosts, when=_describe_schedule(site)))
        for shared in shared_hosts(site):
            warn(shared)


def _require_reachable(url: str, settings: CrawlSettings) -> None:
    """Raise UnsafeUrl for a URL that a crawl would refuse. Prints a warning if its host name cannot be resolved.

    An invalid URL passes, because adding the site reports it.
    """
    from crawler.fetching.addresses import AddressGuard

    try:
        if urlsplit(url).scheme.lower() not in DEFAULT_PORTS:
            return
        host, port = host_key(url)
    except ValueError:
        return
    guard = AddressGuard(settings.allow_private_hosts)
    guard.check_url(url)
    if addresses := _host_addresses(host, port, settings):
        guard.allowed_addresses(url, host, port, addresses)


def _host_addresses(host: str, port: int, settings: CrawlSettings) -> list[str]:
    from crawler.fetching.names import NameResolver

    try:
        return NameResolver(settings.name_servers).addresses(host, port)
    except (OSError, UnicodeError):
        warn(Message("cli.host-unknown", host=host))
        return []


def _check_switch(of_kind: SiteKind, reason: str) -> None:
    """Raise BadInput if `reason` is blank, or if this command cannot disable robots.txt for the kind of site."""
    if of_kind.starts_are_pages or not of_kind.is_crawled:
        raise BadInput("tracking.robots-elsewhere")
    if not reason.strip():
        raise BadInput("tracking.robots-reason")


def show(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List the sites with the time and result of their last crawl."""
    with session() as settings:
        from webadmin.sites.models import Site

        sites = Site.objects.select_related("rights_holder").prefetch_related("domains").order_by("pk")
        last = (
            ConsoleColumn("", "column.last-crawl", lambda site: _describe_last_crawl(site, settings)),
            ConsoleColumn("last_run", "", lambda site: _run_record(site, settings)),
        )
        print_list(sites, (*_COLUMNS, *last), settings, is_json=is_json)


def _host_names(site: "Site") -> list[str]:
    return [domain.host for domain in site.domains.all()]


def _describe_last_crawl(site: "Site", settings: Any) -> Message:
    """Return a message about the newest crawl of a site, or about the newest import of a site of archives."""
    if not KINDS[site.kind].is_crawled:
        from django.db.models import Max

        at = site.imports.aggregate(at=Max("finished_at"))["at"]
        return Message("tracking.last-import", when=local_time(at, settings)) if at else Message("tracking.no-import")
    run = site.runs.filter(only_urls="").first()
    if run is None:
        return Message("tracking.never")
    when, state, pages = local_time(run.due_at, settings), run.get_state_display(), run.pages_seen
    if run.state == run.State.QUEUED and run.resume_at is not None and run.finish_reason is not None:
        return Message("tracking.last-waits", when=when, state=state, reason=run.finish_reason)
    if pages and not run.new_versions:
        return Message("tracking.last-unchanged", when=when, state=state, pages=pages)
    return Message("tracking.last", when=when, state=state, pages=pages, new=run.new_versions)


def _run_record(site: "Site", settings: Any) -> dict[str, Any] | None:
    run = site.runs.filter(only_urls="").first()
    if run is None:
        return None
    return {
        "id": run.pk,
        "state": run.state,
        "finished": local_iso(run.finished_at, settings),
        "goes_on": local_iso(run.resume_at, settings),
        "ended_because": run.finish_reason and str(run.finish_reason),
        "pages_seen": run.pages_seen,
        "pages_stored": run.pages_stored,
        "new_versions": run.new_versions,
        "faults": [str(fault) for fault in run.faults],
    }


def _describe_schedule(site: "Site") -> Message | str:
    if not KINDS[site.kind].is_crawled:
        return Message("tracking.imported")
    if not site.is_active:
        return Message("tracking.unwatched")
    time = f"{site.crawl_at:%H:%M}"
    return Message("tracking.every", time=time, days=site.interval_days) if site.interval_days > 1 else time


_COLUMNS = (
    ConsoleColumn("id", "column.id", "pk", is_number=True),
    ConsoleColumn("name", "column.name", "name"),
    ConsoleColumn("hosts", "column.hosts", _host_names, lambda site: ", ".join(_host_names(site))),
    ConsoleColumn("kind", "column.kind", "kind"),
    ConsoleColumn("rights_holder", "column.rights-holder", "rights_holder.name"),
    ConsoleColumn("daily_at", "column.crawled-at", lambda site: f"{site.crawl_at:%H:%M}", _describe_schedule),
    ConsoleColumn("start_urls", "", "start_urls.splitlines"),
    ConsoleColumn("is_watched", "", "is_active"),
    ConsoleColumn("every_days", "", "interval_days"),
    ConsoleColumn("max_pages", "", "max_pages"),
    ConsoleColumn("max_depth", "", "max_depth"),
    ConsoleColumn("delay_s", "", "delay_s"),
)


def _add_named(  # noqa: PLR0917 - what the command was given
    kind: SiteKind, url: str, urls: Path | None, name: str, rights_holder: str, options: dict[str, Any]
) -> None:
    """Add a site without a start URL, which is a list of pages from the file `urls` or a site of archives."""
    is_list = kind.starts_are_pages
    if url.strip() or (urls is None) == is_list:
        if is_list:
            raise BadInput("tracking.list-as-file", label=kind.label.in_language(console_language()), kind=kind.name)
        raise BadInput("tracking.no-address-of-archive", kind=kind.name)
    with session() as settings:
        from webadmin.accounts.services import holders
        from webadmin.sites.services import watchlist
        from webadmin.works.services.intake.plain import read_bytes

        text = read_bytes(urls, settings.crawl.max_body_bytes).decode("utf-8", "replace") if urls is not None else ""
        holder = holders.holder(rights_holder)
        site = watchlist.add_list(holder, name, text, **options) if is_list else watchlist.archive_site(holder, name)
        if is_list:
            pages = len(site.start_urls.splitlines())
            print_line(Message("tracking.watching-pages", id=site.pk, name=site.name, pages=pages))
        else:
            print_line(Message("tracking.ready", id=site.pk, name=site.name))


def _parse_time(text: str | None) -> time | None:
    if text is None:
        return None
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", text.strip())
    if not found:
        raise BadInput("tracking.no-time", text=text)
    return time(int(found[1]), int(found[2]))


def _join_patterns(patterns: list[str] | None) -> str | None:
    return "\n".join(patterns) if patterns else None


GROUP = verb_group(
    "The sites to watch.",
    {
        "add": add,
        "list": show,
        "try": site_trial.try_site,
    },
)
