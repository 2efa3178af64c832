"""A reviewer's verdict on a case: who, when, why; nothing that was decided is ever lost."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from core.clock import SystemClock
from core.errors import BadInput
from core.ports import Clock
from core.states import CaseState, Verdict
from core.terms import VERDICTS
from core.wording import Message
from records.access import role_in
from records.models import Case, VerdictRecord

MAX_NOTE_CHARS = 4_000  # two pages; a longer one is a document, and belongs into the file of the case


class VerdictRefused(BadInput):
    """A verdict that is not written, and why."""


def decide(
    case: Case,
    verdict: Verdict | None,
    user: User,
    note: str = "",
    *,
    clock: Clock | None = None,
    basis: int | None = None,
) -> None:
    """Give a verdict, or take back the one that stands (None), and keep it in the case's history.

    basis: primary key of the newest VerdictRecord that the reviewer saw, 0 for none; where another one stands by now,
    the verdict is refused. Left out, whatever stands is overruled. The case given is brought up to date.
    A case whose verdict is taken back is open, or set aside where a licence or an own domain allows its page.
    Raises VerdictRefused for a user without a role for the rights holder, an outdated basis, no verdict to take back,
    and a note that is too long.
    """
    now = (clock or SystemClock()).now()
    note = note.strip()
    if len(note) > MAX_NOTE_CHARS:
        raise VerdictRefused("case.note-too-long", most=MAX_NOTE_CHARS)
    with transaction.atomic():
        row = Case.objects.select_for_update(of=("self",), no_key=True).select_related("rights_holder").get(pk=case.pk)
        if role_in(user, row.rights_holder) is None:
            raise VerdictRefused("case.no-role", holder=row.rights_holder)
        newest = row.verdicts.select_related("decided_by").first()
        if basis is not None and basis != (newest.pk if newest else 0):
            raise _outdated(newest)
        if verdict is None and row.decision_id is None:
            raise _undecided(row)
        _write(row, verdict, user, note, now)
    case.refresh_from_db()


def undo(case: Case, user: User, basis: int, *, clock: Clock | None = None) -> None:
    """Take back one's own newest decision: what stood before it stands again, and both stay in the history.

    basis: primary key of that decision. Raises VerdictRefused where another one stands by now, and as `decide` does.
    """
    newest, before = (*case.verdicts.all()[:2], None, None)[:2]
    if newest is None or newest.pk != basis or newest.decided_by_id != user.pk:
        raise _outdated(newest)
    former = before if before is not None and before.verdict else None
    verdict, note = (Verdict(former.verdict), former.note) if former is not None else (None, "")
    decide(case, verdict, user, note, clock=clock, basis=basis)


def _write(row: Case, verdict: Verdict | None, user: User, note: str, now: datetime) -> None:
    record = VerdictRecord.objects.create(case=row, verdict=verdict or "", note=note, decided_by=user, decided_at=now)
    state = CaseState.of(verdict, is_allowed=bool(row.allowed_as))
    Case.objects.filter(pk=row.pk).update(state=state, decision=record if verdict else None, decided_as=verdict or "")


def _undecided(row: Case) -> VerdictRefused:
    if row.state == CaseState.OPEN:
        return VerdictRefused("case.open-already")
    return VerdictRefused("case.undecided", right=row.allowed_by)


def _outdated(newest: VerdictRecord | None) -> VerdictRefused:
    if newest is None:
        return VerdictRefused("case.changed")
    decided = VERDICTS[Verdict(newest.verdict)] if newest.verdict else Message("case.reopened")
    when = timezone.localtime(newest.decided_at).strftime("%Y-%m-%d %H:%M:%S")
    return VerdictRefused("case.decided-meanwhile", who=newest.decided_by, verdict=decided, when=when)
