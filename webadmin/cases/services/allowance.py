"""Finds the right that currently allows the page of a case, and the user who entered it."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from core.chapters import format_chapter_numbers
from core.states import OF_THE_FINDING, Rejection
from webadmin.cases.models import Case
from webadmin.cases.services.decision import Allowance, Rights, RightsQuery
from webadmin.cases.services.taken import texts_by_case
from webadmin.works.models import Licence, Unprotected


@dataclass(frozen=True, slots=True)
class CurrentAllowance:
    """The right that allows the page of a case as last seen.

    by: the name of the user who entered it, or "". seen_before: the time when the copy was first seen, if that was
    before the licence began, or None.
    """

    by: str
    entered_at: datetime | None
    is_of_work: bool  # True if the work is not protected
    is_of_finding: bool  # True if no right is involved, because the finding is no copy or nothing of it counts
    seen_before: datetime | None


def current_allowance(case: Case) -> CurrentAllowance | None:
    """Return what allows the page of a case, or None if nothing does."""
    if not case.allowed_as:
        return None
    right = _current_ruling(case).right
    first_day = case.first_seen_at.astimezone(timezone.get_default_timezone()).date()
    is_later = isinstance(right, Licence) and first_day < right.valid_from
    return CurrentAllowance(
        by=right.entered_by.get_username() if right and right.entered_by else "",
        entered_at=right.entered_at if right else None,
        is_of_work=isinstance(right, Unprotected),
        is_of_finding=case.allowed_as in (*OF_THE_FINDING, Rejection.NOTHING_LEFT),
        seen_before=case.first_seen_at if is_later else None,
    )


@dataclass(frozen=True, slots=True)
class PartialLicence:
    """A licence for the page of a case that does not cover some copied chapters. outside: their numbers, as text."""

    licence: Licence
    outside: str


def partial_licence(case: Case) -> PartialLicence | None:
    """Return the licence that covers only some of the chapters on the page of a case, or None if there is none."""
    limited = Licence.objects.filter(rights_holder=case.rights_holder_id, work=case.work_id).exclude(chapters="")
    if case.allowed_as or not limited.exists():
        return None
    allowance = _current_ruling(case)
    if not isinstance(allowance.right, Licence) or not allowance.outside:
        return None
    return PartialLicence(allowance.right, format_chapter_numbers(allowance.outside))


def _current_ruling(case: Case) -> Allowance:
    texts = texts_by_case(Case.objects.filter(pk=case.pk)).get(case.pk, ())
    account = case.page_poster or case.page_author
    copied = RightsQuery(case.work_id, case.page_id, case.page_url, case.last_seen_at, account, texts)
    return Rights(case.rights_holder_id).ruling(copied)
