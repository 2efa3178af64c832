"""When a backup is due by the plan of the desk."""

from datetime import datetime, timedelta

from django.utils import timezone

from records.backups.runs import Asked, plan
from records.models import BackupRun
from records.sites.encrypted_secrets import unseal

# One that failed is tried again after so long, and every hour of the day if need be: a store that was away is back.
RETRY_AFTER = timedelta(hours=1)


def due(now: datetime) -> Asked | None:
    """The backup that the plan owes now: none was begun since today's time of day, or the last one failed an hour ago.

    Raises KeyLost where the passphrase was sealed with another key.
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
    return Asked(planned.destination, unseal(planned.passphrase), planned.keep, is_scheduled=True)
