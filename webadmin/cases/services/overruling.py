"""Overrules exclusions, so that the findings become cases and are not excluded for the same reason again."""

from contextlib import suppress
from functools import partial

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from core.errors import BadInput, RetryLater
from core.messages import pages_stored
from core.states import Rejection
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services.access import require_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseAddress, Exclusion, Overruling
from webadmin.cases.services.addresses import release_addresses, request_comparison
from webadmin.cases.services.decision import Rights
from webadmin.cases.services.matters.figures import refresh_cases
from webadmin.cases.services.recounting import recount_case
from webadmin.cases.services.rulings import Cause, Occasion, rule_cases

MAX_NOTE_CHARS = 500


def overrule_exclusion(exclusion: Exclusion, user: User, note: str) -> Overruling:
    """Overrule an exclusion, and queue its page for the comparison that opens the case with its evidence.

    Raises BadInput if the user has no role for the rights holder, the note is missing or too long, or the exclusion was
    already overruled.
    """
    require_role(user, exclusion.page)
    note = checked_note(note)
    with transaction.atomic():
        lock_rights(exclusion.page.rights_holder_id)
        if active_overruling(exclusion) is not None:
            raise BadInput("exclusion.overruled-already")
        made = Overruling.objects.create(
            page=exclusion.page, work=exclusion.work, reason=exclusion.reason, detail=exclusion.detail,
            note=note, entered_by=user, entered_at=timezone.now(),
        )  # fmt: skip
        request_comparison([exclusion.page_id])
        transaction.on_commit(partial(_request_comparisons, [exclusion.page.version_id]))
    return made


def withdraw_overruling(overruling: Overruling, user: User) -> None:
    """Withdraw an overruling, and set aside the case that depends on it, unless the case has a verdict.

    If the page is only another URL of a case, it is removed from the case and compared again. Raises BadInput if the
    user has no role for the rights holder, or if the overruling was already withdrawn.
    """
    require_role(user, overruling.page)
    holder = overruling.page.rights_holder_id
    with transaction.atomic():
        lock_rights(holder)
        taken = Overruling.objects.filter(pk=overruling.pk, withdrawn_at=None)
        if not taken.update(withdrawn_at=timezone.now(), withdrawn_by=user):
            raise BadInput("exclusion.taken-back-already")
        cases = Case.objects.filter(page=overruling.page_id, work=overruling.work_id)
        refresh_cases(rule_cases(cases, Rights(holder), Occasion(Cause.PASSAGES, timezone.now(), user.pk)))
        at_others = CaseAddress.objects.filter(page=overruling.page_id, case__work=overruling.work_id)
        release_addresses(at_others.exclude(page=F("case__page")))
    if overruling.reason == Rejection.NOTHING_LEFT:
        for case in cases:
            recount_case(case, stores.page_store(), stores.work_store(), user.pk)


def active_overruling(exclusion: Exclusion) -> Overruling | None:
    """Return the overruling of an exclusion whose page still waits for the comparison, or None if there is none."""
    return (
        Overruling.objects.filter(
            page=exclusion.page_id, work=exclusion.work_id, reason=exclusion.reason, detail=exclusion.detail,
            withdrawn_at=None,
        )
        .select_related("entered_by")
        .first()
    )  # fmt: skip


def checked_note(note: str, *, is_needed: bool = True) -> str:
    """Return the stripped note. Raises BadInput if it is too long, or if it is needed and blank."""
    note = note.strip()
    if is_needed and not note:
        raise BadInput("exclusion.no-note")
    if len(note) > MAX_NOTE_CHARS:
        raise BadInput("case.note-too-long", most=MAX_NOTE_CHARS)
    return note


def _request_comparisons(versions: list[str]) -> None:
    with suppress(RetryLater):  # The sweeper requests the comparison later.
        for message in pages_stored(versions):
            stores.outbox().send(message)
