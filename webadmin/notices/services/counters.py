"""Records counter-statements, which block further notices to the provider and start the period to complain or sue."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from django.db import transaction

from core.addressees import COUNTER_TIMES, CounterRule, Paper, counter_days
from core.errors import BadInput
from core.terms import term
from core.text import storable
from core.wording import Message
from webadmin.accounts.models import User
from webadmin.notices.models import CounterStatement, LegalAction, Notice
from webadmin.notices.services.events import (
    change_state,
    effective_events,
    is_repeated,
    lock_notice,
    note_event,
    source_states,
)
from webadmin.notices.services.kept_files import keep_event_papers, require_manager
from webadmin.notices.services.outcomes import require_day_after_sending
from webadmin.notices.services.sending import (
    EventDetails,
    Files,
    answer_due_day,
    local_day,
    require_past,
)

if TYPE_CHECKING:
    import holidays

_COUNTRIES: Mapping[CounterRule, str] = {CounterRule.REPLY_2020_9: "CN", CounterRule.DMCA: "US"}
State = Notice.State
MAX_PLACE_CHARS = 200


@dataclass(frozen=True, slots=True)
class TimeLimit:
    """The last day of a period.

    unknown_year: a year of the period whose moved working days are not announced yet, or None.
    """

    last: date
    unknown_year: int | None = None


def count_days(start: date, days: int, rule: CounterRule) -> TimeLimit:
    """Return the last day of a period of `days` after `start`, which is not counted (Civil Code art. 201).

    rule: determines whether only working days count. A last day on a holiday is kept, although art. 203 would extend
    the period, so that acting by it is in time by any reading.
    """
    if not COUNTER_TIMES[rule].is_working_days:
        return TimeLimit(start + timedelta(days=days))
    country = _COUNTRIES[rule]
    last, left = start, days
    while left:
        last += timedelta(days=1)
        left -= _holiday_calendar(country, last.year).is_working_day(last)
    years = range(start.year, last.year + 1)
    return TimeLimit(last, next((year for year in years if not _is_year_announced(country, year)), None))


def _is_year_announced(country: str, year: int) -> bool:
    """Return True if the working days of a year are known in a country.

    China's State Council announces each autumn which weekends of the next year are working days.
    """
    return country != "CN" or any(day.year == year for day in _holiday_calendar(country, year).weekend_workdays)


@cache
def _holiday_calendar(country: str, year: int) -> "holidays.HolidayBase":
    import holidays  # takes 2 MB, and few notices have counter-statements

    return holidays.country_holidays(country, years=year, expand=False)


@dataclass(frozen=True, slots=True)
class Action:
    """A legal action of the rights holder.

    kind: a LegalAction.Kind. place: the authority or court. number: the reference number.
    """

    kind: str
    on: date
    place: str
    number: str = ""


def enter_counter_statement(
    notice: Notice, noted: EventDetails, by: User, now: datetime, *, cases: Collection[int] = ()
) -> CounterStatement:
    """Record a counter-statement about pages in a notice, by default about all pages.

    cases: the keys of the pages' cases. noted.day: the day of receipt. A statement identical to the last one is not
    recorded again. Raises BadInput if the user is not a manager, the state or day does not allow it, or a page is not
    in the notice.
    """
    received_on = noted.day or local_day(now)
    require_manager(notice, by)
    with transaction.atomic():
        row = lock_notice(notice, *source_states(State.COUNTERED))
        require_day_after_sending(row, received_on, now)
        named = set(row.pages.values_list("case_id", flat=True))
        if not named.issuperset(cases):
            raise BadInput("notice.other-pages")
        if is_repeated(row, State.COUNTERED, by, noted.note, day=received_on, digests=noted.digests):
            existing = row.counters.filter(event=row.events.order_by("pk").last()).first()
            if existing is not None and set(existing.cases.values_list("pk", flat=True)) == set(cases or named):
                return existing
        event = change_state(row, State.COUNTERED, by, now, noted.note, day=received_on)
        rule, days = _time_limit_rule(row)
        counter = CounterStatement.objects.create(
            notice=row, event=event, received_on=received_on, rule=str(rule), days=days
        )
        counter.cases.set(cases or named)
        keep_event_papers(event, noted.files, by)
    notice.refresh_from_db()
    return counter


def note_action(counter: CounterStatement, action: Action, by: User, now: datetime, files: Files = ()) -> None:
    """Record that the rights holder complained or sued because of a counter-statement.

    files: proofs. Raises BadInput if the user is not a manager, the action is incomplete or on an impossible day, the
    statement was withdrawn, or an action is recorded already.
    """
    require_manager(counter.notice, by)
    place, number = (storable(text).strip()[:MAX_PLACE_CHARS] for text in (action.place, action.number))
    if action.kind not in LegalAction.Kind or not place:
        raise BadInput("notice.choose-action")
    require_past(action.on, now)
    if action.on < counter.received_on:
        raise BadInput(
            "notice.before-the-statement", day=action.on.isoformat(), received=counter.received_on.isoformat()
        )
    with transaction.atomic():
        row = Notice.objects.select_for_update(no_key=True).get(pk=counter.notice_id)
        if not CounterStatement.objects.filter(pk=counter.pk, event__undone_by=None).exists():
            raise BadInput("notice.counter-stands")
        if LegalAction.objects.filter(counter=counter).exists():
            raise BadInput("notice.action-noted-already")
        event = note_event(row, by, now, f"{place} {number}".strip(), day=action.on)
        LegalAction.objects.create(
            counter=counter, event=event, kind=action.kind, on=action.on, place=place, number=number
        )
        keep_event_papers(event, files, by)


def take_back_counter_statement(counter: CounterStatement, by: User, now: datetime, note: str = "") -> None:
    """Withdraw a counter-statement entered by mistake.

    The notice returns to its earlier state if nothing followed. Raises BadInput if the user is not a manager, the
    statement was already withdrawn, or the rights holder has complained or sued since.
    """
    require_manager(counter.notice, by)
    with transaction.atomic():
        row = Notice.objects.select_for_update(no_key=True).get(pk=counter.notice_id)
        active = row.counters.filter(event__undone_by=None)
        if not active.filter(pk=counter.pk, action=None).exists():
            raise BadInput("notice.counter-stands")
        if row.state == State.COUNTERED and not active.exclude(pk=counter.pk).exists():
            _restore_state(row, counter)
        note_event(row, by, now, note, undoes=counter.event)
    counter.refresh_from_db()


def _restore_state(row: Notice, counter: CounterStatement) -> None:
    """Restore the state of a notice before a counter-statement.

    A removed notice returns to `sent`. The next round of checks determines whether its pages are still removed.
    """
    before = effective_events(row).filter(pk__lt=counter.event_id).exclude(state=State.COUNTERED).last()
    row.state = State.SENT if before is None or before.state == State.REMOVED else before.state
    if before is not None and before.way:  # Nothing else has happened since it was sent.
        row.answer_due = answer_due_day(row)
    row.save(update_fields=["state", "answer_due"])


def action_deadline(counter: CounterStatement) -> TimeLimit | None:
    """Return the last day to complain or sue because of a counter-statement.

    Returns None if no law sets a deadline, if the rights holder did either, or if the statement was withdrawn.
    """
    if not counter.days or hasattr(counter.event, "undone_by") or hasattr(counter, "action"):
        return None
    return count_days(counter.received_on, counter.days, CounterRule(counter.rule))


def is_in_time(counter: CounterStatement) -> bool:
    """Return True if the rights holder acted by the last day. Select `action` with the counter-statement."""
    if not counter.days:
        return True
    return bool(counter.action.on <= count_days(counter.received_on, counter.days, CounterRule(counter.rule)).last)


def describe_time_limit(counter: CounterStatement) -> Message:
    """Return a message with the number of days and the law that sets them."""
    rule = CounterRule(counter.rule)
    is_working = rule in COUNTER_TIMES and COUNTER_TIMES[rule].is_working_days
    code = "notice.time-in-working-days" if is_working else "notice.time-in-days"
    return Message(code, days=counter.days, law=term(rule))


def _time_limit_rule(notice: Notice) -> tuple[CounterRule, int]:
    """Return the law and the number of days for a notice's addressee, or for its kind if no addressee is entered."""
    if notice.addressee is not None:
        return notice.addressee.rule, notice.addressee.days
    rules = {Paper.LETTER: CounterRule.NONE, Paper.DMCA: CounterRule.DMCA}
    rule = rules.get(Paper(notice.kind), CounterRule.REPLY_2020_9)
    return rule, counter_days(rule)
