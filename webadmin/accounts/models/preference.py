"""The preferences of a user."""

from functools import cache
from zoneinfo import available_timezones

from django.conf import settings
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


class UserPreference(models.Model):
    """The preferences of a user. Times are stored in UTC and shown in `zone`."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="preference", verbose_name=_("user")
    )
    zone = models.CharField(_("time zone"), max_length=64, validators=[require_zone])

    class Meta:
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return f"{self.user} · {self.zone}"
