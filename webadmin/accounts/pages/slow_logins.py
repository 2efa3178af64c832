"""Delays logins from an IP address after wrong passwords for many user names.

django-axes counts failures by user name and address, and locks that pair for a quarter of an hour. This module counts
by address only and locks nobody out: an office behind one address waits for seconds, but guessing takes too long.
"""

from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_address
from typing import Any

from axes.helpers import get_client_ip_address
from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Max, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from core.clock import CLOCKS_DIFFER
from webadmin.ui.pages.requests.content_policy import add_content_policy

FREE_FAILURES = 3 * settings.AXES_FAILURE_LIMIT  # enough for three users who forgot their passwords
DOUBLED_AFTER = 8  # additional failures that double the pause
FIRST_PAUSE_S, LONGEST_PAUSE_S = 4, 60
MAX_NAME_CHARS = AccessAttempt._meta.get_field("username").max_length


def pause_left_s(request: HttpRequest) -> int:
    """Return the seconds until the visitor's IP address may try to log in again, or 0 if it may now."""
    now = timezone.now()
    # Attempts recorded while the clock was ahead would otherwise lock users out until that time.
    AccessAttempt.objects.filter(attempt_time__gt=now + CLOCKS_DIFFER).update(attempt_time=now)
    counted = AccessAttempt.objects.filter(
        ip_address=get_client_ip_address(request), attempt_time__gt=now - timedelta(hours=settings.AXES_COOLOFF_TIME)
    ).aggregate(failures=Sum("failures_since_start"), last=Max("attempt_time"))
    further = (counted["failures"] or 0) - FREE_FAILURES
    if further < 0:
        return 0
    pause_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(further // DOUBLED_AFTER, 10))
    return max(0, round(pause_s - (now - counted["last"]).total_seconds()))


@add_content_policy
def lockout_response(request: HttpRequest, credentials: dict[str, Any] | None = None) -> HttpResponse:
    """Return a response with status 429 for a user name locked after AXES_FAILURE_LIMIT wrong passwords."""
    return render(request, "429.html", status=429)


@add_content_policy
def pause_response(request: HttpRequest, seconds: int) -> HttpResponse:
    """Return a response with status 429 that asks to try again in `seconds`."""
    response = render(request, "429.html", {"seconds": seconds}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def attempted_name(request: HttpRequest, credentials: Mapping[str, str] | None) -> str | None:
    """Return the attempted user name, cut to the column's length, or None if there is none. No user name is longer."""
    name = (credentials or request.POST).get("username")
    return name if name is None else name[:MAX_NAME_CHARS]


def visitor_address(request: HttpRequest) -> str | None:
    """Return the IP address of the client, or None if it is invalid, such as a proxy's "unknown" or "unix:".

    PostgreSQL does not accept these values.
    """
    stated = request.META.get("REMOTE_ADDR", "")
    try:
        ip_address(stated)
    except ValueError:
        return None
    return str(stated)
