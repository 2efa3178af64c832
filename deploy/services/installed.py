"""Processes of installations on this machine: found by their environment, never by a number that was written down.

A recorded process id would be worth nothing after a power loss: another program may have it by now.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from core.heartbeat import PROCESS
from core.known_settings import environment_variable
from deploy.home import Home

END_WAIT_S = 20.0  # then SIGKILL
_STORED = ("mongo/*.db", "admin.sqlite3", "run/started.toml", "run/ended.toml", "settings.toml")


def orphans(home: Home) -> list[psutil.Process]:
    """Find what the launcher of this home folder started and still lives, workers' children included."""
    return [
        process
        for process, home_of in _installation_processes()
        if home_of.get(environment_variable("home")) == str(home.path)
    ]


def end(found: Sequence[psutil.Process]) -> None:
    """End these processes: asked first, then killed."""
    for ask in (psutil.Process.terminate, psutil.Process.kill):
        for process in found:
            with suppress(psutil.NoSuchProcess):
                ask(process)
        found = psutil.wait_procs(found, timeout=END_WAIT_S)[1]


def other_homes(home: Home) -> list[Path]:
    """Find the home folders for which processes of this user run this very program, but this one.

    So that nobody starts a second installation by mistake.
    """
    root = _root(home.environment)
    found = {
        Path(environment.get(environment_variable("home"), ""))
        for process, environment in _installation_processes()
        if _root(environment) == root and process.uids().real == os.getuid()
    }
    return sorted(found - {home.path, Path()})


def is_unused(home: Path) -> bool:
    """Return whether nothing was ever stored or set in a home folder."""
    return not any(path.stat().st_size for pattern in _STORED for path in home.glob(pattern))


def _installation_processes() -> Iterator[tuple[psutil.Process, Mapping[str, str]]]:
    """Processes that a launcher has started, with their environments."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            environment = process.environ()
            if environment.get(PROCESS):
                yield process, environment


def _root(environment: Mapping[str, str]) -> str:
    return environment.get("PYTHONPATH", "").partition(os.pathsep)[0]
