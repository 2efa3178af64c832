"""The damages of a matter in sentences, each figure with its source: for the desk and the command line alike."""

from collections.abc import Callable
from datetime import datetime

from core.wording import Message
from records.matters.damages import Damages


def told(found: Damages, moment: Callable[[datetime], str]) -> list[Message]:
    """In the order of the reckoning; what is missing is said. moment: writes times as the reader has them."""
    if found.first_seen is None or found.last_seen is None:
        return [Message("damages.none-seen")]
    said = [
        Message("damages.taken", chars=found.taken_chars, texts=found.texts, cases=found.cases),
        Message("damages.days", days=found.days_online, first=moment(found.first_seen), last=moment(found.last_seen)),
    ]
    if found.undecided:
        said.insert(1, Message("damages.undecided", count=found.undecided))
    fee = found.fee
    if fee is None or found.amount is None:
        return [*said, Message("damages.no-fee")]
    by, at = fee.entered_by.get_username(), moment(fee.entered_at)
    per = f"{fee.per_thousand:,.2f}"
    return [
        *said,
        Message("damages.fee", fee=per, source=fee.source, by=by, at=at),
        Message("damages.amount", thousands=f"{found.thousands:,}", fee=per, amount=f"{found.amount:,.2f}"),
    ]
