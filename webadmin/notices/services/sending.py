"""Records that notices were sent, with the day, note and files that users enter for events."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.addressees import ANSWER_DAYS
from core.errors import BadInput
from core.ids import digest
from core.wording import Message
from webadmin.accounts.models import User
from webadmin.notices.models import Notice, NoticeEvent, NoticeMail
from webadmin.notices.services.events import TRANSITIONS, change_state, effective_events, lock_notice
from webadmin.notices.services.kept_files import keep_event_papers, require_manager

State, Way = Notice.State, NoticeEvent.Way
Files = Sequence[tuple[str, bytes]]
BY_HAND = tuple(way for way in Way if way != Way.MAIL)


@dataclass(frozen=True, slots=True)
class EventDetails:
    """The details that a user enters for an event. day: None for today. files: names and bytes.

    is_certain: the user confirms that the pages were removed, although a check saw the passages.
    """

    day: date | None = None
    note: str = ""
    files: Files = ()
    is_certain: bool = False

    @property
    def digests(self) -> set[str]:
        return {digest(content) for _, content in self.files}


NO_DETAILS = EventDetails()


def mark_sent(notice: Notice, way: str, noted: EventDetails, by: User, now: datetime) -> None:
    """Record that a user sent a confirmed notice, with the way, day and proof.

    Sending is a fact, so it is recorded even if pages have changed since. Raises BadInput if the user is not a manager,
    the way, day or proof is missing or impossible, or the notice is not confirmed.
    """
    require_manager(notice, by)
    if way not in BY_HAND:
        raise BadInput("notice.choose-way", choices=tuple(str(each) for each in BY_HAND))
    if not noted.files:
        raise BadInput("notice.no-proof-of-sending")
    day = noted.day or local_day(now)
    require_past(day, now)
    with transaction.atomic():
        row = lock_notice(notice, State.CONFIRMED)
        _require_confirmation_first(row, day)
        cancel_waiting_mail(row, now)
        event = note_sent(row, by, now, way, day, note=noted.note)
        keep_event_papers(event, noted.files, by)
    notice.refresh_from_db()


def note_sent(row: Notice, by: User, now: datetime, way: str, day: date, *, note: str = "") -> NoticeEvent:
    """Move a locked notice to `sent`, and mark the notice that it escalates as escalated if possible.

    Return the event.
    """
    event = change_state(row, State.SENT, by, now, note, day=day, way=way)
    row.sent_on = day
    row.answer_due = answer_due_day(row)
    row.save(update_fields=["sent_on", "answer_due"])
    if row.escalates is not None:
        earlier = Notice.objects.select_for_update(no_key=True).get(pk=row.escalates.pk)
        if State.ESCALATED in TRANSITIONS[earlier.state]:
            change_state(earlier, State.ESCALATED, by, now, f"#{row.pk}")
    return event


def _require_confirmation_first(row: Notice, day: date) -> None:
    """Raise BadInput for a day before the notice was confirmed, such as a day in a wrong year."""
    confirmed = effective_events(row).filter(state=State.CONFIRMED).last()
    if confirmed is not None and day < local_day(confirmed.at):
        first = local_day(confirmed.at).isoformat()
        raise BadInput("notice.before-it-was-confirmed", day=day.isoformat(), confirmed=first)


def _answer_days(notice: Notice) -> int:
    """Return the number of days to answer as written in the notice, or as entered for the addressee, or the default."""
    written = str(notice.values.get("answer_days", ""))
    if is_answer_period(written):
        return int(written)
    return (notice.addressee.answer_days if notice.addressee else None) or ANSWER_DAYS


def is_answer_period(text: str) -> bool:
    """Return True if a text is a number of days that a notice may allow for an answer: 1 to 365.

    >>> [is_answer_period(text) for text in ("7", "0", "七", "366")]
    [True, False, False, False]
    """
    return text.isascii() and text.isdecimal() and len(text) <= 3 and 1 <= int(text) <= 365


def answer_due_day(notice: Notice) -> date | None:
    """Return the day by which the addressee should answer, or None for an unsent notice."""
    return notice.sent_on + timedelta(days=_answer_days(notice)) if notice.sent_on else None


def cancel_waiting_mail(row: Notice, now: datetime) -> None:
    """Cancel a waiting mail of a locked notice. Raises BadInput if a mail is being sent or may have been sent."""
    mails = NoticeMail.objects.filter(notice=row)
    prepared = mails.filter(state=NoticeMail.State.PREPARED)
    prepared.update(state=NoticeMail.State.FAILED, ended_at=now, said=Message("mail.broken-off"))
    if open_mails(row).exists():
        raise BadInput("mail.under-way")


def open_mails(notice: Notice) -> QuerySet[NoticeMail]:
    """Return the mails of a notice whose outcome is open. There is at most one."""
    live = Q(state__in=[NoticeMail.State.PREPARED, NoticeMail.State.TRYING])
    return NoticeMail.objects.filter(live | Q(state=NoticeMail.State.UNKNOWN, settled_at=None), notice=notice)


def require_past(day: date, now: datetime) -> None:
    """Raise BadInput if a day is in the future."""
    if day > local_day(now):
        raise BadInput("notice.in-the-future", day=day.isoformat())


def local_day(now: datetime) -> date:
    """Return the day of a time in the default time zone."""
    return now.astimezone(timezone.get_default_timezone()).date()
