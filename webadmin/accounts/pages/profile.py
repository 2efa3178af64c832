"""The profile page, with the user's roles and time zone."""

from collections.abc import Callable
from datetime import datetime
from itertools import groupby
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webadmin.accounts.models import User
from webadmin.accounts.models.time_zones import require_zone, zone_names
from webadmin.ui.pages.page_responses import admin_page

NEAR = {  # The zones of most users; other zones have the English names of the time zone database.
    "Asia/Shanghai": gettext_lazy("Beijing"),
    "Asia/Hong_Kong": gettext_lazy("Hong Kong"),
    "Asia/Taipei": gettext_lazy("Taipei"),
    "Asia/Singapore": gettext_lazy("Singapore"),
    "Asia/Tokyo": gettext_lazy("Tokyo"),
    "Europe/London": gettext_lazy("London"),
    "America/New_York": gettext_lazy("New York"),
    "America/Los_Angeles": gettext_lazy("Los Angeles"),
}


class ProfileForm(forms.Form):
    """A form in which a user chooses a time zone."""

    zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("All times in the admin, in exports and in reports are shown in this zone."),
        validators=[require_zone],
        widget=forms.Select,
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial={"zone": timezone.get_current_timezone_name()})
        self.fields["zone"].widget.choices = zone_choices()


def zone_choices() -> list[tuple[Any, list[tuple[str, str]]]]:
    """Return the choices of the time zone by region, the frequent ones first, each with its current UTC offset."""
    now = timezone.now()
    near = [(name, f"{place} ({zone_offset(now, name)})") for name, place in NEAR.items()]
    rest = [name for name in zone_names() if name not in NEAR]
    regions = [
        (region, [(name, f"{name} ({zone_offset(now, name)})") for name in names])
        for region, names in groupby(rest, lambda name: name.partition("/")[0])
    ]
    return [(gettext_lazy("Often chosen"), near), *regions]


def zone_offset(now: datetime, name: str) -> str:
    """Return the UTC offset that the time zone `name` has at `now`.

    >>> zone_offset(datetime(2026, 1, 1, tzinfo=ZoneInfo("UTC")), "Asia/Shanghai")
    'UTC+08:00'
    """
    written = now.astimezone(ZoneInfo(name)).strftime("%z")
    return f"UTC{written[:3]}:{written[3:5]}"


def profile_view(request: HttpRequest) -> HttpResponse:
    """Return the profile page, or set the time zone (POST). An unknown zone gets status 400 and an error message."""
    form = ProfileForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid() and isinstance(request.user, User):
        request.user.zone = form.cleaned_data["zone"]
        request.user.save(update_fields=["zone"])
        messages.success(request, _("Times are now shown in time zone %(zone)s.") % {"zone": form.cleaned_data["zone"]})
        return HttpResponseRedirect(request.path)
    context = {
        "title": _("Your profile"),
        "form": form,
        "memberships": request.user.memberships.select_related("rights_holder"),  # type: ignore[union-attr]
    }
    status = 400 if form.is_bound else 200
    return admin_page(request, "accounts/profile.html", context, status=status)


class ZoneMiddleware:
    """Middleware that activates the time zone that the user has chosen, if any."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(_user_zone(request)):
            return self.answer(request)


def _user_zone(request: HttpRequest) -> ZoneInfo | None:
    """Return the user's time zone, or None if nobody is signed in or the user has no known zone."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
        return None
    return ZoneInfo(request.user.zone) if request.user.zone in zone_names() else None
