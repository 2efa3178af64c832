"""Prepares the admin database and the static files after the stores start and before the workers do."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadConfiguration
from core.private_files import touch_private
from core.sqlite_files import says_damage
from core.wording import Message
from deploy.home import Home

STEP_TIMEOUT_S = 600.0  # a migration may rewrite a large table


@dataclass(frozen=True, slots=True)
class PreparationStep:
    """A command that determines itself what is left to do; a separate check would start another interpreter."""

    name: Message
    command: tuple[str, ...]
    tells: bool = False  # whether its output is for the user


def steps(*, is_alone: bool) -> tuple[PreparationStep, ...]:
    """Return the steps in order. is_alone: whether no worker of this installation runs on any machine."""
    alone = ("--alone",) if is_alone else ()
    return (
        # Django's checks examine the code, and take a second.
        PreparationStep(
            Message("start.step-migrate"), _python_command("django", "migrate", "--no-input", "--skip-checks")
        ),
        PreparationStep(Message("start.step-static"), _python_command("django", "collectstatic", "--no-input")),
        PreparationStep(
            Message("start.step-prepare"),
            _python_command("webadmin.process", "webadmin.preparation", *alone),
            tells=True,
        ),
    )


def prepare(home: Home, wanted: Sequence[PreparationStep], on_progress: Callable[[Message], None]) -> None:
    """Run the steps in order; safe to run twice. Raises BadConfiguration if one fails."""
    touch_private(_log_path(home)).write_text("", "utf-8")
    for step in wanted:
        on_progress(step.name)
        said = run(home, step)
        for line in said if step.tells else ():
            on_progress(_parse_message(line))


def run(home: Home, step: PreparationStep) -> list[str]:
    """Run one step, log its output in logs/preparation.log, and return its lines.

    Raises BadConfiguration if the step fails or takes longer than ten minutes.
    """
    log = _log_path(home)
    environment = home.environ(os.environ)
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
        words: Message | str = Message("start.step-too-long", seconds=STEP_TIMEOUT_S)
        raise BadConfiguration("start.step-failed", step=step.name, words=words, log=log) from error
    with touch_private(log).open("a", encoding="utf-8", errors="replace") as file:
        file.write(f"{' '.join(step.command)}\n{done.stdout}")
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0:
        words = lines[-1] if lines else Message("start.exit-code", code_number=done.returncode)
        if says_damage(str(words)):
            problem = Message("start.damaged-file", path=home.settings.sqlite_path, reason=words)
            words = Message("start.problem-and-remedy", problem=problem, remedy=Message("start.damaged-remedy"))
        raise BadConfiguration("start.step-failed", step=step.name, words=words, log=log)
    return lines


def _parse_message(line: str) -> Message:
    """Return the message that a step printed as JSON, or a message that quotes any other line."""
    try:
        return Message.from_json(json.loads(line))
    except (ValueError, TypeError, KeyError):
        return Message("start.said", text=line)


def _python_command(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", *arguments)


def _log_path(home: Home) -> Path:
    return home.logs / "preparation.log"
