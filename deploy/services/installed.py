"""Finds processes of installations on this machine by their environment, never by a recorded process id.

After a power loss, a recorded process id may belong to another program.
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
    """Return the running processes that the launcher of this home folder started, including workers' children."""
    return [
        process
        for process, home_of in _installation_processes()
        if home_of.get(environment_variable("home")) == str(home.path)
    ]


def end(found: Sequence[psutil.Process]) -> None:
    """Terminate these processes, and kill those that still run after 20 s."""
    for ask in (psutil.Process.terminate, psutil.Process.kill):
        for process in found:
            with suppress(psutil.NoSuchProcess):
                ask(process)
        found = psutil.wait_procs(found, timeout=END_WAIT_S)[1]


def other_homes(home: Home) -> list[Path]:
    """Return the other home folders for which this user runs this program.

    The user is warned about them, because a second installation may have been started by mistake.
    """
    root = _environment_root(home.environment)
    found = {
        Path(environment.get(environment_variable("home"), ""))
        for process, environment in _installation_processes()
        if _environment_root(environment) == root and process.uids().real == os.getuid()
    }
    return sorted(found - {home.path, Path()})


def is_unused(home: Path) -> bool:
    """Return whether a home folder has neither stored data nor settings."""
    return not any(path.stat().st_size for pattern in _STORED for path in home.glob(pattern))


def _installation_processes() -> Iterator[tuple[psutil.Process, Mapping[str, str]]]:
    """Yield the processes that a launcher started, with their environments."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            environment = process.environ()
            if environment.get(PROCESS):
                yield process, environment


def _environment_root(environment: Mapping[str, str]) -> str:
    return environment.get("PYTHONPATH", "").partition(os.pathsep)[0]
