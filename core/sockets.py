"""Where the sockets of an installation are: in its home folder, which no other user of the machine may enter.

Of a home folder whose path is longer than the system lets a socket's be, they are in a folder in /tmp, named by a
digest of that path and for this user alone (`deploy.home` sees to it). Neither depends on the environment: every shell
and every process has to find the same.
"""

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

MAX_PATH_BYTES = 107  # sun_path of unix(7) has 108, one of them ends it
# supervisord binds a name with its process id behind it (7 digits at most and a point) and gives it the right one then.
_LONGEST_NAME = "supervisor.sock.4194304"
DATABASE = "zhuiwen"


def folder(home: Path) -> Path:
    """Return the folder of the sockets."""
    beside = home / "run"
    if len(os.fsencode(beside / _LONGEST_NAME)) <= MAX_PATH_BYTES:
        return beside
    return Path("/tmp") / f"zhuiwen-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"  # noqa: S108 - owner and mode are checked


def path(home: Path, service: str) -> Path:
    """Return the socket of a service."""
    return folder(home) / f"{service}.sock"


def mongo_url(home: Path) -> str:
    """Return the embedded page store's URL."""
    return f"mongodb://{quote(str(path(home, 'mongo')), safe='')}/{DATABASE}"


def redis_url(home: Path) -> str:
    """Return the embedded Redis' URL."""
    return f"unix://{quote(str(path(home, 'redis')))}"
