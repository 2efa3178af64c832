"""The preference of a user: the time zone in which times are shown."""

from functools import cache
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
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
