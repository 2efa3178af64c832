"""Finds works by the number or title that a user types."""

from typing import TYPE_CHECKING

from core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from webadmin.accounts.models import RightsHolder
    from webadmin.works.models import Work


def find_work(key: str, rights_holder: "RightsHolder | None" = None) -> "Work":
    """Return the work with this number or title, of `rights_holder` if it is not None.

    Raises BadInput if there is no such work, or if several works have the title.
    """
    from webadmin.works.services import catalogue

    try:
        return catalogue.find_work(key, rights_holder)
    except NotFound as error:
        raise BadInput("cli.see-works", fault=error) from error
