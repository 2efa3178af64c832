"""Which pages a licence covers now: cases that it allows, and findings that it kept from becoming cases."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from django.db.models import Model

from core.rights import is_within
from core.states import Rejection
from records.models import Case, Exclusion, Licence

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


def label_of(licence: Licence) -> str:
    """How cases and findings name the licence that allows them."""
    return f"{licence.licensee} {licence.number}".strip()[:300]


def _within(rows: Iterable[M], licence: Licence) -> Covered[M]:
    """Those on the licence's domain: two licences may have one name."""
    of_domain = [row for row in rows if is_within(row.page_url, licence.domain)]  # type: ignore[attr-defined]
    shown = tuple(islice(of_domain, MAX_SHOWN))
    return Covered(shown, min(len(of_domain), MAX_COUNTED), len(of_domain) > MAX_COUNTED)
