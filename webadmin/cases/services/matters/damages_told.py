"""The damages of a matter in sentences, each figure with its source: for the desk and the command line alike."""

from collections.abc import Callable
from datetime import datetime

from core.wording import Message
from webadmin.cases.services.matters.damages import Damages
from webadmin.works.models import LicenceFee

Moment = Callable[[datetime], str]


def told(found: Damages, moment: Moment) -> list[Message]:
    """In the order of the reckoning; what is missing is said. moment: writes times as the reader has them."""
    if found.first_seen is None or found.last_seen is None:
        return [Message("damages.none-seen")]
    said = _seen(found, moment)
    if found.undecided:
        said.insert(1, Message("damages.undecided", count=found.undecided))
    fee = found.fee
    if fee is None:
        return [*said, Message("damages.no-fee")]
    by, at = fee.entered_by.get_username(), moment(fee.entered_at)
    return [*said, Message("damages.fee", fee=_per(fee), source=fee.source, by=by, at=at), *_amount(found)]


def for_court(found: Damages, moment: Moment) -> list[Message]:
    """The same without what is the rights holder's own business: who entered what, and what is not decided yet."""
    fee = found.fee
    if fee is None:
        return _seen(found, moment)
    return [*_seen(found, moment), Message("damages.fee-source", fee=_per(fee), source=fee.source), *_amount(found)]


def _seen(found: Damages, moment: Moment) -> list[Message]:
    if found.first_seen is None or found.last_seen is None:
        return []
    return [
        Message("damages.taken", chars=found.taken_chars, texts=found.texts, cases=found.cases),
        Message("damages.days", days=found.days_online, first=moment(found.first_seen), last=moment(found.last_seen)),
    ]


def _per(fee: LicenceFee) -> str:
    return f"{fee.per_thousand:,.2f}"


def _amount(found: Damages) -> list[Message]:
    if found.fee is None or found.amount is None:
        return []
    figures = {"thousands": f"{found.thousands:,}", "fee": _per(found.fee), "amount": f"{found.amount:,.2f}"}
    return [Message("damages.amount", **figures)]
