"""Works as a user names them."""

from typing import TYPE_CHECKING, TypeVar

from core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from django.db.models import Model

    from webadmin.accounts.models import RightsHolder
    from webadmin.works.models import Work

    M = TypeVar("M", bound=Model)


def find_work(key: str, rights_holder: "RightsHolder | None" = None) -> "Work":
    """The work of that number or title. Raises BadInput."""
    from webadmin.works.services import catalogue

    try:
        return catalogue.find_work(key, rights_holder)
    except NotFound as error:
        raise BadInput("cli.see-works", fault=error) from error
