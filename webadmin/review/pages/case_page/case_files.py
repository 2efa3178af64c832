"""Downloads of evidence on the case page: bundles, renderings, proofs of removals, and the export of the case."""

from collections.abc import Callable
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from bundles.opened import open_bundle
from core.errors import ZhuiwenError
from core.ids import Digest
from webadmin import stores
from webadmin.accounts.services import access
from webadmin.cases.models import Case
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.case_export import export_case
from webadmin.notices.services.removals.proof import export_removal
from webadmin.ui.pages.downloads import as_file, refusal, zip_response
from webadmin.ui.pages.requests.request_values import require_record
from webadmin.ui.pages.wording import message_text

WACZ = "application/wacz"
SHOWN_TYPES = {"screenshot": "image/png", "pdf": "application/pdf"}


def evidence_response(request: HttpRequest, case: Case) -> HttpResponseBase | None:
    """Return the file that the URL parameters request, or None if they request no file.

    Parameters: export=evidence, removal=<id>, or bundle=<id>, optionally with shown=<rendering>. The caller must check
    that the user may see the case. Raises Http404 for an unknown file, and for an export unless the user is a manager.
    """
    if request.GET.get("export") == "evidence":
        return _export_response(
            request, case, f"zhuiwen-evidence-{case.pk}.zip", lambda path: export_case(case.pk, path)
        )
    if "removal" in request.GET:
        return _proof_of_removal(request, case, request.GET["removal"])
    if "bundle" in request.GET:
        return _bundle_response(case, request.GET["bundle"], request.GET.get("shown", ""))
    return None


def _proof_of_removal(request: HttpRequest, case: Case, key: str) -> HttpResponseBase:
    removal = require_record(case.removals, key)
    name = f"zhuiwen-removal-{case.pk}-{removal.pk}.zip"
    return _export_response(request, case, name, lambda path: export_removal(removal, path, stores.evidence_store()))


def _export_response(request: HttpRequest, case: Case, name: str, write: Callable[[Path], object]) -> HttpResponseBase:
    if not access.may_manage(request.user, case):
        raise Http404
    return zip_response(name, write)


def _bundle_response(case: Case, key: str, shown: str) -> HttpResponse:
    row = require_record(EvidenceBundle.objects.filter(case=case), key)
    kind, _dash, page = shown.partition("-")
    if shown and kind not in SHOWN_TYPES:
        raise Http404
    try:
        content = stores.evidence_store().get(Digest(row.digest))
        if content is None:
            return refusal(_("This bundle is no longer in the evidence store."), 404)
        if not shown:
            return as_file(f"{row.digest[:16]}.wacz", content, WACZ)
        picture = open_bundle(content, row.digest).renderings.get(shown)
    except ZhuiwenError as error:
        return refusal(message_text(error), 409)
    if picture is None:
        raise Http404
    ending = SHOWN_TYPES[kind].rpartition("/")[2]
    name = f"{row.digest[:16]}-{page or 1}.{ending}"  # The first page has no number.
    return as_file(name, bytes(picture), SHOWN_TYPES[kind], is_shown=kind == "screenshot")
