"""The preview of a matter, as a part of the inbox or as a page, with its assignee, awaited documents and damages."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.wording import Message
from webadmin.accounts.models import User
from webadmin.accounts.services import access
from webadmin.cases.services.matters.assignment import assign_matter, set_awaited_documents
from webadmin.cases.services.matters.damages import compute_damages, describe_damages
from webadmin.evidence.pages.subjects import matter_subject, subject_name, subject_url
from webadmin.review.pages.inbox.matter_summaries import matter_preview, visible_matter
from webadmin.review.pages.matter_lists.inbox_query import NOBODY, read_inbox_query
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.requests.content_policy import set_policy
from webadmin.ui.pages.requests.request_values import record_of_key
from webadmin.ui.pages.wording import local_time, message_text
from webadmin.works.models import LicenceFee
from webadmin.works.services.licence_fees import enter_fee

PART = "part"  # the URL parameter that requests only the preview


def matter_view(request: HttpRequest, key: int) -> HttpResponse:
    """Show a matter, or set its assignee or awaited documents (POST).

    Raises Http404 if the user may not see the matter.
    """
    query = read_inbox_query(request.GET)
    matter = visible_matter(request.user, key, query)
    if matter is None or not isinstance(request.user, User):
        raise Http404
    if request.method == "POST":
        _save_field(request, matter, request.user)
        where = query.address if PART in request.GET else _return_url(request)
        if PART in request.GET:
            where += ("&" if "?" in where else "?") + f"at={matter.pk}"
        return HttpResponseRedirect(where)
    context = {"preview": matter_preview(matter, query), "query": query, "is_part": PART in request.GET}
    if PART in request.GET:
        return set_policy(TemplateResponse(request, "review/matter_preview.html", context))
    return admin_page(request, "review/matter.html", {**context, "title": str(matter)})


def _return_url(request: HttpRequest) -> str:
    """Return the URL of the case that contains the form, or of the matter's own page."""
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, allowed_hosts=None)
    return target if is_ours and target.startswith(reverse("admin:cases_case_changelist")) else request.get_full_path()


def _save_field(request: HttpRequest, matter: object, user: User) -> None:
    """Save the submitted field of a matter: `assignee` (a key, or NOBODY) or `awaited`."""
    try:
        if "assignee" in request.POST:
            key = request.POST["assignee"]
            person = record_of_key(access.visible(User.objects.all(), user), key)
            if person is None and key != NOBODY:
                messages.error(request, _("Choose whom to assign it to."))
                return
            assign_matter(matter, person, user)  # type: ignore[arg-type]
            who = person.get_username() if person is not None else _("nobody")
            messages.success(request, _("Assigned to %(who)s.") % {"who": who})
        else:
            set_awaited_documents(matter, request.POST.get("awaited", ""), user)  # type: ignore[arg-type]
            messages.success(request, _("Saved."))
    except ZhuiwenError as error:
        messages.error(request, message_text(error))


SHOWN_FEES = 20  # fees of the work listed


def damages_view(request: HttpRequest, key: int) -> HttpResponse:
    """Show the damages for the matter with this key, or enter the licence fee (POST).

    Raises Http404 if the user may not see the matter.
    """
    subject = matter_subject(request, key)
    if subject.matter is None or not isinstance(request.user, User):
        raise Http404
    work, status = subject.matter.work, 200
    if request.method == "POST":
        try:
            given = request.POST.get("per_thousand", ""), request.POST.get("source", "")
            enter_fee(work, *given, request.user, timezone.now())
            messages.success(request, _("The fee was saved; earlier ones remain visible."))
            return HttpResponseRedirect(request.path)
        except ZhuiwenError as error:
            messages.error(request, message_text(error))
            status = 400
    found = compute_damages(subject.matter)
    context = {
        "title": _("Damages as calculated by the rights holder"),
        "subject_name": subject_name(subject),
        "back": subject_url(subject),
        "amount": "" if found.amount is None else f"{found.amount:,.2f}",
        "told": [message_text(each) for each in describe_damages(found, local_time)],
        "own": message_text(Message("damages.own")),
        "now": timezone.now(),
        "given": request.POST,
        "fees": list(LicenceFee.objects.filter(work=work).select_related("entered_by")[:SHOWN_FEES]),
        "may_manage": access.may_manage(request.user, work),
    }
    return admin_page(request, "review/damages.html", context, status=status)
