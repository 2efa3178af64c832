"""What must be done between the stores' start and the workers': the admin database and the web's files brought up."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.home import Home
from deploy.services.faults import PreparationFailed

STEP_TIMEOUT_S = 600.0  # a migration may rewrite a large table


@dataclass(frozen=True, slots=True)
class Step:
    """One command. Each finds out by itself what is left to do: asking first costs the start of another interpreter."""

    name: str
    command: tuple[str, ...]
    tells: bool = False  # what it prints is for the user


def steps(*, is_alone: bool) -> tuple[Step, ...]:
    """All steps, in order. `is_alone`: no worker of this installation runs anywhere."""
    alone = ("--alone",) if is_alone else ()
    return (
        Step("migrating the admin database", _python("django", "migrate", "--no-input")),
        Step("collecting the web's static files", _python("django", "collectstatic", "--no-input")),
        Step("preparing schedule, queue and index", _python("pipeline.prepare", *alone), tells=True),
    )


def prepare(home: Home, wanted: Sequence[Step], on_progress: Callable[[str], None]) -> None:
    """Run the steps in order; safe to run twice. Raises PreparationFailed."""
    _log(home).write_text("", "utf-8")
    for step in wanted:
        on_progress(step.name)
        said = run(home, step)
        for line in said if step.tells else ():
            on_progress(line)


def run(home: Home, step: Step) -> list[str]:
    """Run one step and return what it printed, which goes to logs/preparation.log too. Raises PreparationFailed."""
    log = _log(home)
    environment = {**os.environ, **home.environment}
    try:
        done = subprocess.run(
            step.command,
            env=environment,
            cwd=home.run,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=STEP_TIMEOUT_S,
            umask=0o077,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PreparationFailed(step.name, f"it took more than {STEP_TIMEOUT_S:.0f} s", log) from error
    with log.open("a", encoding="utf-8", errors="replace") as file:
        file.write(f"{' '.join(step.command)}\n{done.stdout}")
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0:
        raise PreparationFailed(step.name, lines[-1] if lines else f"exit code {done.returncode}", log)
    return lines


def _python(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", *arguments)


def _log(home: Home) -> Path:
    return home.logs / "preparation.log"
