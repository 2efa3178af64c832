"""Backups as the installation makes them: one at a time, each noted, old ones removed; and how old the last one is."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

from core.errors import RetryLater, ZhuiwenError
from core.settings import Settings
from core.settings_layers import SECRETS_FILE
from core.wording import Message
from pagestore.connection import connect
from pagestore.opening import open_raw_bodies
from records import stores
from records.backups import pruning
from records.backups.destinations import open_destination, url_of
from records.backups.home_files import files_of
from records.backups.installation import installation_key
from records.backups.writing import Made, Progress, Source, make
from records.models import BackupPlan, BackupRun, Case
from records.models.backup import ONLY

DEFAULT_WARN_DAYS = 2
LOCK = "backup.lock"


@dataclass(frozen=True, slots=True)
class Asked:
    """One backup that is wanted. keep: how many stay at the destination, None: all."""

    destination: str
    passphrase: str = ""
    keep: int | None = None
    is_scheduled: bool = False


def back_up(asked: Asked, settings: Settings, on_progress: Progress) -> tuple[Made, int]:
    """Make a backup and note it; what it came to, and how many old ones were removed.

    Raises what stands in its way, which is noted too.
    """
    started_at = timezone.now()
    with only_one(settings.home):
        try:
            destination = open_destination(asked.destination, settings)
            files = files_of(settings.home, asked.passphrase)
            database = connect(settings.mongo_url)
            raw = open_raw_bodies(database, settings.services.raw_url, settings.s3)
            source = Source(installation_key(), database, stores.evidence_store(), files, raw)
            made = make(source, destination, on_progress)
            removed = pruning.keep_newest(destination, asked.keep) if asked.keep else 0
        except ZhuiwenError as error:
            _note(asked, started_at, fault=error.message)
            raise
        _note(asked, started_at, made)
    return made, removed


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """One backup or removal of backups at a time on this machine. Raises RetryLater."""
    path = home / "run" / LOCK
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RetryLater("backup.another-runs") from None
        yield


def plan() -> BackupPlan:
    """The schedule; one that is switched off where none was ever set."""
    return BackupPlan.objects.filter(pk=ONLY).first() or BackupPlan(pk=ONLY)


@dataclass(frozen=True, slots=True)
class Standing:
    """How the backups of this installation stand. last: the start of the newest that was made."""

    last: datetime | None
    is_scheduled: bool
    warning: Message | None


def standing(now: datetime) -> Standing:
    """What is wrong: the newest backup is older than set, or there never was one of an installation that has cases."""
    newest = BackupRun.objects.filter(fault__isnull=True).first()
    last, planned = newest.started_at if newest else None, plan()
    limit = timedelta(days=planned.warn_days if planned.is_on else DEFAULT_WARN_DAYS)
    warning = None
    if last is None and (planned.is_on or Case.objects.exists()):
        warning = Message("backup.never")
    elif last is not None and now - last > limit:
        warning = Message("backup.old", days=(now - last).days, most=limit.days)
    return Standing(last, planned.is_on, warning)


def _note(asked: Asked, started_at: datetime, made: Made | None = None, fault: Message | None = None) -> None:
    row = BackupRun(
        started_at=started_at,
        ended_at=timezone.now(),
        is_scheduled=asked.is_scheduled,
        destination=shown_destination(asked.destination),
        fault=fault,
    )
    if made is not None:
        manifest = made.backup.manifest
        row.backup_id, row.records = made.backup.id, made.records
        row.size_bytes, row.new_bytes = made.bytes, made.new_bytes
        row.has_secrets, row.lacking = SECRETS_FILE in manifest.files, len(manifest.lacking)
    row.save()


def shown_destination(destination: str) -> str:
    try:
        return url_of(destination)[:500]
    except ZhuiwenError:
        return destination[:500]
