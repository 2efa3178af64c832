"""The factor sheet of a case or matter, for screen and print."""

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from core.wording import Message
from webadmin.cases.models import Case
from webadmin.evidence.pages.subjects import case_subject, matter_subject, subject_name, subject_url
from webadmin.evidence.services.factor_facts import gather_facts
from webadmin.evidence.services.factors import describe_source, factor_sheet
from webadmin.evidence.services.subject import Subject
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.wording import local_time, message_text


def case_factors_view(request: HttpRequest, case: Case) -> HttpResponse:
    """Show the factor sheet of a case. Raises Http404 if the user may not see the case."""
    return _sheet_page(request, case_subject(request, case))


def matter_factors_view(request: HttpRequest, key: int) -> HttpResponse:
    """Show the factor sheet of the matter with this key. Raises Http404 if the user may not see it."""
    return _sheet_page(request, matter_subject(request, key))


def _sheet_page(request: HttpRequest, subject: Subject) -> HttpResponse:
    context = {
        "title": _("Factors that a court may consider"),
        "subject": subject,
        "subject_name": subject_name(subject),
        "back": subject_url(subject),
        "proofs": subject_url(subject, "proofs"),
        "holder": subject.record.rights_holder,
        "pages": [subject.case.page_url] if subject.case is not None else [],
        "opening": message_text(Message("factor.opening")),
        "now": timezone.now(),
        "factors": [],
        "fault": "",
    }
    try:
        facts = gather_facts(subject, timezone.now())
    except ZhuiwenError as error:
        return admin_page(request, "evidence/factors.html", {**context, "fault": message_text(error)}, status=503)
    looked = Message("factor.looked-into", bundles=facts.bundles, looked=facts.looked_into)
    context |= {
        "cases": facts.cases,
        "looked": message_text(looked) if facts.looked_into < facts.bundles else "",
        "factors": [
            {
                "title": message_text(each.title),
                "source": message_text(describe_source(each)),
                "there": [message_text(message) for message in each.there],
                "missing": [message_text(message) for message in each.missing],
            }
            for each in factor_sheet(facts, local_time)
        ],
    }
    return admin_page(request, "evidence/factors.html", context)
