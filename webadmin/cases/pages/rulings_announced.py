"""Informs users about the effects of changed rights on cases."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _now

from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import RightsRecord


@contextmanager
def announce_rulings(request: HttpRequest, holder: int) -> Iterator[None]:
    """Add a message with the numbers of cases whose page is allowed, or no longer allowed, after the block.

    The block changes the rights of the rights holder with the key `holder`. If rulings are still pending, the message
    says so.
    """
    newest = RightsRecord.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    yield
    if RightsHolder.objects.filter(pk=holder, unruled_since__isnull=False).exists():
        messages.info(request, _now("There are many matches; the new rights are applied to them within minutes."))
        return
    records = RightsRecord.objects.filter(pk__gt=newest, case__rights_holder=holder, cause=RightsRecord.Cause.RIGHTS)
    allowed, not_allowed = records.exclude(allowed_as="").count(), records.filter(allowed_as="").count()
    if allowed or not_allowed:
        words = _now("Cases whose page is now allowed: %(allowed)d; no longer allowed: %(not_allowed)d.")
        messages.info(request, words % {"allowed": allowed, "not_allowed": not_allowed})
