"""Finds the suspected rewrite that a user names on the command line."""

from typing import TYPE_CHECKING

from core.errors import BadInput
from webadmin.ui.console.keys import as_number, find_row

if TYPE_CHECKING:
    from webadmin.rewrites.models import RewordedLead


def find_lead(key: str) -> "RewordedLead":
    """Return the lead with this number. Raises BadInput if there is none."""
    from webadmin.rewrites.models import RewordedLead

    number = as_number(key, BadInput("reworded.no-lead", number=repr(key)))
    rows = RewordedLead.objects.select_related("work", "page", "site", "rights_holder")
    return find_row(rows, number, "reworded.no-lead")
