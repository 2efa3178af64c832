"""Other installations that this very program runs on the machine, so that nobody starts a second one by mistake."""

import os
from pathlib import Path

from core.heartbeat import PROCESS
from core.known_settings import variable_of
from core.wording import Message
from deploy.home import Home

_PROC = Path("/proc")
_STORED = ("mongo/*.db", "admin.sqlite3", "run/started.toml", "run/ended.toml", "settings.toml")


def others(home: Home) -> list[Path]:
    """The home folders for which processes of this user run from the same place in the file system, but this one."""
    root = home.environment["PYTHONPATH"].partition(os.pathsep)[0]
    found = set()
    for folder in _PROC.iterdir():
        environ = _environ(folder) if folder.name.isdecimal() else {}
        if environ.get(PROCESS) and environ.get("PYTHONPATH", "").partition(os.pathsep)[0] == root:
            found.add(Path(environ.get(variable_of("home"), "")))
    return sorted(found - {home.path, Path()})


def describe_other(other: Path) -> Message:
    """Where another installation is, and how commands find it."""
    return Message("start.elsewhere", home=other)


def is_unused(home: Path) -> bool:
    """Whether nothing was ever stored or set in a home folder."""
    return not any(path.stat().st_size for pattern in _STORED for path in home.glob(pattern))


def _environ(folder: Path) -> dict[str, str]:
    try:
        if folder.stat().st_uid != os.getuid():
            return {}
        pairs = (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(os.fsdecode(pair).partition("=")[::2] for pair in pairs if b"=" in pair)
