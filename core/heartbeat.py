"""Heartbeats of processes that listen on no port: each process touches its own file at intervals.

The launcher sets the name of the process in its environment. A process without a name is not monitored and touches no
file.
"""

import time
from collections.abc import Mapping
from pathlib import Path

PROCESS = "ZHUIWEN_PROCESS"


def write_heartbeat(home: Path, environ: Mapping[str, str], part: str = "") -> None:
    """Touch the heartbeat file of this process. part: the suffix of a separate file for a part of the process."""
    name = environ.get(PROCESS, "")
    if name:
        heartbeat_path(home, name + part).touch(0o600)


def is_fresh(home: Path, name: str, within_s: float) -> bool:
    """Return whether the process with this name wrote a heartbeat in the last `within_s` seconds.

    A heartbeat up to `within_s` seconds in the future counts too, because the clock may have been ahead.
    """
    try:
        return abs(time.time() - heartbeat_path(home, name).stat().st_mtime) < within_s
    except FileNotFoundError:
        return False


def heartbeat_path(home: Path, name: str) -> Path:
    """Return the path of the heartbeat file of a process."""
    return home / "run" / f"{name}.heartbeat"
