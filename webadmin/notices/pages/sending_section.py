"""The section on a confirmed notice's page with the ways to send it, its mails and possible outcomes."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.utils import timezone

from core.addressees import CounterRule
from core.errors import ZhuiwenError
from core.wording import Message
from webadmin.notices.models import CounterStatement, LegalAction, Notice, NoticeEvent, NoticeMail
from webadmin.notices.services import mails
from webadmin.notices.services.addressees import list_addressees
from webadmin.notices.services.counters import action_deadline, describe_time_limit, is_in_time
from webadmin.notices.services.events import TRANSITIONS
from webadmin.notices.services.mail_message import recipient_address, require_size
from webadmin.notices.services.outcomes import next_outcomes, sightings_since_sending
from webadmin.notices.services.sending import BY_HAND, open_mails
from webadmin.ui.models.phrases import PAPERS
from webadmin.ui.pages.wording import message_text

State = Notice.State


def sending_context(notice: Notice) -> dict[str, Any]:
    """Return the template context of the section for a notice."""
    mails.mark_lost_mails(timezone.now())
    live = open_mails(notice).first()
    is_stuck = live is not None and mails.is_stuck(live, timezone.now())
    is_unknown = live is not None and live.state == NoticeMail.State.UNKNOWN
    is_confirmed = notice.state == State.CONFIRMED
    return {
        "mails": [
            (mail, message_text(mail.said) if mail.said else "") for mail in notice.mails.select_related("settled_by")
        ],
        "unknown_mail": live if is_unknown else None,
        "is_under_way": live is not None and not is_unknown and not is_stuck,
        "is_stuck": is_stuck,
        "may_be_sent": is_confirmed and live is None,
        "recipient": _mail_recipient(notice) if is_confirmed else "",
        "why_no_mail": _mail_obstacle(notice) if is_confirmed else "",
        "ways": [(way.value, way.label) for way in BY_HAND],
        "outcomes": [(state, State(state).label) for state in next_outcomes(notice)],
        "may_be_removed": State.REMOVED in TRANSITIONS[notice.state],
        "seen_since": sightings_since_sending(notice) if State.REMOVED in TRANSITIONS[notice.state] else [],
        "may_counter": State.COUNTERED in TRANSITIONS[notice.state],
        "counters": _counter_statement_contexts(notice),
        "actions": LegalAction.Kind.choices,
        "escalate_to": _escalation_choices(notice) if State.ESCALATED in TRANSITIONS[notice.state] else [],
        "today": timezone.localdate(),
        "is_answer_late": notice.answer_due is not None and notice.answer_due < timezone.localdate(),
    }


def list_events(notice: Notice) -> Sequence[NoticeEvent]:
    """Return the events of a notice with their files, the oldest first."""
    return list(notice.events.select_related("by", "action", "undoes").prefetch_related("papers"))


def _mail_recipient(notice: Notice) -> str:
    try:
        return recipient_address(notice)
    except ZhuiwenError:
        return ""


def _mail_obstacle(notice: Notice) -> str:
    """Return the reason why a notice cannot be sent by mail, or "" if none is known before sending."""
    if not settings.ZHUIWEN.mail.is_enabled:
        return message_text(Message("mail.off"))
    try:
        recipient_address(notice)
        require_size(notice)
    except ZhuiwenError as error:
        return message_text(error)
    return ""


def _counter_statement_contexts(notice: Notice) -> list[dict[str, Any]]:
    rows = notice.counters.select_related(
        "action", "action__event", "event__by", "event__undone_by__by"
    ).prefetch_related("event__papers", "action__event__papers", "cases")
    return [_counter_statement_context(row) for row in rows]


def _counter_statement_context(row: CounterStatement) -> dict[str, Any]:
    """Return the template context of a counter-statement.

    until: the last day to complain or sue, or None if no action is due. is_in_time: whether the rights holder acted in
    time. is_regulated: whether article 17 of the Regulation applies, which covers neither publishers nor the United
    States.
    """
    counted = action_deadline(row)
    until = counted.last if counted else None
    unsure = ""
    if counted and counted.unknown_year is not None:
        unsure = message_text(Message("notice.year-not-announced", year=counted.unknown_year))
    time = message_text(describe_time_limit(row))
    return {
        "counter": row,
        "time": time,
        "pages": row.cases.count(),
        "until": until,
        "is_overdue": until is not None and until < timezone.localdate(),
        "unsure": unsure,
        "is_in_time": hasattr(row, "action") and is_in_time(row),
        "is_regulated": row.rule in {CounterRule.REPLY_2020_9, CounterRule.E_COMMERCE},
    }


def _escalation_choices(notice: Notice) -> list[tuple[int, str]]:
    """Return the keys and labels of the addressees that a notice can be escalated to, except its own."""
    entered = [each.addressee for each in list_addressees(notice.site) if each.addressee is not None]
    return [(each.pk, f"{each.name} · {PAPERS[each.paper]}") for each in entered if each.pk != notice.addressee_id]
