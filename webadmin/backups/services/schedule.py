"""Makes the backups that are due by the schedule."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from django.utils import timezone

from core.clock import SystemClock
from pipeline.app import SETTINGS
from webadmin.backups.models import BackupRun
from webadmin.backups.services.runs import SILENT_FOR, BackupRequest, back_up, backup_plan, note_failed
from webadmin.sites.services.crawlers import work_in_slot
from webadmin.sites.services.encrypted_secrets import KeyLost, unseal

# The time until a failed backup is retried, repeatedly if necessary, because a store may be reachable by then.
RETRY_AFTER = SILENT_FOR


def due_backup(now: datetime) -> BackupRequest | None:
    """Return the scheduled backup that is due, or None.

    It is due if none began since the scheduled time, or if the last one failed an hour ago. A running backup counts as
    failed at its last sign of life. If the passphrase was encrypted with another key, this records a failed backup.
    """
    planned = backup_plan()
    if not planned.is_on or not planned.destination:
        return None
    here = timezone.localtime(now)
    wanted = timezone.make_aware(datetime.combine(here.date(), planned.at))
    if wanted > now:
        wanted -= timedelta(days=1)
    last = BackupRun.objects.filter(is_scheduled=True).first()
    if last is not None and last.started_at >= wanted:
        has_failed = last.fault is not None
        if not has_failed or now - last.ended_at < RETRY_AFTER:
            return None
    asked = BackupRequest(planned.destination, keep=planned.keep, is_scheduled=True)
    try:
        return replace(asked, passphrase=unseal(planned.passphrase))
    except KeyLost as error:
        note_failed(asked, now, error.message)
        return None


log = logging.getLogger("zhuiwen.backups")


def main(arguments: list[str]) -> int:
    """Make the backup that is due, and return the exit code, which is 1 if it failed. Its row records the error."""
    return work_in_slot(arguments, _back_up, log, "the backup of the schedule")


def _back_up() -> None:
    asked = due_backup(SystemClock().now())
    if asked is None:
        return
    made, removed, warning = back_up(asked, SETTINGS, lambda *_: None)
    if warning is not None:
        log.warning("%s", warning)
    log.info("backup %s: %d bytes new, %d old ones removed", made.backup.id, made.new_bytes, removed)
