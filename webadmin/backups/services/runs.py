"""Backups as the installation makes them: one at a time, each noted, old ones removed; and how old the last one is."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone

from core.errors import BadInput, RetryLater, ZhuiwenError
from core.ports import ObjectStore
from core.settings import Settings
from core.wording import Message
from pagestore.connection import connect
from pagestore.opening import open_raw_bodies
from webadmin import stores
from webadmin.backups.models import BackupPlan, BackupRun, Installation
from webadmin.backups.models.backup import ONLY
from webadmin.backups.services.destinations import destination_url, open_destination
from webadmin.backups.services.format import OBJECTS, list_backups, load
from webadmin.backups.services.home_files import has_key, read_home_files
from webadmin.backups.services.installation import installation_key
from webadmin.backups.services.writing import BackupSource, Made, Progress, make, moment_words
from webadmin.cases.models import Case
from webadmin.database import fresh

DEFAULT_WARN_DAYS = 2
LOCK = "backup.lock"
UNENDED = "backup.unended"  # the fault of a row until its backup has ended
BEAT = timedelta(minutes=1)
SILENT_FOR = timedelta(hours=1)  # longer than all rows take, of which nothing is heard; then it was killed


@dataclass(frozen=True, slots=True)
class BackupRequest:
    """One backup that is wanted. keep: how many stay at the destination, None: all."""

    destination: str
    passphrase: str = ""
    keep: int | None = None
    is_scheduled: bool = False


class BackedUp(NamedTuple):
    """The result of a backup, the number of old ones removed, and the reason if that failed."""

    made: Made
    removed: int
    warning: Message | None


def back_up(asked: BackupRequest, settings: Settings, on_progress: Progress) -> BackedUp:
    """Make a backup; its row is there from the start. Raises what stands in its way, which is noted too."""
    with only_one(settings.home):
        run = _begin_run(asked, is_shared=bool(settings.services.database_url))
        try:
            made = _make_backup(asked, settings, _with_signs_of_life(run, on_progress))
        except ZhuiwenError as error:
            _end(run, fault=error.message)
            raise
        except BaseException as error:  # a bug, a full disk, Ctrl-C: the next is due in an hour, not at once
            _end(run, fault=Message("backup.failed", reason=f"{type(error).__name__}: {error}"))
            raise
        _end(run, **_result_values(made, settings))
        removed, warning = 0, None
        try:
            if asked.keep:
                removed = keep_newest(open_destination(asked.destination, settings), asked.keep)
        except ZhuiwenError as error:
            warning = Message("backup.not-pruned", reason=error.message)
            _end(run, warning=warning)
    return BackedUp(made, removed, warning)


def note_failed(asked: BackupRequest, now: datetime, fault: Message) -> None:
    """Note a backup that could not even begin."""
    _new_row(asked, now, fault).save()


def _make_backup(asked: BackupRequest, settings: Settings, on_progress: Progress) -> Made:
    destination = open_destination(asked.destination, settings)
    _require_what_was_there(shown_destination(asked.destination), destination)
    files, secrets = read_home_files(settings.home)
    database = connect(settings.mongo_url)
    raw = open_raw_bodies(database, settings.services.raw_url, settings.s3)
    source = BackupSource(
        installation_key(), database, stores.evidence_store(), files, raw, secrets, passphrase=asked.passphrase
    )
    return make(source, destination, on_progress)


def _require_what_was_there(shown: str, destination: ObjectStore) -> None:
    """Raises BadInput where a place has none of the backups that were made there: a disk that is not mounted."""
    last = BackupRun.objects.filter(fault__isnull=True, destination=shown).exclude(backup_id="").first()
    if last is not None and not list_backups(destination):
        raise BadInput("backup.place-is-empty", place=shown, backup=last.backup_id)


def _begin_run(asked: BackupRequest, *, is_shared: bool) -> BackupRun:
    """Return the row of a backup that begins. Raises RetryLater where another machine makes one to the same place.

    is_shared: the database is one that other machines can have; of an SQLite file the lock says all.
    """
    installation_key()
    now = timezone.now()
    with transaction.atomic():
        Installation.objects.select_for_update().get(pk=ONLY)  # of two that begin at once, one is first
        place = shown_destination(asked.destination)
        others = BackupRun.objects.filter(destination=place, ended_at__gt=now - SILENT_FOR, fault__isnull=False)
        if is_shared and (other := next(filter(has_not_ended, others), None)) is not None:
            raise RetryLater("backup.another-machine", since=moment_words(other.started_at))
        run = _new_row(asked, now, Message(UNENDED))
        run.save()
    return run


def has_not_ended(run: BackupRun) -> bool:
    """Return true if nothing noted the end of a backup: it runs, or was killed."""
    return run.fault is not None and run.fault.code == UNENDED


def _with_signs_of_life(run: BackupRun, on_progress: Progress) -> Progress:
    """Progress that is noted in the row too; not while the rows are read, which is in a transaction of reading."""

    def report_progress(part: str, done: int, total: int) -> None:
        on_progress(part, done, total)
        now = timezone.now()
        if now - run.ended_at >= BEAT and not transaction.get_connection().in_atomic_block:
            fresh()
            run.ended_at = now
            BackupRun.objects.filter(pk=run.pk).update(ended_at=now)

    return report_progress


def _new_row(asked: BackupRequest, now: datetime, fault: Message) -> BackupRun:
    place = shown_destination(asked.destination)
    return BackupRun(started_at=now, ended_at=now, is_scheduled=asked.is_scheduled, destination=place, fault=fault)


def _end(run: BackupRun, fault: Message | None = None, **values: Any) -> None:
    """Note how a backup ended."""
    fresh()
    run.ended_at, run.fault = timezone.now(), fault
    for name, value in values.items():
        setattr(run, name, value)
    run.save()


def _result_values(made: Made, settings: Settings) -> dict[str, Any]:
    manifest = made.backup.manifest
    return {
        "backup_id": made.backup.id,
        "records": made.records,
        "size_bytes": made.bytes,
        "new_bytes": made.new_bytes,
        "has_secrets": bool(made.backup.seal) and has_key(settings.home),
        "lacking": len(manifest.lacking),
    }


@contextmanager
def only_one(home: Path) -> Iterator[None]:
    """One backup or removal of backups at a time on this machine. Raises RetryLater."""
    path = home / "run" / LOCK
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RetryLater("backup.another-runs") from None
        yield


def plan() -> BackupPlan:
    """Return the schedule; one that is switched off where none was ever set."""
    return BackupPlan.objects.filter(pk=ONLY).first() or BackupPlan(pk=ONLY)


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """The status of this installation's backups. last: the start of the newest that was made."""

    last: datetime | None
    is_scheduled: bool
    warning: Message | None


