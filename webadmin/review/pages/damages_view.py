"""The damages of a matter: each figure with its source, and the licence fee of the work as a manager enters it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.wording import Message
from webadmin.accounts.models import User
from webadmin.accounts.services import access
from webadmin.cases.services.matters.damages import damages_of, told
from webadmin.evidence.pages.subjects import address_of, matter_of, name_of
from webadmin.ui.pages.page_responses import desk_page
from webadmin.ui.pages.wording import local_time, said
from webadmin.works.models import LicenceFee
from webadmin.works.services.licence_fees import enter_fee

SHOWN_FEES = 20  # earlier ones of the work


def damages_view(request: HttpRequest, key: int) -> HttpResponse:
    """Show the reckoning; enter the fee (POST). Raises Http404 for a matter that is not the user's."""
    subject = matter_of(request, key)
    if subject.matter is None or not isinstance(request.user, User):
        raise Http404
    work, status = subject.matter.work, 200
    if request.method == "POST":
        try:
            given = request.POST.get("per_thousand", ""), request.POST.get("source", "")
            enter_fee(work, *given, request.user, timezone.now())
            messages.success(request, _("The fee is entered; earlier ones stay to be seen."))
            return HttpResponseRedirect(request.path)
        except ZhuiwenError as error:
            messages.error(request, said(error))
            status = 400
    found = damages_of(subject.matter)
    context = {
        "title": _("Damages, as the rights holder reckons them"),
        "subject_name": name_of(subject),
        "back": address_of(subject),
        "amount": "" if found.amount is None else f"{found.amount:,.2f}",
        "told": [said(each) for each in told(found, local_time)],
        "own": said(Message("damages.own")),
        "now": timezone.now(),
        "given": request.POST,
        "fees": list(LicenceFee.objects.filter(work=work).select_related("entered_by")[:SHOWN_FEES]),
        "may_manage": access.may_manage(request.user, work),
    }
    return desk_page(request, "review/damages.html", context, status=status)
