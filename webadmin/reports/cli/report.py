"""The `report` command, which writes the figures of a period in one of the formats of `analytics.formats`."""

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated
from zoneinfo import ZoneInfo

import typer

from analytics.formats import FORMATS, find_format
from core.errors import BadInput
from core.settings import Settings
from webadmin.sites.cli.keys import find_site
from webadmin.ui.console.days import parse_day
from webadmin.ui.console.output import print_line
from webadmin.ui.console.session import session
from webadmin.works.cli.keys import find_work

DEFAULT_DAYS = 30


def report(  # noqa: PLR0917 - options of a command
    kind: Annotated[str, typer.Option("--format", metavar="FORMAT", help=", ".join(FORMATS))],
    since: Annotated[str, typer.Option(metavar="YYYY-MM-DD", help=str(DEFAULT_DAYS))] = "",
    until: Annotated[str, typer.Option(metavar="YYYY-MM-DD")] = "",
    work: str = "",
    site: str = "",
    rights_holder: str = "",
    language: str = "",
    out: Annotated[str, typer.Option(metavar="FILE")] = "",
) -> None:
    """Write a report on cases, sites, works and days, and on excluded findings with their reasons.

    --out: the output file, "-" for standard output, or by default a file in the home folder.
    """
    chosen = find_format(kind)
    with session() as settings:
        from webadmin.accounts.models import User
        from webadmin.accounts.services import holders
        from webadmin.reports.services.report_rows import make_report

        last = parse_day("--until", until) or datetime.now(ZoneInfo(settings.web.time_zone)).date()
        first = parse_day("--since", since) or last - timedelta(days=DEFAULT_DAYS - 1)
        owner = holders.find_holder(rights_holder) if rights_holder else None
        # Users who may run commands on this machine may read all its data.
        made = make_report(
            owner or User(username="command line", is_superuser=True),
            first,
            last,
            work=find_work(work, owner) if work else None,
            site=find_site(site) if site else None,
            language=language,
        )
        content = chosen.render(made)
        path = _write_report(content, out, settings, f"zhuiwen-{first}-{last}.{kind}")
    if path is not None:
        print_line(str(path))


def _write_report(content: bytes, out: str, settings: Settings, name: str) -> Path | None:
    """Write the report atomically and return its path, or None for standard output.

    Raises BadInput if the file cannot be written.
    """
    if out == "-":
        sys.stdout.buffer.write(content)
        return None
    path = Path(out) if out else settings.home / "reports" / name
    partial = path.with_name(f".{path.name}.part")
    try:
        if not out:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise BadInput("cli.report-unwritable", path=path, reason=error.strerror or error) from error
    return path.absolute()
