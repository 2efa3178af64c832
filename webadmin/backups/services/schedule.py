"""When a backup is due by the plan of the desk."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta

from django.utils import timezone

from core.clock import SystemClock
from pipeline.app import SETTINGS
from webadmin.backups.models import BackupRun
from webadmin.backups.services.runs import SILENT_FOR, BackupRequest, back_up, note_failed, plan
from webadmin.sites.services.encrypted_secrets import KeyLost, unseal
from webadmin.sites.services.slot_process import work_in_slot

# One that failed is tried again after so long, and every hour of the day if need be: a store that was away is back.
RETRY_AFTER = SILENT_FOR


def due(now: datetime) -> BackupRequest | None:
    """The backup that the plan owes now: none was begun since today's time of day, or the last one failed an hour ago.

    One that runs counts as one that failed at its last sign of life. Where the passphrase was sealed with another key,
    that is noted as a backup that failed.
    """
    planned = plan()
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
    """Make the backup that is due; 1 where it failed, which its row says too."""
    return work_in_slot(arguments, _back_up, log, "the backup of the schedule")


def _back_up() -> None:
    asked = due(SystemClock().now())
    if asked is None:
        return
    made, removed, warning = back_up(asked, SETTINGS, lambda *_: None)
    if warning is not None:
        log.warning("%s", warning)
    log.info("backup %s: %d bytes new, %d old ones removed", made.backup.id, made.new_bytes, removed)
