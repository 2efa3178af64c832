"""Finds the right that currently allows the page of a case, and who entered it."""

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
    """The right that allows the page of a case as last seen, and who entered it.

    seen_before: the time when the page was first seen with the copy, if that was before the licence began.
    """

    by: str
    entered_at: datetime | None
    is_of_work: bool  # the work is not protected anywhere
    is_of_finding: bool  # the finding is not a copy, or none of it counts; no right is involved
    seen_before: datetime | None


def current_allowance(case: Case) -> CurrentAllowance | None:
    """Return the right that allows the page of a case; None if there is none."""
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
    """A licence that covers the page of a case except for some chapters. outside: the chapter numbers, for display."""

    licence: Licence
    outside: str


def partial_licence(case: Case) -> PartialLicence | None:
    """Return the licence that covers some chapters on a case's page with the uncovered chapters; may be None."""
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
