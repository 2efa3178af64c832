"""Checks whether an installation has the demo's sites, and returns their ports."""

from pathlib import Path

FOLDER = "demo"
SITE_COUNT = 7
HOST = "127.0.0.1"


def folder(home: Path) -> Path:
    """Return the folder of the demo's passwords and of the log of its sites."""
    return home / FOLDER


def is_present(home: Path) -> bool:
    """Return whether the demo was set up in this home folder."""
    return folder(home).is_dir()


def ports(first: int) -> tuple[int, ...]:
    """Return one port for each site, in the order of the plan. first: the port of the first site."""
    return tuple(range(first, first + SITE_COUNT))


def hosts(first: int) -> tuple[str, ...]:
    """Return the hosts of the demo's sites, the only private hosts from which the crawler may fetch.

    first: the port of the first site.
    """
    return tuple(f"{HOST}:{port}" for port in ports(first))
