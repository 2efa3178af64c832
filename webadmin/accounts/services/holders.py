"""Finds, creates and locks rights holders."""

from core.errors import BadInput, NotFound
from webadmin.accounts.models import RightsHolder

MAX_HOLDER_CHARS = 200


def holder(name: str) -> RightsHolder:
    """Return the rights holder with this name, creating it if necessary; "" means the only rights holder.

    Raises BadInput for "" if there is none or more than one.
    """
    wanted = " ".join(name.split())
    if not wanted:
        return _only_holder()
    if len(wanted) > MAX_HOLDER_CHARS:
        raise BadInput("work.holder-too-long", most=MAX_HOLDER_CHARS)
    return RightsHolder.objects.get_or_create(name=wanted)[0]


def find_holder(name: str) -> RightsHolder:
    """Return the rights holder with this name. Raises NotFound."""
    found = RightsHolder.objects.filter(name=" ".join(name.split())).first()
    if found is None:
        raise NotFound("rights-holder", name)
    return found


def _only_holder() -> RightsHolder:
    holders = list(RightsHolder.objects.order_by("name")[:4])
    if len(holders) == 1:
        return holders[0]
    if not holders:
        raise BadInput("work.no-holder")
    names = [each.name for each in holders[:3]] + ["..."] * (len(holders) > 3)
    raise BadInput("work.which-holder", names=names)


def lock_rights(holder: int) -> RightsHolder | None:
    """Lock the rights of a holder until the transaction ends, and return the holder, or None if it was deleted.

    No other process then writes findings or rules on them. Otherwise, a page compared while a licence is entered could
    be ruled on by the earlier rights.
    """
    return RightsHolder.objects.select_for_update(no_key=True).filter(pk=holder).first()