def backup_status(now: datetime) -> BackupStatus:
    """Report a newest backup older than set, or an installation that has cases and no backup."""
    newest = BackupRun.objects.filter(fault__isnull=True).first()
    last, planned = newest.started_at if newest else None, plan()
    limit = timedelta(days=planned.warn_days if planned.is_on else DEFAULT_WARN_DAYS)
    warning = None
    if last is None and (planned.is_on or Case.objects.exists()):
        warning = Message("backup.never")
    elif last is not None and now - last > limit:
        warning = Message("backup.old", days=(now - last).days, most=limit.days)
    return BackupStatus(last, planned.is_on, warning)


def shown_destination(destination: str) -> str:
    try:
        return destination_url(destination)[:500]
    except ZhuiwenError:
        return destination[:500]


def keep_newest(destination: ObjectStore, count: int) -> int:
    """Leave the newest backups, and remove the objects that none of them names; how many backups went.

    Raises DamagedBackup where a manifest cannot be read, before anything is removed.
    """
    keys = list_backups(destination)
    old, left = keys[:-count], keys[-count:]
    if not old:
        return 0
    needed = {name for key in left for name in load(destination, key).manifest.objects}
    for key in old:
        destination.remove(key)
    for key in list(destination.keys(OBJECTS)):
        if key.rpartition("/")[2] not in needed:
            destination.remove(key)
    return len(old)
