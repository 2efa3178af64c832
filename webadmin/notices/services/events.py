"""Changes the state of notices by allowed transitions, and records each transition with its user and time."""

from collections.abc import Collection, Mapping
from datetime import date, datetime

from django.db.models import QuerySet

from core.errors import BadInput
from core.text import storable
from webadmin.accounts.models import User
from webadmin.notices.models import Notice, NoticeEvent

MAX_NOTE_CHARS = 1_000
State = Notice.State
# The possible outcomes of a sent notice, in any order.
_OUTCOMES = frozenset(
    {State.ANSWERED, State.COUNTERED, State.REMOVED, State.REFUSED, State.ESCALATED, State.CLOSED, State.WITHDRAWN}
)
# A provider first removes a text and then hears the person who posted it (Regulation arts. 15, 16; 17 U.S.C. 512(g)),
# so a counter-statement can follow a removal. When pages are back, the notice returns to `sent`.
TRANSITIONS: Mapping[str, frozenset[str]] = {
    State.DRAFTED: frozenset({State.CONFIRMED, State.WITHDRAWN}),
    State.CONFIRMED: frozenset({State.SENT, State.WITHDRAWN}),
    State.SENT: _OUTCOMES,
    State.ANSWERED: _OUTCOMES,
    State.COUNTERED: _OUTCOMES,
    State.REFUSED: _OUTCOMES,
    State.ESCALATED: _OUTCOMES - {State.ESCALATED},
    State.REMOVED: frozenset({State.SENT, State.COUNTERED, State.CLOSED}),
    State.CLOSED: frozenset({State.SENT}),
    State.WITHDRAWN: frozenset(),
}


def source_states(to: str) -> tuple[str, ...]:
    """Return the states from which a notice may change to state `to`."""
    return tuple(state for state, after in TRANSITIONS.items() if to in after)


def lock_notice(notice: Notice, *states: str) -> Notice:
    """Lock the row of a notice until the transaction ends, and return it.

    Raises BadInput if its state is not one of `states`.
    """
    row = Notice.objects.select_for_update(no_key=True).get(pk=notice.pk)
    if row.state not in states:
        raise BadInput("notice.other-state")
    return row


def effective_events(notice: Notice) -> "QuerySet[NoticeEvent]":
    """Return the events of a notice that neither were undone nor undo another event, the oldest first."""
    return notice.events.filter(undoes=None, undone_by=None).order_by("pk")


def is_repeated(notice: Notice, to: str, by: User, note: str, *, day: date | None, digests: Collection[str]) -> bool:
    """Return True if a locked notice's newest event has the same values and files.

    Then the form was sent twice.
    """
    newest = notice.events.order_by("pk").last()
    if newest is None or (newest.state, newest.by_id, newest.day) != (to, by.pk, day):
        return False
    kept = newest.papers.values_list("digest", flat=True)
    return newest.note == trim_note(note) and set(kept) == set(digests)


def note_event(
    notice: Notice,
    by: User | None,
    at: datetime,
    note: str = "",
    *,
    day: date | None = None,
    way: str = "",
    undoes: NoticeEvent | None = None,
) -> NoticeEvent:
    """Record an event with the current state of a notice.

    by: None if the program observed the event. day: the day of the event, if not the day of `at`. way: how the notice
    was sent, or "". undoes: the event that this one reverses.
    """
    return NoticeEvent.objects.create(
        notice=notice, state=notice.state, by=by, at=at, note=trim_note(note), day=day, way=way, undoes=undoes
    )


def trim_note(note: str) -> str:
    return storable(note)[:MAX_NOTE_CHARS]


def change_state(
    row: Notice, to: str, by: User | None, at: datetime, note: str = "", *, day: date | None = None, way: str = ""
) -> NoticeEvent:
    """Move a locked notice to state `to`, record the event, and clear the day on which an answer was due.

    Raises BadInput if the transition is not allowed.
    """
    if to not in TRANSITIONS[row.state]:
        raise BadInput("notice.other-state")
    row.state, row.answer_due = to, None
    row.save(update_fields=["state", "answer_due"])
    return note_event(row, by, at, note, day=day, way=way)
