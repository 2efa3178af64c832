"""The actions on the page of a notice, by the values of their buttons."""

from collections.abc import Callable, Mapping
from datetime import date

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from core.errors import BadInput
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services.access import visible
from webadmin.evidence.services.third_party import MAX_BYTES
from webadmin.notices.models import Addressee, CounterStatement, Notice
from webadmin.notices.services import mails, outcomes
from webadmin.notices.services.counters import (
    Action,
    enter_counter_statement,
    is_in_time,
    note_action,
    take_back_counter_statement,
)
from webadmin.notices.services.drafting import confirm_notice, withdraw_notice, write_fields
from webadmin.notices.services.legal_fields import FIELDS
from webadmin.notices.services.sending import EventDetails, mark_sent, open_mails
from webadmin.ui.pages.requests.request_values import is_key, require_record

ActionHandler = Callable[[HttpRequest, Notice, User], str]


def perform_action(request: HttpRequest, notice: Notice, user: User) -> str:
    """Perform the action requested in POST `do`, and return a message for the user.

    Raises Http404 for an unknown action, and ZhuiwenError if the action is not possible.
    """
    deed = _HANDLERS.get(request.POST.get("do", ""))
    if deed is None:
        raise Http404
    return deed(request, notice, user)


def draft_escalation(request: HttpRequest, notice: Notice, user: User) -> Notice:
    """Draft a notice about the same pages to the addressee whose key is in POST `to`.

    Raises Http404 for an unknown addressee, and ZhuiwenError if the notice cannot be escalated.
    """
    addressee = require_record(visible(Addressee.objects.all(), user), request.POST.get("to", ""))
    return outcomes.escalate_notice(notice, addressee, user).notice


def _save_draft(request: HttpRequest, notice: Notice, user: User) -> str:
    _write_fields(request, notice, user)
    return _("Saved.")


def _confirm_notice(request: HttpRequest, notice: Notice, user: User) -> str:
    _write_fields(request, notice, user)
    confirm_notice(notice, user)
    return _("Confirmed. The files are frozen as they are now; nothing was sent.")


def _withdraw_notice(request: HttpRequest, notice: Notice, user: User) -> str:
    _write_fields(request, notice, user)
    withdraw_notice(notice, user, request.POST.get("note", ""))
    return _("Withdrawn.")


def _write_fields(request: HttpRequest, notice: Notice, user: User) -> None:
    if notice.state == Notice.State.DRAFTED:
        write_fields(
            notice, {field.code: request.POST[field.code] for field in FIELDS if field.code in request.POST}, user
        )


def _send_by_mail(request: HttpRequest, notice: Notice, user: User) -> str:
    mails.request_mail(
        notice, user, timezone.now(), stores.outbox(), settings.ZHUIWEN, seen=request.POST.get("seen", "")
    )
    return _("The mail is waiting for the mail server; this page will show the result.")


def _settle_mail(request: HttpRequest, notice: Notice, user: User) -> str:
    mail, went_out = open_mails(notice).first(), request.POST["do"] == "went-out"
    if mail is None:
        raise BadInput("mail.not-unknown")
    mails.settle_mail(mail, user, timezone.now(), went_out=went_out)
    return _("Marked as sent.") if went_out else _("Recorded; the notice can be sent again.")


def _mark_sent(request: HttpRequest, notice: Notice, user: User) -> str:
    mark_sent(notice, request.POST.get("way", ""), _event_details(request), user, timezone.now())
    return _("Marked as sent.")


def _note_outcome(request: HttpRequest, notice: Notice, user: User) -> str:
    outcomes.note_outcome(notice, request.POST.get("to", ""), user, timezone.now(), _event_details(request))
    return _("Recorded.")


def _enter_counter_statement(request: HttpRequest, notice: Notice, user: User) -> str:
    keys = request.POST.getlist("case")
    if not all(is_key(key) for key in keys):
        raise Http404
    enter_counter_statement(notice, _event_details(request), user, timezone.now(), cases=[int(key) for key in keys])
    return _("Recorded: no further notice about these pages may be sent to this provider.")


def _withdraw_counter_statement(request: HttpRequest, notice: Notice, user: User) -> str:
    take_back_counter_statement(
        _find_counter_statement(request, notice), user, timezone.now(), request.POST.get("note", "")
    )
    return _("Undone.")


def _find_counter_statement(request: HttpRequest, notice: Notice) -> CounterStatement:
    return require_record(notice.counters, request.POST.get("counter", ""))


def _note_legal_action(request: HttpRequest, notice: Notice, user: User) -> str:
    counter, noted = _find_counter_statement(request, notice), _event_details(request)
    given = [request.POST.get(name, "") for name in ("kind", "place", "number")]
    action = Action(given[0], noted.day or timezone.localdate(), given[1], given[2])
    note_action(counter, action, user, timezone.now(), noted.files)
    counter.refresh_from_db()
    return _("Recorded: the deadline is met.") if is_in_time(counter) else _("Recorded after the last day.")


def _undo_last_event(request: HttpRequest, notice: Notice, user: User) -> str:
    outcomes.undo_last_event(notice, user, timezone.now(), request.POST.get("note", ""))
    return _("Undone.")


_HANDLERS: Mapping[str, ActionHandler] = {
    "save": _save_draft,
    "confirm": _confirm_notice,
    "withdraw": _withdraw_notice,
    "send": _send_by_mail,
    "went-out": _settle_mail,
    "not-out": _settle_mail,
    "sent": _mark_sent,
    "outcome": _note_outcome,
    "counter": _enter_counter_statement,
    "counter-back": _withdraw_counter_statement,
    "action": _note_legal_action,
    "take-back": _undo_last_event,
}


def _event_details(request: HttpRequest) -> EventDetails:
    """Return the day, note and files of a submitted form. Raises BadInput for a malformed day."""
    files = [
        (file.name or "", file.read(MAX_BYTES + 1))
        for file in request.FILES.getlist("file")
        if isinstance(file, UploadedFile)
    ]
    is_certain = request.POST.get("certain") == "1"
    return EventDetails(_parse_day(request.POST.get("day", "")), request.POST.get("note", ""), files, is_certain)


def _parse_day(text: str) -> date | None:
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadInput("notice.no-day") from error
