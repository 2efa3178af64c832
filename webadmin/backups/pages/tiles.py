"""The backups on the dashboard."""

from django.dispatch import receiver
from django.utils import timezone
from django.utils.translation import gettext as _

from webadmin.accounts.services.access import Person, is_administrator
from webadmin.backups.models import BackupRun
from webadmin.backups.services.runs import standing
from webadmin.reports.pages.dashboard import Tile, list_address
from webadmin.reports.signals import tiles_wanted


@receiver(tiles_wanted)
def backup_tiles(user: Person, **_kwargs: object) -> list[Tile]:
    """That the last backup is too old, or that there never was one: for administrators, who see to it."""
    if not is_administrator(user):
        return []
    now = timezone.now()
    stands = standing(now)
    if stands.warning is None:
        return []
    if stands.last is None:
        return [Tile(_("Backups made"), 0, list_address(BackupRun), is_urgent=True)]
    return [Tile(_("Days since the last backup"), (now - stands.last).days, list_address(BackupRun), is_urgent=True)]
