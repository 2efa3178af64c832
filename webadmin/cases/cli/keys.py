"""Finds cases and matters by the numbers that users type."""

from typing import TYPE_CHECKING

from core.errors import BadInput
from webadmin.ui.console.keys import as_number, find_row

if TYPE_CHECKING:
    from webadmin.cases.models import Matter


def find_matter(key: str) -> "Matter":
    """Return the matter with this number. Raises BadInput if it is not a number or there is no such matter."""
    from webadmin.cases.models import Matter

    number = as_number(key, BadInput("cli.no-matter-number", text=repr(key)))
    return find_row(Matter.objects.select_related("site", "work", "rights_holder"), number, "corpus.no-matter")


def parse_case_id(text: str) -> int:
    """Return the number of a case that a user typed. Raises BadInput if the text is not a number."""
    return as_number(text, BadInput("cli.no-case-number", text=repr(text)))
