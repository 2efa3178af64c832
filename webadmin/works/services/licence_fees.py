"""Records licence fees of works per thousand characters. Managers enter them with their source; they never change."""

from datetime import datetime
from decimal import Decimal, InvalidOperation

from django.db import transaction

from core.errors import BadInput
from core.text import storable
from webadmin.accounts.models import User
from webadmin.accounts.services.access import may_manage
from webadmin.accounts.services.holders import lock_rights
from webadmin.works.models import LicenceFee, Work

MOST_PER_THOUSAND = Decimal(1_000_000)  # CNY; the highest known fees are some thousands
MAX_SOURCE_CHARS = 500


class FeeRefused(BadInput):
    """The error if a fee is not recorded, with the reason."""


def enter_fee(work: Work, per_thousand: str, source: str, by: User, now: datetime) -> LicenceFee:
    """Record a fee in CNY from now on, and return its row; the row of the current fee if it is the same.

    Raises FeeRefused if `by` is not a manager, the amount is invalid, or the source is missing or too long.
    """
    if not may_manage(by, work):
        raise FeeRefused("damages.managers-only")
    try:
        fee = Decimal(per_thousand.strip())
    except InvalidOperation as error:
        raise FeeRefused("damages.no-amount") from error
    if not fee.is_finite() or not 0 < fee <= MOST_PER_THOUSAND or fee != round(fee, 2):
        raise FeeRefused("damages.no-amount")
    source = " ".join(storable(source).split())
    if not source:
        raise FeeRefused("damages.no-source")
    if len(source) > MAX_SOURCE_CHARS:
        raise FeeRefused("proof.too-long", most=MAX_SOURCE_CHARS)
    with transaction.atomic():
        lock_rights(work.rights_holder_id)
        standing = current_fee(work)
        if standing is not None and (standing.per_thousand, standing.source) == (fee, source):
            return standing  # The form was sent twice.
        return LicenceFee.objects.create(work=work, per_thousand=fee, source=source, entered_by=by, entered_at=now)


def current_fee(work: Work) -> LicenceFee | None:
    """Return the newest fee of a work, which is the one that applies, or None if there is none."""
    return LicenceFee.objects.filter(work=work).select_related("entered_by").first()
