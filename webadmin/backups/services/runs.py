"""Runs backups one at a time, records each, removes old ones, and reports the age of the last."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import tomlkit
from django.db import transaction
from django.utils import timezone

from core.errors import BadInput, RetryLater, ZhuiwenError
from core.known_settings import known_settings
from core.ports import ObjectStore
from core.settings import Settings
from core.settings_layers import SECRETS_FILE, SETTINGS_FILE
from core.wording import Message
from pagestore.connection import connect
from pagestore.opening import open_raw_bodies
from webadmin import stores
from webadmin.backups.models import BackupPlan, BackupRun, Installation
from webadmin.backups.models.backup import ONLY, installation_key
from webadmin.backups.services.destinations import destination_url, open_destination
from webadmin.backups.services.format import OBJECTS, list_backups, load_backup
from webadmin.backups.services.writing import BackupSource, Made, Progress, make
from webadmin.cases.models import Case
from webadmin.database import refresh_connections

DEFAULT_WARN_DAYS = 2
LOCK = "backup.lock"
UNENDED = "backup.unended"  # the error in a row until its backup ends
BEAT = timedelta(minutes=1)
SILENT_FOR = timedelta(hours=1)  # after this time without a sign of life, a backup counts as killed
ROOTS = "authorities"  # a folder of certificates, one file for each timestamp authority


@dataclass(frozen=True, slots=True)
class BackupRequest:
    """A requested backup. keep: the number of backups to keep at the destination, or None for all."""

    destination: str
    passphrase: str = ""
    keep: int | None = None
    is_scheduled: bool = False


class BackedUp(NamedTuple):
    """The result of a backup, the number of old backups removed, and the reason if removing them failed."""

    made: Made
    removed: int
    warning: Message | None


def back_up(asked: BackupRequest, settings: Settings, on_progress: Progress) -> BackedUp:
    """Make a backup and return its result. Its row is created at the start, and any error is recorded and raised.

    Raises RetryLater if another backup is running.
    """
    with backup_lock(settings.home):
        run = _begin_run(asked, is_shared=bool(settings.services.database_url))
        try:
            made = _make_backup(asked, settings, _with_signs_of_life(run, on_progress))
        except ZhuiwenError as error:
            _end_run(run, fault=error.message)
            raise
        except BaseException as error:  # recorded too, so that the next is due in an hour
            _end_run(run, fault=Message("backup.failed", reason=f"{type(error).__name__}: {error}"))
            raise
        _end_run(run, **_result_values(made, settings))
        removed, warning = 0, None
        try:
            if asked.keep:
                removed = keep_newest(open_destination(asked.destination, settings), asked.keep)
        except ZhuiwenError as error:
            warning = Message("backup.not-pruned", reason=error.message)
            _end_run(run, warning=warning)
    return BackedUp(made, removed, warning)


def note_failed(asked: BackupRequest, now: datetime, fault: Message) -> None:
    """Record a requested backup that could not begin, with its error."""
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
    """Raise BadInput if a destination lacks all backups made there, for example because a disk is not mounted."""
    last = BackupRun.objects.filter(fault__isnull=True, destination=shown).exclude(backup_id="").first()
    if last is not None and not list_backups(destination):
        raise BadInput("backup.place-is-empty", place=shown, backup=last.backup_id)


def _begin_run(asked: BackupRequest, *, is_shared: bool) -> BackupRun:
    """Create the row of a new backup.

    is_shared: whether other machines can use the database; for an SQLite file the lock suffices. Raises RetryLater if
    another machine is making a backup at the same destination.
    """
    installation_key()
    now = timezone.now()
    with transaction.atomic():
        Installation.objects.select_for_update().get(pk=ONLY)  # serializes backups that begin concurrently
        place = shown_destination(asked.destination)
        others = BackupRun.objects.filter(destination=place, ended_at__gt=now - SILENT_FOR, fault__isnull=False)
        if is_shared and (other := next(filter(is_unfinished, others), None)) is not None:
            raise RetryLater("backup.another-machine", since=f"{other.started_at:%Y-%m-%d %H:%M} UTC")
        run = _new_row(asked, now, Message(UNENDED))
        run.save()
    return run


def is_unfinished(run: BackupRun) -> bool:
    """Return True if the end of a backup is not recorded, because it is running or was killed."""
    return run.fault is not None and run.fault.code == UNENDED


def _with_signs_of_life(run: BackupRun, on_progress: Progress) -> Progress:
    """Return a progress function that also updates the row, except in the read transaction that copies the rows."""

    def report_progress(part: str, done: int, total: int) -> None:
        on_progress(part, done, total)
        now = timezone.now()
        if now - run.ended_at >= BEAT and not transaction.get_connection().in_atomic_block:
            refresh_connections()
            run.ended_at = now
            BackupRun.objects.filter(pk=run.pk).update(ended_at=now)

    return report_progress


def _new_row(asked: BackupRequest, now: datetime, fault: Message) -> BackupRun:
    place = shown_destination(asked.destination)
    return BackupRun(started_at=now, ended_at=now, is_scheduled=asked.is_scheduled, destination=place, fault=fault)


def _end_run(run: BackupRun, fault: Message | None = None, **values: Any) -> None:
    """Record the end of a backup, with its error if it failed, and further values of its row."""
    refresh_connections()
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
def backup_lock(home: Path) -> Iterator[None]:
    """Lock this machine for one backup or removal of backups at a time. Raises RetryLater if it is locked."""
    path = home / "run" / LOCK
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RetryLater("backup.another-runs") from None
        yield


def backup_plan() -> BackupPlan:
    """Return the schedule, or a disabled one if none was set."""
    return BackupPlan.objects.filter(pk=ONLY).first() or BackupPlan(pk=ONLY)


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """The status of this installation's backups. last: the start of the newest successful one, or None."""

    last: datetime | None
    warning: Message | None


