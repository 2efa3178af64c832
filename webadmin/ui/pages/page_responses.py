"""Responses for custom admin pages, and the pagination of their tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import admin
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from webadmin.ui.pages.requests.content_policy import set_policy
from webadmin.ui.pages.requests.request_values import BadValue, is_page_number


def admin_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int = 200, frames: bool = False
) -> TemplateResponse:
    """Return an admin page with the content security policy.

    frames: whether it contains another admin page in a frame.
    """
    shown = {**admin.site.each_context(request), **context}
    return set_policy(TemplateResponse(request, template, shown, status=status), frames=frames)


def requested_page(request: HttpRequest, rows: "Sequence[Any] | QuerySet[Any]", per_page: int) -> "Page[Any]":
    """Return the page of rows that the URL requests (?page). Raises BadValue for a value that is not a page number."""
    number = request.GET.get("page", "1")
    if not is_page_number(number):
        raise BadValue("page", number, _("enter the number of a page."))
    return Paginator(rows, per_page).get_page(number)
