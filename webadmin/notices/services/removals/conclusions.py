"""Draws conclusions from page checks: pages are removed or back, and their notices and cases are updated.

A removal requires two checks at least GONE_AFTER apart without a contrary check between them, and a third check by a
second route if the operator configured one. A check that could not see the page proves nothing.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from core.errors import BadInput
from core.states import CaseState
from crawler.recrawl.policy import GONE_AFTER
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseMatch, PageCheck
from webadmin.cases.services.addresses import OUTDATED
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.database import lock_rows
from webadmin.notices.models import Notice, NoticePage, Removal, RemovalLook
from webadmin.notices.services.events import change_state, lock_notice
from webadmin.notices.services.removals.page_looks import Seen
from webadmin.notices.services.removals.run_looks import REMOVED
from webadmin.sites.services.politeness import has_second_route

State = Notice.State
# SENT: the notices whose pages matter. MOVED: those that removals change. It excludes `countered`, because only a user
# ends the period to complain or sue.
SENT = (State.SENT, State.ANSWERED, State.COUNTERED, State.REFUSED, State.ESCALATED)
MOVED = (State.SENT, State.ANSWERED, State.REFUSED, State.ESCALATED)
ENDED = (State.REMOVED, State.CLOSED)


def unproved_cases() -> "QuerySet[Case]":
    """Return the confirmed cases with checks that indicate a removal that is not proved yet."""
    contrary = RemovalLook.objects.filter(case=OuterRef("case"), seen=Seen.STANDS, at__gt=OuterRef("at"))
    looks = RemovalLook.objects.filter(~Exists(contrary), seen__in=REMOVED, removal=None)
    active = Removal.objects.filter(case=OuterRef("pk"), ended_at=None)
    cases = Case.objects.filter(~Exists(active), state=CaseState.CONFIRMED, pk__in=looks.values("case"))
    return cases.select_related("page", "site").order_by("pk")


def absence_streak(case: Case) -> list[RemovalLook]:
    """Return the latest consecutive checks of a case's page that did not find the passages, the oldest first.

    Checks of another URL that the case had before are left out.
    """
    found: list[RemovalLook] = []
    looks = RemovalLook.objects.filter(case=case, removal=None, page_id__in=("", case.page_id))
    for look in looks.order_by("at", "pk"):
        if look.seen == Seen.STANDS:
            found = []
        elif look.seen in REMOVED:
            found.append(look)
    return found


def confirming_look(looks: Sequence[RemovalLook]) -> RemovalLook | None:
    """Return the first check that is at least GONE_AFTER later than looks[0], or None."""
    return next((each for each in looks if each.at - looks[0].at >= GONE_AFTER), None)


def confirm_removal(case: Case) -> Removal | None:
    """Record and return the removal of a case's page, or return None if its checks do not prove one yet."""
    if not _proving_looks(case):  # Most wait for their second check and need no lock.
        return None
    with transaction.atomic():
        lock_rights(case.rights_holder_id)
        if not lock_rows(Case.objects.filter(pk=case.pk, state=CaseState.CONFIRMED)).exists():
            return None
        proof = _proving_looks(case)
        if not proof or case.removals.filter(ended_at=None).exists():
            return None
        removal = Removal.objects.create(case=case, since=proof[0].at, said_at=proof[-1].at)
        RemovalLook.objects.filter(pk__in=[look.pk for look in proof]).update(removal=removal)
        mark_notices_removed(proof[-1].at)
    return removal


def end_removals() -> list[Removal]:
    """End the removals of pages on which the passages were seen again, and mark their cases for review.

    Nothing is sent. Finished notices are reopened, and their matter appears in the inbox.
    """
    again = {"case__removals__ended_at": None, "at__gt": F("case__removals__said_at")}
    ended = []
    for look in RemovalLook.objects.filter(seen=Seen.STANDS, **again).select_related("case").order_by("at", "pk"):
        with transaction.atomic():
            lock_rights(look.case.rights_holder_id)
            removal = Removal.objects.filter(case=look.case, ended_at=None, said_at__lt=look.at).first()
            if removal is None:
                continue
            removal.ended_at = look.at
            removal.save(update_fields=["ended_at"])
            _reopen_notices(look.case, look.at)
        ended.append(removal)
    return ended


def _proving_looks(case: Case) -> list[RemovalLook]:
    """Return the checks that prove the removal of a case's page, or [] if they do not suffice."""
    looks = absence_streak(case)
    second = confirming_look(looks) if looks else None
    if second is None or not all(_is_compared(case, each) for each in (looks[0], second)):
        return []
    proof = [looks[0], second]
    if has_second_route(case.site):
        third = next((each for each in looks if each.by_second_route and each.at >= second.at), None)
        if third is None:
            return []
        proof = list({each.pk: each for each in (*proof, third)}.values())
    return proof


def _is_compared(case: Case, look: RemovalLook) -> bool:
    """Return True if the page version of a check has been compared with all works.

    If the version matches the work of the case after all, the check is corrected.
    """
    if look.seen != Seen.CLEARED or not look.version_id:
        return True
    if CaseMatch.objects.filter(case=case, version_id=look.version_id).exists():
        RemovalLook.objects.filter(pk=look.pk).update(seen=Seen.STANDS)
        return False
    return PageCheck.objects.filter(version_id=look.version_id).exclude(algorithm_id=OUTDATED).exists()


def mark_notices_removed(at: datetime) -> None:
    """Mark the notices whose pages are all removed, including notices recorded as sent after the removal.

    at: the time of the events.
    """
    active = Removal.objects.filter(case=OuterRef("case"), ended_at=None)
    left = NoticePage.objects.filter(~Exists(active), notice=OuterRef("pk"))
    named = NoticePage.objects.filter(notice=OuterRef("pk"))
    for notice in Notice.objects.filter(~Exists(left), Exists(named), state__in=MOVED).order_by("pk"):
        try:
            row = lock_notice(notice, *MOVED)
        except BadInput:  # its state has changed meanwhile
            continue
        change_state(row, State.REMOVED, None, at)


def _reopen_notices(case: Case, at: datetime) -> None:
    Case.objects.filter(pk=case.pk, returned_at=None).update(returned_at=at)
    for notice in Notice.objects.filter(pages__case=case, state__in=ENDED).distinct().order_by("pk"):
        with suppress(BadInput):  # its state has changed meanwhile
            change_state(lock_notice(notice, *ENDED), State.SENT, None, at)
    refresh_matters({case.matter_id}, texts=())
