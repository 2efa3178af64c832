"""The verbs of the processes: up, down, status, doctor."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from core.errors import ZhuiwenError
from deploy import doctor, stored_checks
from deploy.home import Home, prepare
from deploy.services import ServiceStatus, State, down, status, up

T = TypeVar("T")

COLORS = {State.RUNNING: "green", State.EXTERNAL: "green", State.STARTING: "yellow", State.STOPPED: "dim"}


def register(app: typer.Typer, checks: Sequence[doctor.Check] = (*doctor.CHECKS, *stored_checks.CHECKS)) -> None:
    """Add the verbs to `app`. `checks` is what `doctor` looks at."""

    @app.command("up")
    def up_verb() -> None:
        """Start every service and return when all of them answer."""
        _or_exit(lambda: up(prepare(os.environ), _say))

    @app.command("down")
    def down_verb() -> None:
        """Stop every service that runs on this machine."""
        _or_exit(lambda: down(prepare(os.environ), _say))

    @app.command("status")
    def status_verb(as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
        """Show every service; exit 0 when all of them run."""
        rows = _or_exit(lambda: status(prepare(os.environ)))
        if as_json:
            typer.echo(json.dumps([asdict(row) for row in rows], ensure_ascii=False, indent=1))
        else:
            _show(rows)
        raise typer.Exit(0 if all(row.is_ok for row in rows) else 1)

    @app.command("doctor")
    def doctor_verb(as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
        """Look for what is wrong and say what to do; exit 0 when nothing is."""
        findings = _or_exit(lambda: doctor.examine(doctor.Context(prepare(os.environ), os.environ), checks))
        if as_json:
            typer.echo(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=1))
        for finding in [] if as_json else findings:
            typer.echo(f"{finding.id}: {finding.problem}\n    {finding.remedy}")
        if not findings and not as_json:
            typer.echo("nothing is wrong")
        raise typer.Exit(1 if findings else 0)


def started_home() -> Home:
    """The home folder with everything running: what `up` does, for verbs that need it."""
    home = prepare(os.environ)
    up(home, _say)
    return home


def _or_exit(work: Callable[[], T]) -> T:
    try:
        return work()
    except ZhuiwenError as error:
        typer.echo(f"zhuiwen: {error}", err=True)
        raise typer.Exit(1) from None


def _say(line: str) -> None:
    typer.echo(line)


def _show(rows: Sequence[ServiceStatus]) -> None:
    table = Table("service", "state", "pid", "MB", "up", "address", box=None, pad_edge=False)
    for row in rows:
        state = f"[{COLORS.get(row.state, 'red')}]{row.state}[/]"
        memory = "" if row.memory_mb is None else f"{row.memory_mb:.0f}"
        table.add_row(row.name, state, str(row.pid or ""), memory, _duration(row.uptime_s), escape(row.address))
    console = Console()
    console.print(table)
    if all(row.state is State.STOPPED for row in rows):
        console.print("nothing runs; start it with: zhuiwen up")
        return
    for row in rows:
        if row.remedy:
            said = f" ({row.last_log_line})" if row.last_log_line else ""
            console.print(escape(f"{row.name}: {row.remedy}{said}"), soft_wrap=True)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