def backup_status(now: datetime) -> BackupStatus:
    """Return the status of backups, with a warning if the newest is too old, or if there are cases and no backup."""
    newest = BackupRun.objects.filter(fault__isnull=True).first()
    last, planned = newest.started_at if newest else None, backup_plan()
    limit = timedelta(days=planned.warn_days if planned.is_on else DEFAULT_WARN_DAYS)
    warning = None
    if last is None and (planned.is_on or Case.objects.exists()):
        warning = Message("backup.never")
    elif last is not None and now - last > limit:
        warning = Message("backup.old", days=(now - last).days, most=limit.days)
    return BackupStatus(last, warning)


def shown_destination(destination: str) -> str:
    try:
        return destination_url(destination)[:500]
    except ZhuiwenError:
        return destination[:500]


def keep_newest(destination: ObjectStore, count: int) -> int:
    """Remove all but the newest `count` backups, and return how many were removed.

    Objects that no remaining backup needs are removed too. Raises DamagedBackup if a manifest cannot be read, before
    anything is removed.
    """
    keys = list_backups(destination)
    old, left = keys[:-count], keys[-count:]
    if not old:
        return 0
    needed = {name for key in left for name in load_backup(destination, key).manifest.objects}
    for key in old:
        destination.remove(key)
    for key in list(destination.keys(OBJECTS)):
        if key.rpartition("/")[2] not in needed:
            destination.remove(key)
    return len(old)


def read_home_files(home: Path) -> tuple[dict[str, bytes], bytes]:
    """Return the plain files in the home folder by name, and the secrets for the seal as TOML."""
    kept = {str(path.relative_to(home)): path.read_bytes() for path in sorted((home / ROOTS).glob("*.pem"))}
    plain, hidden = _parse_toml(home / SETTINGS_FILE), _parse_toml(home / SECRETS_FILE)
    known = known_settings()
    for name in [each for each in plain if each in known and known[each].declaration.is_secret]:
        hidden.setdefault(name, plain.pop(name))  # Operators may write a secret there by hand.
    if (home / SETTINGS_FILE).is_file():
        kept[SETTINGS_FILE] = tomlkit.dumps(plain).encode()
    return kept, tomlkit.dumps(hidden).encode()


def has_key(home: Path) -> bool:
    """Return True if the files, and not only the environment, contain the key to the secrets in the database."""
    return any("secret_key" in _parse_toml(home / file) for file in (SETTINGS_FILE, SECRETS_FILE))


def _parse_toml(path: Path) -> tomlkit.TOMLDocument:
    return tomlkit.parse(path.read_text("utf-8")) if path.is_file() else tomlkit.document()
