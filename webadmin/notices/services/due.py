"""Lists due items of notices: answers, deadlines to complain or sue, and notices that require an action by a user."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet
from django.utils import timezone

from core.wording import Message
from webadmin.notices.models import CounterStatement, Notice, NoticeMail
from webadmin.notices.services.counters import action_deadline
from webadmin.notices.services.mails import mark_lost_mails
from webadmin.notices.services.sending import local_day

State = Notice.State
MAX_ROWS = 1_000  # items of each kind; deadlines to sue are listed completely


@dataclass(frozen=True, slots=True)
class DueItem:
    """A due item. until: the last day, or None if it has no deadline and has been waiting since `since`.

    unknown_year: a year whose working days were not announced when the last day was computed, or None.
    """

    what: Message
    notice: Notice
    since: date
    until: date | None = None
    unknown_year: int | None = None

    def is_overdue(self, today: date) -> bool:
        return self.until is not None and self.until < today


def list_due(notices: "QuerySet[Notice]") -> list[DueItem]:
    """Return the due items of these notices, sorted by last day, followed by items without a deadline."""
    mark_lost_mails(timezone.now())
    found = [*_due_answers(notices), *_due_actions(notices), *_unsettled_mails(notices), *_waiting_notices(notices)]
    return sorted(found, key=lambda each: (each.until is None, each.until or each.since, each.notice.pk))


def _due_answers(notices: "QuerySet[Notice]") -> Iterator[DueItem]:
    rows = notices.filter(state=State.SENT, answer_due__isnull=False).select_related("site", "addressee")
    for notice in rows.order_by("answer_due", "pk")[:MAX_ROWS]:
        yield DueItem(
            Message("notice.due-answer"), notice, notice.sent_on or local_day(notice.drafted_at), notice.answer_due
        )


def _due_actions(notices: "QuerySet[Notice]") -> Iterator[DueItem]:
    rows = CounterStatement.objects.filter(notice__in=notices, action=None, days__gt=0, event__undone_by=None)
    rows = rows.exclude(notice__state__in=[State.CLOSED, State.WITHDRAWN])
    for counter in rows.select_related("notice__site", "notice__addressee", "action").order_by("received_on", "pk"):
        counted = action_deadline(counter)
        if counted is not None:
            what = Message("notice.due-action")
            yield DueItem(what, counter.notice, counter.received_on, counted.last, counted.unknown_year)


def _unsettled_mails(notices: "QuerySet[Notice]") -> Iterator[DueItem]:
    unknown = NoticeMail.objects.filter(notice__in=notices, state=NoticeMail.State.UNKNOWN, settled_at=None)
    for mail in unknown.select_related("notice__site", "notice__addressee").order_by("asked_at")[:MAX_ROWS]:
        yield DueItem(Message("notice.due-mail"), mail.notice, local_day(mail.began_at or mail.asked_at))


def _waiting_notices(notices: "QuerySet[Notice]") -> Iterator[DueItem]:
    rows = notices.filter(state__in=[State.DRAFTED, State.CONFIRMED]).select_related("site", "addressee")
    uncertain = NoticeMail.objects.filter(state=NoticeMail.State.UNKNOWN, settled_at=None).values("notice")
    for notice in rows.exclude(pk__in=uncertain).order_by("drafted_at", "pk")[:MAX_ROWS]:
        is_draft = notice.state == State.DRAFTED
        yield DueItem(
            Message("notice.due-confirm" if is_draft else "notice.due-send"), notice, local_day(notice.drafted_at)
        )
