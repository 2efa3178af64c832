"""The verbs of the processes: up, down, status, doctor."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from core.settings import unknown_names
from deploy.cli.faults import complain
from deploy.cli.output import as_json, say

if TYPE_CHECKING:
    from deploy.home import Home
    from deploy.services import ServiceStatus


def register(app: typer.Typer) -> None:
    """Add the verbs to `app`."""

    @app.command("up")
    def up_verb() -> None:
        """Start every service and return when all of them answer."""
        from deploy.home import prepare
        from deploy.services import up

        home = prepare(os.environ)
        warn_of_unknown_settings(os.environ)
        up(home, say)

    @app.command("down")
    def down_verb() -> None:
        """Stop every service that runs on this machine."""
        from deploy.home import prepare
        from deploy.services import down

        down(prepare(os.environ), say)

    @app.command("status")
    def status_verb(for_programs: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
        """Show every service; exit 0 when all of them run."""
        from deploy.home import prepare
        from deploy.services import status

        home = prepare(os.environ)
        rows = status(home)
        if for_programs:
            as_json([asdict(row) for row in rows])
        else:
            _show(rows)
            _show_evidence(home)
        raise typer.Exit(0 if all(row.is_ok for row in rows) else 1)

    @app.command("doctor")
    def doctor_verb(for_programs: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
        """Look for what is wrong and say what to do; exit 0 when nothing is."""
        from deploy import doctor, stored_checks
        from deploy.home import prepare

        context = doctor.Context(prepare(os.environ), os.environ)
        findings = doctor.examine(context, (*doctor.CHECKS, *stored_checks.CHECKS))
        if for_programs:
            as_json([asdict(finding) for finding in findings])
        for finding in [] if for_programs else findings:
            say(f"{finding.id}: {finding.problem}")
            say(f"    {finding.remedy}")
        if not findings and not for_programs:
            say("nothing is wrong")
        raise typer.Exit(1 if findings else 0)


def warn_of_unknown_settings(environ: Mapping[str, str]) -> None:
    """One line on stderr for each variable that looks like a setting and is none."""
    for name, nearest in unknown_names(environ).items():
        complain(f"warning: {name} is set, and there is no such setting" + (f"; is it {nearest}?" if nearest else ""))


def _show(rows: "Sequence[ServiceStatus]") -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from deploy.services import State

    colors = {State.RUNNING: "green", State.EXTERNAL: "green", State.STARTING: "yellow", State.STOPPED: "dim"}
    table = Table("service", "state", "pid", "MB", "up", "address", box=None, pad_edge=False)
    for row in rows:
        state = f"[{colors.get(row.state, 'red')}]{row.state}[/]"
        memory = "" if row.memory_mb is None else f"{row.memory_mb:.0f}"
        table.add_row(row.name, state, str(row.pid or ""), memory, _duration(row.uptime_s), escape(row.address))
    console = Console()
    console.print(table)
    for row in rows:
        if row.remedy:
            said = f" ({row.last_log_line})" if row.last_log_line else ""
            console.print(escape(f"{row.name}: {row.remedy}{said}"), soft_wrap=True)


def _show_evidence(home: "Home") -> None:
    """How the evidence stands, where there is an admin database to ask."""
    if home.settings.services.database_url or home.settings.sqlite_path.exists():
        from deploy.cli.evidence_standing import lines_if_any

        for line in lines_if_any():
            say(line)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
