"""Due items of notices, as an admin page and as rows for the inbox."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.wording import Message
from webadmin.accounts.models import User
from webadmin.accounts.services.access import visible
from webadmin.notices.models import Notice
from webadmin.notices.services.due import DueItem, list_due
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.wording import message_text


def due_view(request: HttpRequest) -> HttpResponse:
    """Show the due items of the notices that the user may see."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    context = {
        "opts": Notice._meta,
        "title": _("What is due"),
        "rows": due_rows(request.user),
    }
    return admin_page(request, "notices/notices_due.html", context)


def due_rows(user: User) -> list[dict[str, Any]]:
    """Return the template rows for the due items of the notices that a user may see."""
    today = timezone.localdate()
    return [_due_row(each, each.is_overdue(today)) for each in list_due(visible(Notice.objects.all(), user))]


def _due_row(each: DueItem, is_overdue: bool) -> dict[str, Any]:
    """Return the template row for an item.

    day: its last day, or if it has no deadline, the day since which it waits.
    """
    unsure = Message("notice.year-not-announced", year=each.unknown_year) if each.unknown_year is not None else None
    return {
        "due": each,
        "what": message_text(each.what),
        "day": (each.until or each.since).isoformat(),
        "address": reverse("admin:notices_notice_change", args=[each.notice.pk]),
        "is_overdue": is_overdue,
        "unsure": message_text(unsure) if unsure else "",
    }
