"""The identity of this installation."""

from webadmin.backups.models import Installation
from webadmin.backups.models.backup import ONLY


def installation_key() -> str:
    """Return the key of this installation, creating it on the first call."""
    return Installation.objects.get_or_create(pk=ONLY)[0].key
