"""Signs of life of processes that answer nobody: each touches a file of its own again and again.

The launcher names the process in its environment; one without a name, which nobody watches, touches nothing.
"""

import time
from collections.abc import Mapping
from pathlib import Path

PROCESS = "ZHUIWEN_PROCESS"


def write_heartbeat(home: Path, environ: Mapping[str, str], part: str = "") -> None:
    """Say that this process lives, or that part of it which has a sign of its own."""
    name = environ.get(PROCESS, "")
    if name:
        heartbeat_path(home, name + part).touch(0o600)


def is_fresh(home: Path, name: str, within_s: float) -> bool:
    """Return whether the process of this name lived within that time.

    A sign from the future is of a clock that was ahead.
    """
    try:
        return abs(time.time() - heartbeat_path(home, name).stat().st_mtime) < within_s
    except FileNotFoundError:
        return False


def heartbeat_path(home: Path, name: str) -> Path:
    """What the process of this name touches."""
    return home / "run" / f"{name}.heartbeat"
