"""Paths of the sockets of an installation.

The sockets are in its home folder, which no other user of the machine can enter. If the path of the home folder is too
long for a socket, they are in a folder in /tmp, named by a digest of this path, which only this user can enter
(`deploy.home` ensures it). Neither depends on the environment, so all shells and processes find the same sockets.
"""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

MAX_PATH_BYTES = 107  # sun_path of unix(7) has 108, including the terminator
# supervisord binds a name that ends in a dot and its process id (at most 7 digits), then renames it.
_LONGEST_NAME = "supervisor.sock.4194304"
DATABASE = "zhuiwen"


def folder(home: Path) -> Path:
    """Return the folder of the sockets."""
    run_folder = home / "run"
    if len(os.fsencode(run_folder / _LONGEST_NAME)) <= MAX_PATH_BYTES:
        return run_folder
    return Path("/tmp") / f"zhuiwen-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"  # noqa: S108 - owner and mode are checked


def path(home: Path, service: str) -> Path:
    """Return the path of a service's socket."""
    return folder(home) / f"{service}.sock"


def mongo_url(home: Path) -> str:
    """Return the URL of the embedded page store."""
    return f"mongodb://{quote(str(path(home, 'mongo')), safe='')}/{DATABASE}"


def redis_url(home: Path) -> str:
    """Return the URL of the embedded Redis."""
    return f"unix://{quote(str(path(home, 'redis')))}"
