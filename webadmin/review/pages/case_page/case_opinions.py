"""The section of a case's page on the published engines: unfolding it has them asked; their answers come later."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import NotFound, RetryLater
from webadmin.cases.models import Case
from webadmin.cases.services.opinions.requests import Subject, request_opinions
from webadmin.cases.services.opinions.summary import opinions_on
from webadmin.ui.pages.wording import said

SCRIPT = "XMLHttpRequest"  # what case_opinions.js says in X-Requested-With


def opinions_response(request: HttpRequest, case: Case) -> HttpResponse:
    """The answer to ?opinions=<version id>: the section's content, after having the engines asked where it is a POST.

    A form that was sent without the script is led back to the case. The caller has made sure that the user may see the
    case. Raises Http404 for a version on which the case does not rest.
    """
    version = request.GET["opinions"]
    if not case.matches.filter(version_id=version).exists():
        raise Http404
    refusal = _refusal(case, version) if request.method == "POST" else ""
    if request.method == "POST" and request.headers.get("X-Requested-With") != SCRIPT:
        return _back_to_the_case(request, refusal)
    shown = {"opinions": opinions_on(case, version, timezone.now()), "refusal": refusal}
    return TemplateResponse(request, "review/case_opinions_said.html", shown, status=503 if refusal else 200)


def _refusal(case: Case, version: str) -> str:
    """Send for the opinions; the sentence why that could not be done, or ""."""
    try:
        request_opinions(Subject(case.pk, version), timezone.now())
    except NotFound as error:  # the match went meanwhile
        raise Http404 from error
    except RetryLater as error:
        return _("The published engines cannot be asked now: %(error)s") % {"error": said(error)}
    return ""


def _back_to_the_case(request: HttpRequest, refusal: str) -> HttpResponse:
    query = request.GET.copy()
    del query["opinions"]
    if refusal:
        messages.warning(request, refusal)
    return HttpResponseRedirect(f"{request.path}?{query.urlencode()}{'' if refusal else '#zw-opinions'}")
