"""What must be done between the stores' start and the workers': the admin database and the web's files brought up."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from deploy.home import Home
from deploy.services.faults import PreparationFailed

STEP_TIMEOUT_S = 600.0  # a migration may rewrite a large table


@dataclass(frozen=True, slots=True)
class Step:
    """One command, and whether it is needed now."""

    name: str
    command: tuple[str, ...]
    is_needed: Callable[[Home], bool]


def _django(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "django", *arguments)


def _always(_: Home) -> bool:
    return True


# Each finds out by itself what is left to do: asking first costs the start of another interpreter.
STEPS = (
    Step("migrating the admin database", _django("migrate", "--no-input", "--verbosity", "1"), _always),
    Step("collecting the web's static files", _django("collectstatic", "--no-input", "--verbosity", "1"), _always),
)


def prepare(home: Home, on_progress: Callable[[str], None], steps: Sequence[Step] = STEPS) -> None:
    """Run the steps that are needed, in order; safe to run twice. Raises PreparationFailed."""
    for step in steps:
        if step.is_needed(home):
            on_progress(step.name)
            run(home, step)


def run(home: Home, step: Step) -> None:
    """Run one step; what it says goes to logs/preparation.log. Raises PreparationFailed with its last line."""
    log = home.logs / "preparation.log"
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
    log.write_text(f"{' '.join(step.command)}\n{done.stdout}", "utf-8", errors="replace")
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        raise PreparationFailed(step.name, lines[-1] if lines else f"exit code {done.returncode}", log)
