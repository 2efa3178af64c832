"""Records the verdicts of reviewers on cases. Every decision remains in the history."""

from django.db import transaction
from django.utils import timezone

from core.clock import SystemClock
from core.errors import BadInput
from core.ports import Clock
from core.states import CaseState, Verdict
from core.terms import term
from core.wording import Message
from webadmin.accounts.models import Membership, User
from webadmin.accounts.services.access import require_role, user_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, VerdictRecord
from webadmin.cases.services.matters.figures import refresh_cases
from webadmin.works.models import Licence

MAX_NOTE_CHARS = 4_000  # two pages; longer notes belong in a document


class VerdictRefused(BadInput):
    """The error if a verdict is not recorded, with the reason."""


def decide(
    case: Case,
    verdict: Verdict | None,
    user: User,
    note: str = "",
    *,
    clock: Clock | None = None,
    basis: int | None = None,
    licence: Licence | None = None,
) -> None:
    """Record a verdict, or the withdrawal of the current verdict (None), in the history of a case. Refreshes `case`.

    basis: the primary key of the newest VerdictRecord that the reviewer saw, or 0 if there was none; None accepts any.
    licence: the licence that is created with the verdict. A case whose verdict is withdrawn is open, or set aside if a
    right allows its page.

    Raises VerdictRefused if the user has no role for the rights holder, there is a newer record than `basis`, there is
    no verdict to withdraw, or the note is too long.
    """
    now = (clock or SystemClock()).now()
    note = note.strip()
    if len(note) > MAX_NOTE_CHARS:
        raise VerdictRefused("case.note-too-long", most=MAX_NOTE_CHARS)
    with transaction.atomic():
        row = (
            Case.objects.select_for_update(of=("self",), no_key=True)
            .select_related("rights_holder", "page")
            .get(pk=case.pk)
        )
        require_role(user, row, VerdictRefused)
        newest = row.verdicts.select_related("decided_by").first()
        if basis is not None and basis != (newest.pk if newest else 0):
            raise _outdated_refusal(newest)
        if verdict is None and row.decision_id is None:
            raise _undecided_refusal(row)
        given = VerdictRecord(
            case=row,
            verdict=verdict or "",
            note=note,
            page_version_id=row.page.version_id,
            licence=licence,
            decided_by=user,
            decided_at=now,
        )
        _write_verdict(row, given)
    case.refresh_from_db()


def undo_decision(case: Case, user: User, basis: int, *, clock: Clock | None = None) -> None:
    """Undo the user's own newest decision on a case by restoring the previous one. Both remain in the history.

    If the user is a manager, the licence that was created with the decision is deleted, unless it has proofs. basis:
    the primary key of the decision. Raises VerdictRefused as `decide` does, and if the newest decision is another one.
    """
    newest, before = (*case.verdicts.all()[:2], None, None)[:2]
    if newest is None or newest.pk != basis or newest.decided_by_id != user.pk:
        raise _outdated_refusal(newest)
    former = before if before is not None and before.verdict else None
    verdict, note = (Verdict(former.verdict), former.note) if former is not None else (None, "")
    with transaction.atomic():
        lock_rights(case.rights_holder_id)  # locked before the case, as in all rulings
        decide(case, verdict, user, note, clock=clock, basis=basis)
        if newest.licence is not None and user_role(user, case.rights_holder) == Membership.Role.MANAGER:
            _withdraw_licence(newest.licence, user)
            case.refresh_from_db()


def _withdraw_licence(licence: Licence, user: User) -> None:
    if not licence.proofs.exists():
        licence.entered_by = user
        licence.delete()


def _write_verdict(row: Case, record: VerdictRecord) -> None:
    record.save()
    verdict = Verdict(record.verdict) if record.verdict else None
    Case.objects.filter(pk=row.pk).update(
        state=CaseState.from_verdict(verdict, is_allowed=bool(row.allowed_as)),
        decision=record if verdict else None,
        decided_as=record.verdict,
        changed_since=None,
        returned_at=None,
    )
    refresh_cases([row.pk])


def _undecided_refusal(row: Case) -> VerdictRefused:
    if row.state == CaseState.OPEN:
        return VerdictRefused("case.open-already")
    return VerdictRefused("case.undecided", right=row.allowed_by or row.get_allowed_as_display())


def _outdated_refusal(newest: VerdictRecord | None) -> VerdictRefused:
    if newest is None:
        return VerdictRefused("case.changed")
    decided = term(Verdict(newest.verdict)) if newest.verdict else Message("case.reopened")
    when = timezone.localtime(newest.decided_at).strftime("%Y-%m-%d %H:%M:%S")
    return VerdictRefused("case.decided-meanwhile", who=newest.decided_by, verdict=decided, when=when)
