"""Handles the forms that exclude passages, mark noise or undo either. Each redirects to the case."""

from collections.abc import Callable
from typing import TypeVar

from django.contrib import messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from webadmin.accounts.models import User
from webadmin.cases.models import Case, CaseMatch
from webadmin.cases.services import ignoring, overruling, passages
from webadmin.review.pages.case_page.excluded_passages import passage_text
from webadmin.ui.pages.requests.request_values import is_key, require_record
from webadmin.ui.pages.wording import message_text

R = TypeVar("R", bound=Model)
MAX_AT_ONCE = 8  # texts of noise in one form; each recounts the case
MAX_PASSAGES = 200


def passages_view(request: HttpRequest, case: Case) -> HttpResponse:
    """Process a form of the case page, and redirect to the case at its list position.

    The caller must check that the user may see the case. Raises Http404 for objects that the case does not have.
    """
    if request.method != "POST" or not isinstance(request.user, User):
        return HttpResponseNotAllowed(["POST"])
    done = _ACTIONS.get(request.POST.get("do", ""))
    if done is None:
        messages.error(request, _("Nothing was chosen."))
    else:
        try:
            messages.success(request, done(request, case, request.user))
        except ZhuiwenError as error:
            messages.error(request, message_text(error))
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return HttpResponseRedirect(f"{reverse('admin:cases_case_change', args=[case.pk])}{query}#zw-left-out")


def _exclude_passages(request: HttpRequest, case: Case, user: User) -> str:
    """Exclude the selected passages and the entered text, and return a message for the user."""
    match, numbers = _requested_match(request, case), request.POST.getlist("passage")
    texts = [passage_text(match, int(number)) for number in numbers[:MAX_PASSAGES] if is_key(number)]
    typed = request.POST.get("text", "").strip()
    passages.exclude_passages(match, [*texts, *filter(None, [typed])], user, **_reason_and_note(request))
    return _("Excluded; the figures of the case now cover the rest.")


def _exclude_chapter(request: HttpRequest, case: Case, user: User) -> str:
    passages.exclude_chapter(_requested_match(request, case), user, **_reason_and_note(request))
    return _("Excluded; the figures of the case now cover the rest.")


def _mark_noise(request: HttpRequest, case: Case, user: User) -> str:
    chosen = request.POST.getlist("noise")[:MAX_AT_ONCE]
    typed = request.POST.get("text", "").strip()
    for text in [*chosen, *filter(None, [typed])] or [""]:
        ignoring.mark_noise(case, text, user, request.POST.get("note", ""))
    return _("Marked as noise of the site. This case is recalculated; the site's other cases are compared again.")


def _withdraw_passage(request: HttpRequest, case: Case, user: User) -> str:
    passages.withdraw_exclusion(_posted_record(case.excluded_passages.select_related("case"), request), user)
    return _("The passage counts again.")


def _withdraw_noise(request: HttpRequest, case: Case, user: User) -> str:
    ignoring.withdraw_ignored_text(_posted_record(case.page.site.ignored_texts.all(), request), user)
    return _("The text counts again, from the next comparison of the site's pages on.")


def _withdraw_overruling(request: HttpRequest, case: Case, user: User) -> str:
    overruling.withdraw_overruling(_posted_record(case.page.overrulings.filter(work=case.work_id), request), user)
    return _("The overruling was withdrawn.")


_ACTIONS: dict[str, Callable[[HttpRequest, Case, User], str]] = {
    "passage": _exclude_passages,
    "chapter": _exclude_chapter,
    "noise": _mark_noise,
    "passage-back": _withdraw_passage,
    "noise-back": _withdraw_noise,
    "overruling-back": _withdraw_overruling,
}


def _reason_and_note(request: HttpRequest) -> dict[str, str]:
    return {"reason": request.POST.get("reason", ""), "note": request.POST.get("note", "")}


def _requested_match(request: HttpRequest, case: Case) -> CaseMatch:
    return require_record(case.matches.select_related("case"), request.POST.get("match", ""))


def _posted_record(records: "QuerySet[R]", request: HttpRequest) -> R:
    return require_record(records, request.POST.get("key", ""))
