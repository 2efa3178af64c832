"""Looks up the subject of an evidence page for a user, and returns its name and URLs."""

from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from webadmin.accounts.services import access
from webadmin.cases.models import Case, Matter
from webadmin.evidence.services.subject import Subject
from webadmin.ui.models.phrases import case_name


def matter_subject(request: HttpRequest, key: int) -> Subject:
    """Return the subject for the matter with this key. Raises Http404 if the user may not see it."""
    rows = access.visible(Matter.objects.select_related("site", "work", "rights_holder"), request.user)
    matter = rows.filter(pk=key).first()
    if matter is None:
        raise Http404
    return Subject(matter=matter)


def case_subject(request: HttpRequest, case: Case) -> Subject:
    """Return the subject for a case. Raises Http404 if the user may not see it."""
    if not access.may_see(request.user, case):
        raise Http404
    return Subject(case=case)


def subject_name(subject: Subject) -> str:
    if subject.case is not None:
        return f"{case_name(subject.case.pk, subject.case.state)}《{subject.case.work}》"
    return _("Matter %(matter)s") % {"matter": subject.matter}


def subject_url(subject: Subject, page: str = "") -> str:
    """Return the URL of the subject's own page, or of its evidence page `page`.

    page: `proofs` or `factors`, or for a matter also `damages` or `export`.
    """
    key: Any = subject.record.pk
    if subject.case is not None:
        return reverse(f"admin:cases_case_{page or 'change'}", args=[key])
    return reverse(f"webadmin_matter_{page}" if page else "webadmin_matter", args=[key])
