"""A reviewer's verdict on a case: who, when, why; nothing that was decided is ever lost."""

from datetime import datetime

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core.clock import SystemClock
from core.errors import BadInput
from core.ports import Clock
from core.states import CaseState, Verdict
from webadmin.access import role_in
from webadmin.models import Case, VerdictRecord

MAX_NOTE_CHARS = 4_000  # two pages; a longer one is a document, and belongs into the file of the case


class VerdictRefused(BadInput):
    """A verdict that is not written; the sentence says why, in the language of whoever asked."""


def decide(
    case: Case,
    verdict: Verdict | None,
    user: User,
    note: str = "",
    *,
    clock: Clock | None = None,
    basis: int | None = None,
) -> None:
    """Give a verdict, or open the case again (None), and keep it in the case's history and in the admin's log.

    basis: primary key of the newest VerdictRecord that the reviewer saw, 0 for none; where another one stands by now,
    the verdict is refused. Left out, whatever stands is overruled. The case given is brought up to date.
    Raises VerdictRefused for a user without a role for the rights holder, an outdated basis, a reopening of what is
    open, and a note that is too long.
    """
    now = (clock or SystemClock()).now()
    note = note.strip()
    if len(note) > MAX_NOTE_CHARS:
        raise VerdictRefused(_("The note is longer than %(max)d characters.") % {"max": MAX_NOTE_CHARS})
    with transaction.atomic():
        row = Case.objects.select_for_update().select_related("rights_holder").get(pk=case.pk)
        if role_in(user, row.rights_holder) is None:
            raise VerdictRefused(_("You have no role for %(holder)s.") % {"holder": row.rights_holder})
        newest = row.verdicts.select_related("decided_by").first()
        if basis is not None and basis != (newest.pk if newest else 0):
            raise VerdictRefused(_outdated(newest))
        if verdict is None and row.state == CaseState.OPEN:
            raise VerdictRefused(_("The case is open already."))
        _write(row, verdict, user, note, now)
        _log(row, verdict, user)
    case.refresh_from_db()


def _write(row: Case, verdict: Verdict | None, user: User, note: str, now: datetime) -> None:
    VerdictRecord.objects.create(case=row, verdict=verdict or "", note=note, decided_by=user, decided_at=now)
    Case.objects.filter(pk=row.pk).update(
        state=CaseState.OPEN if verdict is None else verdict.state,
        verdict=verdict or "",
        verdict_note=note,
        decided_by=None if verdict is None else user,
        decided_at=None if verdict is None else now,
    )


def _log(row: Case, verdict: Verdict | None, user: User) -> None:
    message = f"verdict: {verdict or CaseState.OPEN}"
    LogEntry.objects.log_actions(
        user_id=user.pk, queryset=[row], action_flag=CHANGE, change_message=message, single_object=True
    )


def _outdated(newest: VerdictRecord | None) -> str:
    if newest is None:
        return _("Nothing was written: the case has changed since you opened it. Look at it again.")
    said = newest.get_verdict_display() if newest.verdict else _("reopened")
    return _(
        "Nothing was written: %(who)s decided “%(verdict)s” on this case on %(when)s, after you opened it. "
        "Look at it again."
    ) % {
        "who": newest.decided_by,
        "verdict": said,
        "when": timezone.localtime(newest.decided_at).strftime("%Y-%m-%d %H:%M:%S"),
    }
