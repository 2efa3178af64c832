"""The decision that led to the case that is shown: told there, and undone from there."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest
from django.urls import reverse

from core.chapters import numbers_named
from core.states import Verdict
from webadmin.accounts.services import access
from webadmin.cases.models import Case, VerdictRecord
from webadmin.cases.services.copied_texts import copied_chapters
from webadmin.ui.pages.neighbours import Listed
from webadmin.ui.pages.requests.request_values import record_of_key

DECIDED = "decided"  # names the case that was decided, in the address of the one that is shown


@dataclass(frozen=True, slots=True)
class JustDecided:
    """address: of the case, in the same list.

    licence_address: of the licence that was made with it, else of the form that makes one; "" for who may make none.
    """

    case: Case
    record: VerdictRecord
    address: str
    licence_address: str


def just_decided(request: HttpRequest, among: Listed) -> JustDecided | None:
    """What the address names, if it is the asker's own decision and still the newest of its case."""
    case = record_of_key(access.visible(Case.objects.all(), request.user), request.GET.get(DECIDED, ""))
    newest = case.verdicts.first() if case is not None else None
    if case is None or newest is None or not newest.verdict or newest.decided_by_id != request.user.pk:
        return None
    may_license = newest.verdict == Verdict.LICENSED and access.may_manage(request.user, case)
    return JustDecided(case, newest, among.address_of(case.pk), _licence_address(newest) if may_license else "")


def _licence_address(record: VerdictRecord) -> str:
    if record.licence_id is not None:
        return reverse("admin:works_licence_change", args=[record.licence_id])
    return _form_address(record.case)


def _form_address(case: Case) -> str:
    """Filled in with the page's site, the work and the chapters that the page copied."""
    given = {
        "rights_holder": case.rights_holder_id,
        "work": case.work_id,
        "domain": urlsplit(case.page_url).netloc,
        "chapters": numbers_named(copied_chapters(case)),
    }
    return f"{reverse('admin:works_licence_add')}?{urlencode(given)}"
