"""Error pages in the user's language, with the content security policy of the admin."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from webadmin.ui.pages.requests.content_policy import add_content_policy
from webadmin.ui.pages.requests.request_values import BadValue


@add_content_policy
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return a page with status 400, and a sentence about the bad value if it is known."""
    sentence = exception.sentence if isinstance(exception, BadValue) else ""
    return render(request, "400.html", {"sentence": sentence}, status=400)


forbidden = add_content_policy(defaults.permission_denied)
not_found = add_content_policy(defaults.page_not_found)
broken = add_content_policy(defaults.server_error)


@add_content_policy
def stale_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return a page with status 403 for a form with a wrong CSRF token: from another site, or opened before a login."""
    return render(request, "403_csrf.html", status=403)
