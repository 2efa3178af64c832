"""The queues of the inbox: pending and completed matters."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from core.states import CaseState
from webadmin.accounts.models import User
from webadmin.cases.models import Matter
from webadmin.ui.pages.paging import MAX_COUNTED


class Queue(StrEnum):
    """The queues of matters. A matter may be in several queues."""

    NEW = "new"
    MINE = "mine"
    PAPERS = "papers"
    RETURNED = "returned"
    CHANGED = "changed"
    CONFIRMED = "confirmed"
    CLOSED = "closed"
    ALL = "all"


TO_DO = (Queue.NEW, Queue.MINE, Queue.CHANGED, Queue.RETURNED, Queue.PAPERS)
DONE = (Queue.CONFIRMED, Queue.CLOSED, Queue.ALL)


@dataclass(frozen=True, slots=True)
class _Contents:
    """The contents of a queue.

    name: the label. matters: the condition for its matters. cases: for the cases to open.
    """

    name: Any
    matters: Callable[[User], Q]
    cases: Q


_OPEN = Q(state=CaseState.OPEN)
_CHANGED, _RETURNED = Q(changed_since__isnull=False), Q(returned_at__isnull=False)
_AWAITING = ~Q(awaited="") | Q(proof_due__isnull=False)
_TO_DO_OF_MATTER = Q(open_cases__gt=0) | Q(changed_cases__gt=0) | Q(returned_cases__gt=0) | _AWAITING
_CONTENTS: dict[Queue, _Contents] = {
    Queue.NEW: _Contents(_("Open cases"), lambda _user: Q(open_cases__gt=0), _OPEN),
    Queue.MINE: _Contents(_("Mine"), lambda user: Q(assignee=user.pk) & _TO_DO_OF_MATTER, _OPEN | _CHANGED | _RETURNED),
    Queue.PAPERS: _Contents(_("Waiting for documents"), lambda _user: _AWAITING, Q()),
    Queue.RETURNED: _Contents(_("Online again"), lambda _user: Q(returned_cases__gt=0), _RETURNED),
    Queue.CHANGED: _Contents(_("Page changed since the verdict"), lambda _user: Q(changed_cases__gt=0), _CHANGED),
    Queue.CONFIRMED: _Contents(
        _("Confirmed cases"), lambda _user: Q(confirmed_cases__gt=0), Q(state=CaseState.CONFIRMED)
    ),
    Queue.CLOSED: _Contents(
        _("Dismissed or set aside"),
        lambda _user: Q(open_cases=0, confirmed_cases=0),
        Q(state__in=[CaseState.DISMISSED, CaseState.SET_ASIDE]),
    ),
    Queue.ALL: _Contents(_("All matters"), lambda _user: Q(), Q()),
}


def queue_name(queue: Queue) -> Any:
    return _CONTENTS[queue].name


def queue_matters(queue: Queue, matters: "QuerySet[Matter]", user: User) -> "QuerySet[Matter]":
    """Return those of the matters that are in a queue for this user."""
    return matters.filter(_CONTENTS[queue].matters(user))


def queue_cases(queue: Queue) -> Q:
    """Return the condition for the cases to open from a queue."""
    return _CONTENTS[queue].cases


def count_capped(matters: "QuerySet[Matter]") -> int:
    """Count matters, up to MAX_COUNTED."""
    return matters.order_by()[:MAX_COUNTED].count()
