"""The users."""

from functools import cache
from zoneinfo import available_timezones

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _


@cache
def zone_names() -> tuple[str, ...]:
    """Return the time zones on offer: places and UTC, without the many obsolete aliases."""
    places = (
        each for each in available_timezones() if "/" in each and not each.startswith(("Etc/", "SystemV/", "US/"))
    )
    return ("UTC", *sorted(places))


def require_zone(name: str) -> None:
    """Raise ValidationError for a time zone that is not on offer."""
    if name not in zone_names():
        raise ValidationError(_("“%(zone)s” is not a time zone; choose one from the list."), params={"zone": name[:60]})


class User(AbstractUser):
    """A person who signs in. Memberships determine what the person may do.

    zone: the time zone in which times are shown, or "" for that of the installation; times are stored in UTC.
    """

    zone = models.CharField(_("time zone"), max_length=64, blank=True, editable=False, validators=[require_zone])
