"""What a user chooses for themselves."""

from datetime import datetime
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from records.models.preference import require_zone, zone_names

NEAR = {  # where most readers are; the rest has its English names, which are those of the zone database
    "Asia/Shanghai": _("Beijing"),
    "Asia/Hong_Kong": _("Hong Kong"),
    "Asia/Taipei": _("Taipei"),
    "Asia/Singapore": _("Singapore"),
    "Asia/Tokyo": _("Tokyo"),
    "Europe/London": _("London"),
    "America/New_York": _("New York"),
    "America/Los_Angeles": _("Los Angeles"),
}
REGIONS = {
    "Africa": _("Africa"),
    "America": _("America"),
    "Antarctica": _("Antarctica"),
    "Arctic": _("Arctic"),
    "Asia": _("Asia"),
    "Atlantic": _("Atlantic"),
    "Australia": _("Australia"),
    "Europe": _("Europe"),
    "Indian": _("Indian Ocean"),
    "Pacific": _("Pacific"),
}


class ProfileForm(forms.Form):
    """The zone in which times are shown."""

    zone = forms.CharField(
        label=_("Time zone"),
        help_text=_("Every time on the desk, in exports and in reports made from it is shown in this zone."),
        validators=[require_zone],
        widget=forms.Select,
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial={"zone": timezone.get_current_timezone_name()})
        self.fields["zone"].widget.choices = zone_choices()


def zone_choices() -> list[tuple[Any, list[tuple[str, str]]]]:
    """All zones by region, each with its distance from UTC now."""
    now = timezone.now()
    near = [(name, f"{place} ({distance(now, name)})") for name, place in NEAR.items()]
    rest = [name for name in zone_names() if name not in NEAR]
    regions = [
        (REGIONS.get(region, region), [(name, f"{name} ({distance(now, name)})") for name in names])
        for region, names in groupby(rest, lambda name: name.partition("/")[0])
    ]
    return [(_("Often chosen"), near), *regions]


def distance(now: datetime, name: str) -> str:
    """How far a zone is from UTC.

    >>> distance(datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC")), "Asia/Shanghai")
    'UTC+08:00'
    """
    written = now.astimezone(ZoneInfo(name)).strftime("%z")
    return f"UTC{written[:3]}:{written[3:5]}"
