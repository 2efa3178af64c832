"""Whether the demo's sites belong to an installation, and at which ports they answer."""

from pathlib import Path

FOLDER = "demo"
SITE_COUNT = 7
HOST = "127.0.0.1"


def folder(home: Path) -> Path:
    """Return where the demo keeps its passwords and the log of its sites."""
    return home / FOLDER


def is_present(home: Path) -> bool:
    """Return whether the demo was set up in this home folder."""
    return folder(home).is_dir()


def ports(first: int) -> tuple[int, ...]:
    """Return one port for each site, in the order of the plan."""
    return tuple(range(first, first + SITE_COUNT))


def hosts(first: int) -> tuple[str, ...]:
    """Return the addresses that the crawler may fetch although they are private: the demo's own and no other."""
    return tuple(f"{HOST}:{port}" for port in ports(first))
