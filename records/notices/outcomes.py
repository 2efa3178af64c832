"""What comes of a notice that went out, as people note it: answered, removed, refused, closed, or taken further."""

from datetime import date, datetime

from django.contrib.auth.models import User
from django.db import transaction

from core.addressees import Paper
from core.errors import BadInput
from core.wording import Message, say
from records.models import Addressee, Notice
from records.notices.drafting import Drafted, draft
from records.notices.events import MOVES, locked, move, states_before
from records.notices.kept_files import keep_event_papers
from records.notices.sending import NOTHING, Noted, require_manager, require_past
from records.notices.values import cases_of

State = Notice.State
NOTED = (State.ANSWERED, State.REFUSED, State.REMOVED, State.CLOSED)


def note_outcome(notice: Notice, to: str, by: User, now: datetime, noted: Noted = NOTHING) -> None:
    """Note what happened. noted.day: when, if not today. Raises BadInput for a state that may not follow."""
    require_manager(notice, by)
    if to not in NOTED:
        raise BadInput("notice.no-move", choices=tuple(str(each) for each in NOTED))
    with transaction.atomic():
        row = locked(notice, *states_before(to))
        require_after_sending(row, noted.day, now)
        event = move(row, to, by, now, noted.note, day=noted.day)
        keep_event_papers(event, noted.files, by)
    notice.refresh_from_db()


def escalate(notice: Notice, addressee: Addressee, by: User) -> Drafted:
    """Draft a notice about the same pages to somebody further from the text. The old one is escalated when it is sent.

    Raises BadInput as `draft`, and for one that is not waiting for anything.
    """
    if State.ESCALATED not in MOVES[notice.state]:
        raise BadInput("notice.other-state")
    if addressee.pk == notice.addressee_id:
        raise BadInput("notice.same-addressee")
    with transaction.atomic():
        made = draft(cases_of(notice), addressee.paper, by, addressee)
        new = made.notice
        new.escalates = notice
        if addressee.paper is not Paper.DMCA:  # which states no facts
            new.values = {**new.values, "facts": f"{new.values.get('facts', '')}\n{_earlier(notice)}".strip()}
        new.save(update_fields=["escalates", "values"])
    return made


def require_after_sending(row: Notice, day: date | None, now: datetime) -> None:
    """Raise BadInput for a day that has not come, or on which the notice had not gone out."""
    if day is None:
        return
    require_past(day, now)
    if row.sent_on is not None and day < row.sent_on:
        raise BadInput("notice.before-it-was-sent", day=day.isoformat(), sent=row.sent_on.isoformat())


def noted_next(notice: Notice) -> list[str]:
    """The states that a person may note now."""
    return [state for state in NOTED if state in MOVES[notice.state]]


def _earlier(notice: Notice) -> str:
    """In Chinese, as the paper is."""
    name = notice.addressee.legal_name or notice.addressee.name if notice.addressee else ""
    name = name or str(notice.values.get("addressee_name", ""))
    day = notice.sent_on.isoformat() if notice.sent_on else ""
    return say(Message("notice.earlier-notice", name=name, day=day), "zh")
