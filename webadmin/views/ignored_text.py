"""The form of a text that counts on no site: first what it would change, then saving it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from records.access import manageable
from records.cases import ignoring
from records.models import IgnoredText, RightsHolder
from webadmin.pages import desk_page
from webadmin.requests.request_values import is_key
from webadmin.wording import said

REASONS = [choice for choice in IgnoredText.Reason.choices if choice[0] != IgnoredText.Reason.NOISE]


def ignored_text_view(request: HttpRequest) -> HttpResponse:
    """Ask for a text; show what it would change (POST do=look); save it (POST do=save)."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    holders = list(manageable(RightsHolder.objects.order_by("name"), request.user))
    given = {name: request.POST.get(name, "") for name in ("text", "reason", "note", "holder")}
    context: dict[str, Any] = {"given": given, "holders": holders, "fault": "", "foreseen": None}
    if request.method == "POST":
        try:
            holder = _holder(holders, given["holder"])
            if request.POST.get("do") == "save":
                _save(request, holder, given, request.user)
                return HttpResponseRedirect(reverse("admin:records_ignoredtext_changelist"))
            given["text"] = ignoring.check_text(holder, given["text"])
            context["foreseen"] = ignoring.foresee(holder, given["text"])
        except ZhuiwenError as error:
            context["fault"] = said(error)
    shown = {
        "opts": IgnoredText._meta,
        "title": _("A text that counts on no site"),
        "reasons": REASONS,
        "most": ignoring.MAX_TEXT_CHARS,
        **context,
    }
    return desk_page(request, "webadmin/ignored_text.html", shown, status=400 if context["fault"] else 200)


def _save(request: HttpRequest, holder: RightsHolder, given: dict[str, str], user: User) -> None:
    _made, foreseen = ignoring.ignore_everywhere(
        holder, given["text"], user, reason=given["reason"], note=given["note"]
    )
    words = _("Saved. Open cases counted anew: %(count)d; all others follow when their pages are compared again.")
    messages.success(request, words % {"count": min(len(foreseen.losses), ignoring.MAX_RECOUNTED)})


def _holder(holders: list[RightsHolder], asked: str) -> RightsHolder:
    """The rights holder that was chosen, of those that the user manages. Raises PermissionDenied for any other."""
    chosen = [each for each in holders if is_key(asked) and each.pk == int(asked)]
    if not chosen:
        raise PermissionDenied
    return chosen[0]
