"""The evidence of a lead as a file that its page hands out."""

from django.http import Http404, HttpRequest, HttpResponseBase

from records import access
from records.leads.lead_export import export_lead
from records.models import RewordedLead
from webadmin.downloads import exported


def evidence_response(request: HttpRequest, lead: RewordedLead) -> HttpResponseBase:
    """The answer to ?export=evidence: a zip, or a sentence that says why there is none.

    The caller has made sure that the user may see the lead; exporting is a manager's. Raises Http404.
    """
    if not access.may_manage(request.user, lead):
        raise Http404
    return exported(f"zhuiwen-lead-{lead.pk}.zip", lambda path: export_lead(lead, path))
