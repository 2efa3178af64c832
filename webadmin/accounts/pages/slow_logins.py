"""Delays logins from an address that tries passwords for many names.

django-axes counts failures by name and address and locks that pair for a quarter of an hour. This module counts only by
address, without a lockout: an office behind one address waits for seconds, but guessing takes too long.
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

FREE_FAILURES = 3 * settings.AXES_FAILURE_LIMIT  # as many as three users who forgot their passwords
DOUBLED_AFTER = 8  # further failures
FIRST_PAUSE_S, LONGEST_PAUSE_S = 4, 60
MAX_NAME_CHARS = AccessAttempt._meta.get_field("username").max_length


def pause_left_s(request: HttpRequest) -> int:
    """Return the seconds until this address may try again, or 0 if it need not wait."""
    now = timezone.now()
    # A clock that was ahead would lock users out until that day.
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
    """Return a response with status 429 after too many wrong passwords (webadmin.settings: AXES_FAILURE_LIMIT)."""
    return render(request, "429.html", status=429)


@add_content_policy
def pause_response(request: HttpRequest, seconds: int) -> HttpResponse:
    """Return a response with status 429 while an address has to wait."""
    response = render(request, "429.html", {"seconds": seconds}, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def attempted_name(request: HttpRequest, credentials: Mapping[str, str] | None) -> str | None:
    """Return the attempted user name, cut to the length that PostgreSQL stores; no user has a longer name."""
    name = (credentials or request.POST).get("username")
    return name if name is None else name[:MAX_NAME_CHARS]


def visitor_address(request: HttpRequest) -> str | None:
    """Return the IP address of the client, or None if the proxy sends "unknown" or "unix:".

    PostgreSQL would not accept these values.
    """
    stated = request.META.get("REMOTE_ADDR", "")
    try:
        ip_address(stated)
    except ValueError:
        return None
    return str(stated)
