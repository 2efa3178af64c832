"""Computes the damages that a rights holder claims for a matter: copied characters times the licence fee.

Each figure is stated with its source; a court may award another amount. The number of days is stated but not a factor,
because a fee per thousand characters does not depend on days.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.utils import timezone

from core.states import CaseState
from core.taken import NO_PLACES, Places
from core.wording import Message
from webadmin.cases.models import Case, Matter, TakenText
from webadmin.works.models import LicenceFee
from webadmin.works.services.licence_fees import current_fee

CENT = Decimal("0.01")
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Damages:
    """The damages for the confirmed cases of a matter. amount: in CNY, or None if the work has no fee."""

    matter: Matter
    cases: int
    undecided: int  # the number of open cases, which do not count
    texts: int
    taken_chars: int  # the number of characters of the work on any page, each counted once
    first_seen: datetime | None
    last_seen: datetime | None
    days_online: int  # the number of days from the first to the last sighting of at least one page
    fee: LicenceFee | None

    @property
    def thousands(self) -> Decimal:
        """The number of copied characters in thousands, not rounded."""
        return Decimal(self.taken_chars) / 1000

    @property
    def amount(self) -> Decimal | None:
        if self.fee is None:
            return None
        return (self.thousands * self.fee.per_thousand).quantize(CENT, ROUND_HALF_UP)

    def as_dict(self) -> dict[str, Any]:
        """Return the damages as JSON values. Amounts are strings, so that they remain exact."""
        fee = self.fee
        return {
            "matter": self.matter.pk,
            "site": self.matter.site.name,
            "work": self.matter.work.title,
            "confirmed_cases": self.cases,
            "open_cases_not_counted": self.undecided,
            "texts": self.texts,
            "taken_chars": self.taken_chars,
            "thousands": str(self.thousands),
            "first_seen_at": self.first_seen and self.first_seen.isoformat(),
            "last_seen_at": self.last_seen and self.last_seen.isoformat(),
            "days_online": self.days_online,
            "fee": fee
            and {
                "per_thousand": str(fee.per_thousand),
                "currency": "CNY",
                "source": fee.source,
                "entered_by": fee.entered_by.get_username(),
                "entered_at": fee.entered_at.isoformat(),
            },
            "amount": None if self.amount is None else str(self.amount),
            "is_own_arithmetic": True,
        }


def compute_damages(matter: Matter) -> Damages:
    """Return the damages of a matter for its confirmed cases, by their current figures."""
    cases = Case.objects.filter(matter=matter)
    confirmed = cases.filter(state=CaseState.CONFIRMED)
    seen = list(confirmed.order_by().values_list("first_seen_at", "last_seen_at"))
    texts = _unite_places(matter)
    return Damages(
        matter=matter,
        cases=len(seen),
        undecided=cases.filter(state=CaseState.OPEN).count(),
        texts=len(texts),
        taken_chars=sum(map(len, texts.values())),
        first_seen=min((first for first, _ in seen), default=None),
        last_seen=max((last for _, last in seen), default=None),
        days_online=count_days(seen),
        fee=current_fee(matter.work),
    )


def count_days(seen: Iterable[tuple[datetime, datetime]]) -> int:
    """Return the number of days in the installation's time zone that at least one (first, last) period covers."""
    zone = timezone.get_default_timezone()
    days, counted_to = 0, date.min
    for first, last in sorted((a.astimezone(zone).date(), b.astimezone(zone).date()) for a, b in seen):
        begin = max(first, counted_to + DAY) if counted_to > date.min else first
        days += max(0, (last - begin).days + 1)
        counted_to = max(counted_to, last)
    return days


def _unite_places(matter: Matter) -> dict[str, Places]:
    """Return the positions in each text of the work that the confirmed cases copied together."""
    rows = TakenText.objects.filter(case__matter=matter, case__state=CaseState.CONFIRMED).order_by()
    found: dict[str, Places] = {}
    for text, packed in rows.values_list("text_id", "places").iterator():
        found[text] = found.get(text, NO_PLACES) | Places.unpack(bytes(packed))
    return {text: places for text, places in found.items() if len(places)}


Moment = Callable[[datetime], str]


def describe_damages(found: Damages, moment: Moment, *, for_court: bool = False) -> list[Message]:
    """Return sentences that describe the calculation. moment: formats times for the reader.

    for_court: whether to leave out internal facts, such as undecided cases, missing data and who entered the fee.
    """
    if found.first_seen is None or found.last_seen is None:
        return [] if for_court else [Message("damages.none-seen")]
    said = [Message("damages.taken", chars=found.taken_chars, texts=found.texts, cases=found.cases)]
    if found.undecided and not for_court:
        said.append(Message("damages.undecided", count=found.undecided))
    first, last = moment(found.first_seen), moment(found.last_seen)
    said.append(Message("damages.days", days=found.days_online, first=first, last=last))
    fee, amount = found.fee, found.amount
    if fee is None or amount is None:
        return said if for_court else [*said, Message("damages.no-fee")]
    figure = f"{fee.per_thousand:,.2f}"
    by, at = fee.entered_by.get_username(), moment(fee.entered_at)
    return [
        *said,
        Message("damages.fee-source", fee=figure, source=fee.source)
        if for_court
        else Message("damages.fee", fee=figure, source=fee.source, by=by, at=at),
        Message("damages.amount", thousands=f"{found.thousands:,}", fee=figure, amount=f"{amount:,.2f}"),
    ]
