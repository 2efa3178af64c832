"""Starts one process of the installation. The supervisor runs it as a file: `python launch.py TABLE NAME`.

The table (JSON, readable only by this user) contains commands and environments, which keeps secrets and quoting out of
the supervisor's configuration. This file imports nothing of the product, because the process replaces it.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
STARTS_KEPT = 10


def main(table: Path, name: str) -> None:
    """Delete the files of a dead predecessor, record the start time, and exec the process `name` of the table."""
    entry = json.loads(table.read_text("utf-8"))[name]
    _die_with_the_supervisor()
    for stale in entry["removes"]:
        Path(stale).unlink(missing_ok=True)
    _note_start(Path(entry["starts"]))
    os.environ.update(entry["environment"])
    os.execvp(entry["command"][0], entry["command"])  # noqa: S606


def _note_start(path: Path) -> None:
    with contextlib.suppress(OSError):  # on a full disk the process starts without a record
        known = path.read_text("utf-8").split() if path.exists() else []
        path.write_text("\n".join([*known[1 - STARTS_KEPT :], f"{time.time():.1f}"]), "utf-8")


def _die_with_the_supervisor() -> None:
    """Make the system end this process when its parent dies, which only Linux supports.

    Elsewhere the next `up` cleans up.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
