"""What allows the page of a case now, and who entered it."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from core.states import OF_THE_FINDING, Rejection
from records.cases.permissions import Rights
from records.models import Case, Licence, Unprotected


@dataclass(frozen=True, slots=True)
class AllowedNow:
    """What allows the page of a case as it was last seen, and who entered it.

    seen_before: when the page was first seen with the copy, where that was before the licence began; else None.
    """

    reason: str
    label: str
    by: str
    entered_at: datetime | None
    is_of_work: bool  # the work is not protected, on whatever page
    is_of_finding: bool  # what the page has is no copy, or nothing of it counts; no right has to do with it
    seen_before: datetime | None


def allowed_now(case: Case) -> AllowedNow | None:
    """None for a case whose page nothing allows."""
    if not case.allowed_as:
        return None
    right = Rights(case.rights_holder_id).ruling(case.work_id, case.page_url, case.last_seen_at).right
    first_day = case.first_seen_at.astimezone(ZoneInfo(settings.TIME_ZONE)).date()
    is_later = isinstance(right, Licence) and first_day < right.valid_from
    return AllowedNow(
        reason=str(case.get_allowed_as_display()),
        label=case.allowed_by,
        by=right.entered_by.get_username() if right and right.entered_by else "",
        entered_at=right.entered_at if right else None,
        is_of_work=isinstance(right, Unprotected),
        is_of_finding=case.allowed_as in (*OF_THE_FINDING, Rejection.NOTHING_LEFT),
        seen_before=case.first_seen_at if is_later else None,
    )
