"""What tells this installation from another."""

from records.models import Installation
from records.models.backup import ONLY


def installation_key() -> str:
    """The key of this installation; made when it is first asked for."""
    return Installation.objects.get_or_create(pk=ONLY)[0].key
