"""Finds rights holders by the name or number that a user types."""

from typing import TYPE_CHECKING

from core.errors import NotFound
from webadmin.ui.console.keys import is_number

if TYPE_CHECKING:
    from webadmin.accounts.models import RightsHolder


def find_holder(key: str) -> "RightsHolder":
    """Return the rights holder with this name or, if there is none, this number. Raises NotFound without either."""
    from webadmin.accounts.models import RightsHolder
    from webadmin.accounts.services import holders

    try:
        return holders.find_holder(key)
    except NotFound:
        by_number = RightsHolder.objects.filter(pk=int(key)).first() if is_number(key) else None
        if by_number is None:
            raise
        return by_number
