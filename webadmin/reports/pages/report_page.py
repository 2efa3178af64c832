"""The page on which users choose, preview and download reports."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_GET

from analytics.formats import FORMATS, ReportFormat
from analytics.report import Report
from core.errors import ZhuiwenError
from webadmin.accounts.models import Membership
from webadmin.accounts.services.access import manages_anything, roles, user_role
from webadmin.reports.pages.report_form import ReportForm, default_choice
from webadmin.reports.services.report_rows import make_report
from webadmin.ui.pages.downloads import as_file
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.requests.request_values import BadValue
from webadmin.ui.pages.wording import message_text

ACTIONS = ("", "show", "preview", "download")
# A report quotes crawled pages. It has no scripts, and the policy forbids the browser to run any.
PREVIEW_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'"
)


@require_GET
@xframe_options_sameorigin
def report_view(request: HttpRequest) -> HttpResponse:
    """Show the form, the report as a page (`do=preview`) or the report as a file (`do=download`).

    Reviewers may preview reports; managers and administrators may also download them. Raises BadValue for another `do`,
    PermissionDenied for a download by a reviewer.
    """
    wanted = request.GET.get("do", "")
    if wanted not in ACTIONS:
        raise BadValue(
            "do", wanted, _("it can be one of: %(choices)s.") % {"choices": ", ".join(filter(None, ACTIONS))}
        )
    form = ReportForm({**default_choice(), **request.GET.dict()} if wanted else default_choice(), request.user)
    if not wanted:
        return _report_form_page(request, form, is_complete=False)
    if not form.is_valid():
        return _report_form_page(request, form, is_complete=False, status=400)
    if wanted == "show":
        return _report_form_page(request, form, is_complete=True)
    if wanted == "download" and not _may_export(request, form):
        raise PermissionDenied
    try:
        report = _chosen_report(request, form)
        chosen = FORMATS[form.cleaned_data["format"] if wanted == "download" else "html"]
        content = chosen.render(report)
    except ZhuiwenError as error:
        messages.error(request, message_text(error))
        return _report_form_page(request, form, is_complete=False)
    return _download_response(report, chosen, content) if wanted == "download" else _preview_response(content)


def _chosen_report(request: HttpRequest, form: ReportForm) -> Report:
    chosen = form.cleaned_data
    return make_report(
        chosen.get("holder") or request.user,
        chosen["since"],
        chosen["until"],
        work=chosen["work"],
        site=chosen["site"],
        language=chosen["language"],
        zone=timezone.get_current_timezone_name(),
    )


def _may_export(request: HttpRequest, form: ReportForm) -> bool:
    """Return True if the user manages all rights holders in the report."""
    holder = form.cleaned_data.get("holder")
    if holder is not None:
        return user_role(request.user, holder) == Membership.Role.MANAGER
    held = roles(request.user)
    is_manager_everywhere = bool(held) and all(role == Membership.Role.MANAGER for role in held.values())
    return is_manager_everywhere or (request.user.is_superuser and request.user.is_active)


def _preview_response(content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type=FORMATS["html"].media_type)
    response.headers["Content-Security-Policy"] = PREVIEW_POLICY
    response.headers["Cache-Control"] = "no-store"
    return response


def _download_response(report: Report, chosen: ReportFormat, content: bytes) -> HttpResponse:
    """Return the report as a download, whose file name contains the days, but no untrusted titles."""
    name = f"zhuiwen-report-{report.scope.since:%Y%m%d}-{report.scope.until:%Y%m%d}.{chosen.name}"
    return as_file(name, content, chosen.media_type)


def _report_form_page(
    request: HttpRequest, form: ReportForm, *, is_complete: bool, status: int = 200
) -> TemplateResponse:
    context: dict[str, Any] = {
        "title": _("Reports"),
        "form": form,
        "may_export": manages_anything(request.user),
        "preview_query": _preview_query(request) if is_complete else "",
    }
    return admin_page(request, "reports/reports.html", context, status=status, frames=True)


def _preview_query(request: HttpRequest) -> str:
    query = request.GET.copy()
    query["do"] = "preview"
    return query.urlencode()
