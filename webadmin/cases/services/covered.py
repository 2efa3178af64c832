"""Which pages a licence covers now: cases that it allows, and findings that it kept from becoming cases."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db.models import Model

from core.rights import Permission
from core.states import Rejection
from webadmin.cases.models import Case, Exclusion
from webadmin.works.models import Licence
from webadmin.works.services.licences import label_of, one_spelling

MAX_SHOWN, MAX_COUNTED = 10, 1_000
M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Covered(Generic[M]):
    """The newest of some records, and how many there are; `is_cut`: at least so many."""

    shown: tuple[M, ...]
    count: int
    is_cut: bool


def covered_cases(licence: Licence) -> Covered[Case]:
    """The cases whose page the licence allows."""
    rows = Case.objects.exclude(allowed_as="").filter(
        rights_holder=licence.rights_holder_id, allowed_as=Rejection.LICENSED, allowed_by=label_of(licence)
    )
    rows = rows.filter(work=licence.work_id) if licence.work_id else rows
    return _within(rows.select_related("work", "decision").order_by("-pk")[: MAX_COUNTED + 1], licence)


def covered_findings(licence: Licence) -> Covered[Exclusion]:
    """The findings that are no case because of the licence."""
    rows = Exclusion.objects.filter(
        work__rights_holder=licence.rights_holder_id, reason=Rejection.LICENSED, detail=label_of(licence)
    )
    rows = rows.filter(work=licence.work_id) if licence.work_id else rows
    return _within(rows.select_related("work", "page").order_by("-pk")[: MAX_COUNTED + 1], licence)


def _within(rows: Iterable[M], licence: Licence) -> Covered[M]:
    """Those where the licence holds: two licences may have one name."""
    permission = Permission(licence.domain, licence.valid_from, licence.valid_until, "", address=licence.address)
    here = [row for row in rows if permission.covers(one_spelling(row.page_url))]  # type: ignore[attr-defined]
    return Covered(tuple(here[:MAX_SHOWN]), min(len(here), MAX_COUNTED), len(here) > MAX_COUNTED)
