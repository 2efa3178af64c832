"""The commands `up`, `down`, `status` and `doctor`."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from core.wording import Message
from webadmin.ui.console.output import as_json, pad_text, print_line, terminal_text, translate_heading, width
from webadmin.ui.console.session import session
from webadmin.ui.console.words import translate_for_console

if TYPE_CHECKING:
    from deploy.services import ServiceStatus


def up() -> None:
    """Start the services on this machine and return when all of them respond."""
    from core.settings_layers import planned_layers
    from deploy import services
    from deploy.cli import before_up
    from deploy.home import prepare

    home = prepare(os.environ, planned_layers)
    before_up.warn_of_unknown_settings(os.environ, home.path)
    before_up.require_the_only_one(home, os.environ)
    for line in before_up.warnings_of_environments(home, os.environ):
        print_line(line)
    services.up(home, print_line)
    with session():
        from webadmin.accounts.models import User

        if not User.objects.exists():
            print_line(Message("start.first-user"))


def down() -> None:
    """Stop the services on this machine."""
    from core.settings_layers import running_layers
    from deploy import services
    from deploy.home import prepare

    services.down(prepare(os.environ, running_layers), print_line)


def status(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Show the services. The exit code is 0 if all of them run and there are no other problems, otherwise 1."""
    from deploy.cli.status import installation_status

    stands = installation_status(os.environ)
    if is_json:
        as_json(stands.as_values())
    else:
        _print_services(stands.services)
        for line in (*stands.problems, *stands.remedies, *stands.notes, *stands.evidence):
            print_line(line)
    raise typer.Exit(0 if stands.is_well else 1)


def doctor(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """Find problems and suggest remedies. The exit code is 0 if there are no problems, otherwise 1."""
    from core.settings_layers import running_layers
    from deploy import doctor
    from deploy.cli import stored_checks
    from deploy.findings import Context
    from deploy.home import prepare

    context = Context(prepare(os.environ, running_layers), os.environ)
    findings = doctor.examine(context, (*doctor.CHECKS, *stored_checks.CHECKS))
    if is_json:
        as_json(findings)
    for finding in [] if is_json else findings:
        print_line(Message("doctor.finding", id=finding.id, problem=finding.problem))
        print_line(f"    {translate_for_console(finding.remedy)}")
    if not findings and not is_json:
        print_line(Message("doctor.nothing"))
    raise typer.Exit(1 if findings else 0)


def _print_services(rows: "Sequence[ServiceStatus]") -> None:
    """Print a table of the services, with their states in colour."""
    from deploy.services import InstallationState

    colors = {
        InstallationState.RUNNING: "green",
        InstallationState.EXTERNAL: "green",
        InstallationState.STARTING: "yellow",
        InstallationState.STOPPED: "bright_black",
    }
    columns = ("column.service", "column.state", "column.pid", "column.megabytes", "column.up", "column.address")
    cells = [tuple(map(translate_heading, columns)), *map(_service_cells, rows)]
    widths = [max(map(width, column)) for column in zip(*cells, strict=True)]
    for line, row in zip(cells, (None, *rows), strict=True):
        shaped = [pad_text(text, columns) for text, columns in zip(line, widths, strict=True)]
        if row is not None:
            shaped[1] = typer.style(shaped[1], fg=colors.get(row.state, "red"))
        typer.echo("  ".join(shaped).rstrip())


def _service_cells(row: "ServiceStatus") -> tuple[str, ...]:
    memory = "" if row.memory_mb is None else f"{row.memory_mb:.0f}"
    return (
        row.name,
        translate_heading(f"start.{row.state}"),
        str(row.pid or ""),
        memory,
        _format_duration(row.uptime_s),
        terminal_text(row.address),
    )


def _format_duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
