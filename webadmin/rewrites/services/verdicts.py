"""Records users' verdicts on leads, with the score at that time, from which thresholds can be set later."""

from django.db import transaction
from django.utils import timezone

from core.clock import SystemClock
from core.errors import BadInput
from core.matches import RewordedState
from core.ports import Clock
from webadmin.accounts.models import User
from webadmin.accounts.services.access import require_role
from webadmin.cases.services.verdicts import MAX_NOTE_CHARS
from webadmin.rewrites.models import RewordedLead, RewordedVerdict


class LeadVerdictRefused(BadInput):
    """A verdict on a lead was rejected."""


def decide_lead(
    lead: RewordedLead,
    state: RewordedState,
    user: User,
    note: str = "",
    *,
    basis: int | None = None,
    seen_version: str | None = None,
    clock: Clock | None = None,
) -> RewordedVerdict:
    """Confirm, dismiss or reopen a lead, and return the recorded verdict. Earlier verdicts remain.

    basis: the primary key of the newest verdict that the user saw, or 0. seen_version: the page version that the user
    saw. If either has changed, nothing is recorded; None skips the check. `lead` is refreshed. Only the lead is locked,
    so the order of locks does not matter.

    Raises LeadVerdictRefused if the user has no role for the rights holder, the basis or version is outdated, the lead
    is not decided and would be reopened, or the note is too long.
    """
    now = (clock or SystemClock()).now()
    note = note.strip()
    if len(note) > MAX_NOTE_CHARS:
        raise LeadVerdictRefused("case.note-too-long", most=MAX_NOTE_CHARS)
    with transaction.atomic():
        row = (
            RewordedLead.objects.select_for_update(of=("self",), no_key=True)
            .select_related("rights_holder")
            .defer("pairs")
            .get(pk=lead.pk)
        )
        require_role(user, row, LeadVerdictRefused)
        newest = row.verdicts.select_related("decided_by").first()
        if basis is not None and basis != (newest.pk if newest else 0):
            raise _outdated_refusal(newest)
        if seen_version is not None and seen_version != row.version_id:
            raise LeadVerdictRefused("reworded.changed")
        if state == row.state == RewordedState.WAITING:
            raise LeadVerdictRefused("reworded.waits-already")
        given = RewordedVerdict.objects.create(
            lead=row,
            verdict="" if state == RewordedState.WAITING else state,
            note=note,
            score=row.score,
            algorithm_version=row.algorithm_version,
            page_version_id=row.version_id,
            decided_by=user,
            decided_at=now,
        )
        RewordedLead.objects.filter(pk=row.pk).update(state=state)
    lead.refresh_from_db()
    return given


def is_verdict_current(verdict: RewordedVerdict, lead: RewordedLead) -> bool:
    """Return True if a verdict was given on the lead's current page version and algorithm."""
    return (verdict.page_version_id, verdict.algorithm_version) == (lead.version_id, lead.algorithm_version)


def _outdated_refusal(newest: RewordedVerdict | None) -> LeadVerdictRefused:
    if newest is None:
        return LeadVerdictRefused("reworded.changed")
    when = timezone.localtime(newest.decided_at).strftime("%Y-%m-%d %H:%M:%S")
    return LeadVerdictRefused("reworded.decided-meanwhile", who=newest.decided_by, when=when)
