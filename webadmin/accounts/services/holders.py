"""Finds, creates and locks rights holders."""

from core.errors import BadInput, NotFound
from webadmin.accounts.models import RightsHolder

MAX_HOLDER_CHARS = 200


def holder(name: str) -> RightsHolder:
    """Return the rights holder with this name, which is created if it does not exist; "" means the only rights holder.

    Raises BadInput if the name is too long, or if it is "" and there is not exactly one rights holder.
    """
    wanted = " ".join(name.split())
    if not wanted:
        return _only_holder()
    if len(wanted) > MAX_HOLDER_CHARS:
        raise BadInput("work.holder-too-long", most=MAX_HOLDER_CHARS)
    return RightsHolder.objects.get_or_create(name=wanted)[0]


def find_holder(name: str) -> RightsHolder:
    """Return the rights holder with this name. Raises NotFound if there is none."""
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
    """Lock the rights holder with the key `holder` until the transaction ends. Returns None if it was deleted.

    While it is locked, no other process writes or rules on its findings. Otherwise, a page compared while a licence is
    entered could be ruled on by the earlier rights.
    """
    return RightsHolder.objects.select_for_update(no_key=True).filter(pk=holder).first()
