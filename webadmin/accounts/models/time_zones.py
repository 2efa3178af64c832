"""The choice of the time zone in which a user sees times."""

from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _


@cache
def zone_names() -> tuple[str, ...]:
    """Return the names of the time zones that a user can choose: UTC and places, without obsolete aliases."""
    places = (
        each for each in available_timezones() if "/" in each and not each.startswith(("Etc/", "SystemV/", "US/"))
    )
    return ("UTC", *sorted(places))


def require_zone(name: str) -> None:
    """Raise ValidationError if `name` is not one of `zone_names`."""
    if name not in zone_names():
        raise ValidationError(_("“%(zone)s” is not a time zone; choose one from the list."), params={"zone": name[:60]})
