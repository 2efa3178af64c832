"""The page of a matter's court file, on which managers choose its parts and download it."""

from django.http import Http404, HttpRequest, HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.errors import ZhuiwenError
from webadmin.accounts.services import access
from webadmin.cases.models import Matter
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.pages.subjects import matter_subject, subject_name, subject_url
from webadmin.evidence.services.subject import Subject
from webadmin.reports.services.court_file.parts import INTERNAL, USUAL, ExportChoice, ExportPart
from webadmin.reports.services.court_file.writing import confirmed_cases, export_matter
from webadmin.ui.pages.downloads import spooled_download
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.wording import message_text

# The estimated duration for one page, measured with 250 pages (docs/figures.md).
SECONDS_A_PAGE = 0.4
MINUTE_S = 60


def matter_export_view(request: HttpRequest, key: int) -> HttpResponseBase:
    """Show the parts of a matter's court file, or return the file (POST).

    Raises Http404 if the user may not see the matter, or may not export it.
    """
    subject = matter_subject(request, key)
    matter = subject.matter
    if matter is None:
        raise Http404
    if request.method != "POST":
        return _export_page(request, subject, matter)
    if not access.may_manage(request.user, matter):
        raise Http404
    try:
        return spooled_download(
            f"zhuiwen-matter-{matter.pk}.zip", lambda path: export_matter(matter, path, _read_choice(request))
        )
    except ZhuiwenError as error:
        return _export_page(request, subject, matter, message_text(error))


def _read_choice(request: HttpRequest) -> ExportChoice:
    """Return the choice in the form (POST `part` and `names`), or the default if the form was not sent."""
    if "chosen" not in request.POST:
        return USUAL
    asked = set(request.POST.getlist("part"))
    return ExportChoice(frozenset(part for part in ExportPart if part in asked), with_names="names" in request.POST)


def _checkbox(part: ExportPart, chosen: ExportChoice) -> tuple[ExportPart, str, bool, bool]:
    """Return the value and label of a checkbox, whether it is checked, and whether the part is internal."""
    return part, part.label.in_language(get_language() or "en"), part in chosen.parts, part in INTERNAL


def _export_page(request: HttpRequest, subject: Subject, matter: Matter, fault: str = "") -> TemplateResponse:
    cases = confirmed_cases(matter)
    pages = cases.count()
    bundles = EvidenceBundle.objects.filter(case__in=cases.values("pk")).exclude(state=EvidenceBundle.State.REMOVED)
    chosen = _read_choice(request)
    context = {
        "title": _("The matter as one file"),
        "subject_name": subject_name(subject),
        "back": subject_url(subject),
        "pages": pages,
        "bundles": bundles.count(),
        "parts": [_checkbox(part, chosen) for part in ExportPart],
        "with_names": chosen.with_names,
        "minutes": round(pages * SECONDS_A_PAGE / MINUTE_S),
        "may_manage": access.may_manage(request.user, matter),
        "fault": fault,
    }
    status = 409 if fault else 200
    return admin_page(request, "reports/matter_export.html", context, status=status)
