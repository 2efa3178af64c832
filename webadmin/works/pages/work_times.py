"""The page for the official times of a work, which are typed, pasted, uploaded as a list, or computed as a series."""

import re
from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from core.errors import BadInput
from core.moments import parse_moment
from webadmin.accounts.services import access
from webadmin.ui.pages.page_responses import admin_page, requested_page
from webadmin.ui.pages.requests.request_values import BadValue
from webadmin.ui.pages.wording import message_text
from webadmin.works.models import Work
from webadmin.works.services import official_times
from webadmin.works.services.official_times import Times

PER_PAGE = 100
FIELD = "at-"  # the prefix of the field for a chapter's time, before the chapter's number
MAX_NAMED = 10  # unknown chapter numbers listed in a message


def work_times_view(request: HttpRequest, work: Work) -> HttpResponse:
    """Return the page with the official times, or set the times that a manager enters (POST).

    Invalid input stays in its field, with an error message and status 400. The caller must check that the user may see
    the work. Raises PermissionDenied if the user is not a manager, and BadValue for an unknown action.
    """
    if request.method != "POST":
        return _times_page(request, work)
    if not access.may_manage(request.user, work):
        raise PermissionDenied
    do = request.POST.get("do", "")
    if do not in _READERS:
        raise BadValue("do", do, _("it can be one of: %(choices)s.") % {"choices": ", ".join(_READERS)})
    try:
        times = _READERS[do](request, work)
    except BadInput as fault:
        return _times_page(request, work, fault=message_text(fault), status=400)
    came = official_times.set_times(work, times)
    _announce_changes(request, came)
    if came.changed:
        admin.site.get_model_admin(Work).log_change(request, work, f"official times of {came.changed} chapters")
    return HttpResponseRedirect(request.get_full_path())


def _read_fields(request: HttpRequest, work: Work) -> Times:
    """Return the times in the changed fields of the table. An unchanged field lacks the seconds of the stored time."""
    times: dict[int, Any] = {}
    for chapter in work.chapters.filter(number__in=_chosen_numbers(request)):
        written = request.POST[f"{FIELD}{chapter.number}"].strip()
        if written == _format_moment(chapter.published_at):
            continue
        try:
            times[chapter.number] = parse_moment(written, timezone.get_current_timezone()) if written else None
        except BadInput as fault:
            raise BadInput("times.chapter", number=chapter.number, reason=fault) from fault
    return times


def _chosen_numbers(request: HttpRequest) -> list[int]:
    given = (name.removeprefix(FIELD) for name in request.POST if name.startswith(FIELD))
    return [int(number) for number in given if re.fullmatch("[1-9][0-9]{0,9}", number)][:PER_PAGE]


def _read_list(request: HttpRequest, work: Work) -> Times:
    """Return the times in the uploaded list, or else in the pasted one."""
    zone = timezone.get_current_timezone()
    sent = request.FILES.get("list")
    if sent is None:
        return official_times.read_list(request.POST.get("pasted", ""), zone, official_times.heading_numbers(work))
    return official_times.read_bytes(
        sent.read(official_times.MAX_BYTES + 1), zone, official_times.heading_numbers(work)
    )


def _read_series(request: HttpRequest, work: Work) -> Times:
    given = {name: request.POST.get(name, "") for name in ("from", "first", "hours", "at_once")}
    return official_times.series_times(
        work,
        official_times.read_number(given["from"] or "1", official_times.heading_numbers(work)),
        parse_moment(given["first"], timezone.get_current_timezone()),
        official_times.read_interval(given["hours"]),
        official_times.read_at_once(given["at_once"] or "1"),
    )


_READERS: dict[str, Callable[[HttpRequest, Work], Times]] = {
    "typed": _read_fields,
    "listed": _read_list,
    "series": _read_series,
}


def _announce_changes(request: HttpRequest, came: official_times.TimesSet) -> None:
    if came.changed:
        count = {"count": came.changed}
        words = ngettext(
            "The official time of %(count)d chapter changes.",
            "The official times of %(count)d chapters change.",
            came.changed,
        )
        messages.success(request, words % count)
    else:
        messages.info(request, _("No official time has changed."))
    if came.unknown:
        numbers = ", ".join(map(str, came.unknown[:MAX_NAMED])) + (" …" if len(came.unknown) > MAX_NAMED else "")
        messages.warning(request, _("The work has no chapters with these numbers: %(numbers)s") % {"numbers": numbers})


def _times_page(request: HttpRequest, work: Work, fault: str = "", status: int = 200) -> HttpResponse:
    page = requested_page(request, work.chapters.order_by("number"), PER_PAGE)
    shown = [
        (
            chapter,
            f"{FIELD}{chapter.number}",
            request.POST.get(f"{FIELD}{chapter.number}", _format_moment(chapter.published_at)),
        )
        for chapter in page
    ]
    context = {
        "opts": Work._meta,
        "title": _("Official times"),
        "subtitle": None,
        "work": work,
        "page": page,
        "query": "",
        "rows": shown,
        "known": work.chapters.filter(published_at__isnull=False).count(),
        "fault": fault,
        "typed": {name: request.POST.get(name, "") for name in ("pasted", "from", "first", "hours", "at_once")},
        "zone": timezone.get_current_timezone_name(),
        "may_manage": access.may_manage(request.user, work),
    }
    return admin_page(request, "works/work_times.html", context, status=status)


def _format_moment(moment: Any) -> str:
    return timezone.localtime(moment).strftime("%Y-%m-%d %H:%M") if moment else ""
