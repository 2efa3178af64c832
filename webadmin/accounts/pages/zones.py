"""Every answer shows times in the zone of whoever asked."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from webadmin.accounts.models import UserPreference
from webadmin.accounts.models.preference import zone_names


class ZoneMiddleware:
    """Activates the zone that the user has chosen; else the installation's stays."""

    def __init__(self, answer: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(_zone_of(request)):
            return self.answer(request)


def _zone_of(request: HttpRequest) -> ZoneInfo | None:
    """None for the installation's: nobody is logged in, nothing was chosen, or a zone that is no longer known."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
        return None
    chosen = UserPreference.objects.filter(user_id=request.user.pk).values_list("zone", flat=True).first()
    return ZoneInfo(chosen) if chosen in zone_names() else None
