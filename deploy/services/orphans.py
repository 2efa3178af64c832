"""Processes of this installation that outlived their supervisor: found by their environment, never by a number."""

from collections.abc import Sequence

import psutil

from core.heartbeat import PROCESS
from deploy.home import Home

END_WAIT_S = 20.0  # then SIGKILL


def find(home: Home) -> list[psutil.Process]:
    """What was started by the launcher of this home folder and still lives, workers' children included.

    A recorded process id would be worth nothing after a power loss: another program may have it by now.
    """
    return [process for process in psutil.process_iter() if _is_ours(process, home)]


def end(found: Sequence[psutil.Process]) -> None:
    """End these processes: asked first, then killed."""
    for process in found:
        _signal(process, is_kill=False)
    for process in psutil.wait_procs(found, timeout=END_WAIT_S)[1]:
        _signal(process, is_kill=True)
    psutil.wait_procs(found, timeout=END_WAIT_S)


def _is_ours(process: psutil.Process, home: Home) -> bool:
    try:
        environment = process.environ()
    except (psutil.Error, OSError):
        return False
    return bool(environment.get(PROCESS)) and environment.get("ZHUIWEN_HOME") == str(home.path)


def _signal(process: psutil.Process, *, is_kill: bool) -> None:
    try:
        process.kill() if is_kill else process.terminate()
    except psutil.NoSuchProcess:
        return
