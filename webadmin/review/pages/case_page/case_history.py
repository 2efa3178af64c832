"""The history of a case: users' verdicts and the rulings of rights in one list."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.chapters import format_chapter_numbers
from core.states import OF_THE_FINDING, UNPROTECTED, Rejection, Verdict
from webadmin.accounts.services import access
from webadmin.cases.models import Case, RightsRecord, VerdictRecord
from webadmin.cases.services.taken import copied_chapters
from webadmin.ui.pages.neighbours import CaseNeighbours
from webadmin.ui.pages.requests.request_values import record_of_key


@dataclass(frozen=True, slots=True)
class Entry:
    """An event. by: the responsible user, or "" if unknown. said: a note, or the basis of the event."""

    at: datetime
    title: str
    by: str
    said: str


def history_entries(case: Case) -> list[Entry]:
    """Return the events of a case, the newest first."""
    verdicts = [_verdict_entry(record) for record in case.verdicts.select_related("decided_by", "licence")]
    rulings = [_ruling_entry(record) for record in case.rights_records.select_related("entered_by")]
    return sorted([*verdicts, *rulings], key=lambda entry: entry.at, reverse=True)


def _verdict_entry(record: VerdictRecord) -> Entry:
    title = record.get_verdict_display() if record.verdict else _("verdict undone")
    made = [_("Licence created: %(licence)s.") % {"licence": record.licence}] if record.licence else []
    return Entry(record.decided_at, title, _user_name(record.decided_by), "\n".join(filter(None, [record.note, *made])))


def _ruling_entry(record: RightsRecord) -> Entry:
    by = _user_name(record.entered_by)
    if not record.allowed_as:
        is_of_passages = record.cause == RightsRecord.Cause.PASSAGES
        title = _("the match counts again") if is_of_passages else _("the page is no longer allowed")
        return Entry(record.at, title, by, record.get_cause_display())
    title = _describe_allowance(record)
    if record.entered_at is None:
        return Entry(record.at, title, by, record.get_cause_display())
    entered = timezone.localtime(record.entered_at).strftime("%Y-%m-%d %H:%M:%S")
    return Entry(record.at, title, by, _("The right was entered on %(when)s.") % {"when": entered})


def _describe_allowance(record: RightsRecord) -> str:
    reason = str(record.get_allowed_as_display())
    if Rejection(record.allowed_as) in (*UNPROTECTED, *OF_THE_FINDING, Rejection.NOTHING_LEFT):
        return f"{reason} · {record.allowed_by}" if record.allowed_by else reason
    return _("%(reason)s: %(right)s allows the page") % {"reason": reason, "right": record.allowed_by}


def _user_name(user: Any) -> str:
    return user.get_username() if user is not None else ""


DECIDED = "decided"  # The query parameter with the key of the decided case, in the URL of the next case.


def own_last_decision(request: HttpRequest, among: CaseNeighbours) -> dict[str, Any] | None:
    """Return the decision on the case in the URL (DECIDED), if the user made it and it is the newest, else None.

    address: the URL of the case in the same list. licence_address: the URL of the licence created with the decision, or
    of the form that creates one, or "" if the user may create none.
    """
    case = record_of_key(access.visible(Case.objects.all(), request.user), request.GET.get(DECIDED, ""))
    newest = case.verdicts.first() if case is not None else None
    if case is None or newest is None or not newest.verdict or newest.decided_by_id != request.user.pk:
        return None
    may_license = newest.verdict == Verdict.LICENSED and access.may_manage(request.user, case)
    return {
        "case": case,
        "record": newest,
        "address": among.case_url(case.pk),
        "licence_address": _licence_address(newest) if may_license else "",
    }


def _licence_address(record: VerdictRecord) -> str:
    if record.licence_id is not None:
        return reverse("admin:works_licence_change", args=[record.licence_id])
    return _form_address(record.case)


def _form_address(case: Case) -> str:
    """Return the URL of the licence form, prefilled with the host, the work and the copied chapters of a case."""
    given = {
        "rights_holder": case.rights_holder_id,
        "work": case.work_id,
        "domain": urlsplit(case.page_url).netloc,
        "chapters": format_chapter_numbers(copied_chapters(case)),
    }
    return f"{reverse('admin:works_licence_add')}?{urlencode(given)}"
