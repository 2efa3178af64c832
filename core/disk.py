"""Checks the free space on the disks of an installation, for `status`, `doctor` and commands that time out."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.settings import Settings
from core.wording import Message

# Chosen, not measured: below this, one write of a crawl (32 pages of up to 16 MB) may leave no room for SQLite's log,
# Redis' append-only file or any other file on the disk.
FULL_BYTES = 64_000_000
# Chosen, not measured: 100,000 pages at an assumed 4 kB compressed are 0.4 GB, and the log of the embedded page store
# and the rewrite of Redis' append-only file temporarily need about as much again.
LOW_BYTES = 1_000_000_000
_PROBE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Space:
    """The free space on the file system of a folder. is_full: whether nothing can be stored there, for any reason."""

    folder: Path
    free_bytes: int
    is_full: bool

    @property
    def sentence(self) -> Message:
        """The problem and its remedy."""
        return Message("start.problem-and-remedy", problem=self.problem, remedy=self.remedy)

    @property
    def problem(self) -> Message:
        if self.is_full:
            return Message("start.disk-full", folder=self.folder, megabytes=self.free_bytes / 1e6)
        return Message("start.disk-low", folder=self.folder, gigabytes=self.free_bytes / 1e9)

    @property
    def remedy(self) -> Message:
        wanted = LOW_BYTES / 1e9
        return Message("start.full-disk-remedy" if self.is_full else "start.disk-remedy", gigabytes=wanted)


def full_file_systems(settings: Settings) -> list[Space]:
    """Return the file systems of the installation on which nothing more can be stored."""
    return [space for space in file_systems(settings) if space.is_full]


def file_systems(settings: Settings) -> list[Space]:
    """Return the free space of each file system that the installation writes to."""
    found: dict[int, Space] = {}
    for folder in _data_folders(settings):
        with contextlib.suppress(OSError):
            device = folder.stat().st_dev
            if device not in found:
                free = shutil.disk_usage(folder).free
                found[device] = Space(folder, free, free < FULL_BYTES or not _can_store(folder))
    return list(found.values())


def _data_folders(settings: Settings) -> Iterator[Path]:
    yield settings.home
    if settings.services.embeds_mongo:
        yield settings.home / "mongo"
    if settings.services.embeds_redis:
        yield settings.home / "redis"
    yield settings.home / "logs"
    if settings.services.index_snapshot:
        yield Path(settings.services.index_snapshot).expanduser()
    for url in (settings.services.database_url, settings.services.raw_url, settings.evidence.url):
        scheme, _, path = url.partition(":///")
        if scheme in ("sqlite", "file"):
            yield Path(f"/{path.lstrip('/')}") if scheme == "file" else Path(f"/{path.lstrip('/')}").parent


def _can_store(folder: Path) -> bool:
    """Return whether a small file can be written. The free space reveals neither a quota nor a read-only disk."""
    probe = folder / f".space.{os.getpid()}"
    try:
        with probe.open("wb") as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            probe.unlink()
    return True
