"""What happens to a notice: one change of its state after another, each noted with who and when."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from core.errors import BadInput
from core.text import storable
from records.models import Notice, NoticeEvent

MAX_NOTE_CHARS = 1_000


def locked(notice: Notice, *states: str) -> Notice:
    """The row of a notice, locked until the transaction ends. Raises BadInput where it is in none of the states."""
    row = Notice.objects.select_for_update(no_key=True).get(pk=notice.pk)
    if row.state not in states:
        raise BadInput("notice.other-state")
    return row


def note_event(notice: Notice, by: User | None, at: datetime, note: str = "") -> None:
    """Note the state that a notice has now. by: None for what the program saw."""
    NoticeEvent.objects.create(notice=notice, state=notice.state, by=by, at=at, note=storable(note)[:MAX_NOTE_CHARS])


def reopened(notice: Notice, at: datetime) -> None:
    """Say that what was removed is back again: as if it had just been sent, and nothing is sent.

    Raises BadInput for one that is neither removed nor closed.
    """
    with transaction.atomic():
        row = locked(notice, Notice.State.REMOVED, Notice.State.CLOSED)
        row.state = notice.state = Notice.State.SENT
        row.save(update_fields=["state"])
        note_event(row, None, at)
