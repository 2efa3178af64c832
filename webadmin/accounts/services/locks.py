"""The lock on the rights of a rights holder: see `webadmin.cases.services.locks` for the order of all locks."""

from webadmin.accounts.models import RightsHolder


def lock_rights(holder: int) -> RightsHolder | None:
    """Let no other process write or rule findings of this rights holder until the transaction ends; None if gone.

    Without it a page that is compared while a licence is entered could be written down by the rights of before.
    """
    return RightsHolder.objects.select_for_update(no_key=True).filter(pk=holder).first()
