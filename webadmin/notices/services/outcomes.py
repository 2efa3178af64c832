"""Records the outcomes of sent notices that users enter: answered, removed, refused, closed, escalated."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time

from django.db import transaction
from django.utils import timezone

from core.addressees import Paper
from core.errors import BadInput
from core.wording import Message
from webadmin.accounts.models import User
from webadmin.cases.models import Case
from webadmin.notices.models import Addressee, Notice, NoticeEvent, Removal, RemovalLook
from webadmin.notices.services.drafting import DraftResult, draft_notice
from webadmin.notices.services.events import (
    TRANSITIONS,
    change_state,
    effective_events,
    is_repeated,
    lock_notice,
    note_event,
    source_states,
)
from webadmin.notices.services.kept_files import keep_event_papers, require_manager
from webadmin.notices.services.sending import (
    NO_DETAILS,
    EventDetails,
    answer_due_day,
    local_day,
    require_past,
)
from webadmin.notices.services.values import notice_cases

State, Way, Seen = Notice.State, NoticeEvent.Way, RemovalLook.Seen
OUTCOMES = (State.ANSWERED, State.REFUSED, State.REMOVED, State.CLOSED)


def note_outcome(notice: Notice, to: str, by: User, now: datetime, noted: EventDetails = NO_DETAILS) -> None:
    """Record an outcome of a notice, once even if the form is sent twice.

    noted.day: the day of the outcome, if not today. Raises BadInput if the user is not a manager, the transition is not
    allowed, or a removal has no proof or contradicts a check.
    """
    require_manager(notice, by)
    if to not in OUTCOMES:
        raise BadInput("notice.no-move", choices=tuple(str(each) for each in OUTCOMES))
    if to == State.REMOVED and not noted.files:
        raise BadInput("notice.no-proof-of-removal")
    with transaction.atomic():
        row = lock_notice(notice, *source_states(to), to)
        if is_repeated(row, to, by, noted.note, day=noted.day, digests=noted.digests):
            return
        require_day_after_sending(row, noted.day, now)
        if to == State.REMOVED:
            _require_uncontradicted(row, noted, now)
        event = change_state(row, to, by, now, noted.note, day=noted.day)
        keep_event_papers(event, noted.files, by)
    notice.refresh_from_db()


def sightings_since_sending(notice: Notice) -> list[tuple[Case, datetime]]:
    """Return the cases whose passages were seen since the day of sending and not found removed later.

    Each case has the time of the last sighting. The newest comes first.
    """
    if notice.sent_on is None:
        return []
    since = datetime.combine(notice.sent_on, time.min, timezone.get_default_timezone())
    seen = [(case, at) for case, at in _last_sightings(notice_cases(notice)) if at >= since]
    return sorted(seen, key=lambda each: each[1], reverse=True)


def reversible_event(notice: Notice) -> NoticeEvent | None:
    """Return the newest event if a user recorded it and may undo it, else None."""
    newest = effective_events(notice).filter(action=None).last()
    if newest is None or newest.by_id is None or newest.way == Way.MAIL or newest.state != notice.state:
        return None
    return newest if newest.state in (*OUTCOMES, State.SENT, State.WITHDRAWN) else None


def undo_last_event(notice: Notice, by: User, now: datetime, note: str = "") -> None:
    """Undo the last event. The notice returns to its earlier state, and the event remains visible.

    Raises BadInput if the user is not a manager, or if the event is a mail, was observed by the program, or is a
    counter-statement, which `take_back_counter_statement` withdraws.
    """
    require_manager(notice, by)
    with transaction.atomic():
        row = lock_notice(notice, *State)
        event = reversible_event(row)
        if event is None:
            raise BadInput("notice.nothing-to-take-back")
        _undo_event(row, event, by, now, note)
        if event.state == State.SENT and row.escalates is not None:
            earlier = lock_notice(row.escalates, *State)
            escalated = effective_events(earlier).last()
            if escalated is not None and (escalated.state, escalated.note) == (State.ESCALATED, f"#{row.pk}"):
                _undo_event(earlier, escalated, by, now, f"#{row.pk}")
    notice.refresh_from_db()


def _undo_event(row: Notice, event: NoticeEvent, by: User, now: datetime, note: str) -> None:
    before = effective_events(row).filter(pk__lt=event.pk, action=None).last()
    assert before is not None, "a draft was noted first"
    row.state = before.state
    row.sent_on = None if event.state == State.SENT else row.sent_on
    # An answer is due until something else happens after sending.
    row.answer_due = answer_due_day(row) if before.state == State.SENT and before.way else None
    row.save(update_fields=["state", "sent_on", "answer_due"])
    note_event(row, by, now, note, undoes=event)


def _last_sightings(cases: Sequence[Case]) -> Iterator[tuple[Case, datetime]]:
    """Yield each case with the time at which its passages were last seen, unless a later check contradicts it."""
    removed = set(Removal.objects.filter(case__in=cases, ended_at=None).values_list("case", flat=True))
    looks = {look.case_id: look for look in RemovalLook.objects.filter(case__in=cases).exclude(seen=Seen.NOT_SEEN)}
    for case in cases:
        if case.page.gone_since is not None or case.page.version_id != case.version_id or case.pk in removed:
            continue
        at, look = max(case.last_seen_at, case.page.last_seen), looks.get(case.pk)
        if look is None or look.seen == Seen.STANDS or look.at < at:
            yield case, at


def _require_uncontradicted(row: Notice, noted: EventDetails, now: datetime) -> None:
    """Raise BadInput if a check saw the passages after the day of the removal.

    A check since the notice was sent contradicts too, unless the user is certain.
    """
    seen = sightings_since_sending(row)
    if not seen:
        return
    (case, at), zone = seen[0], timezone.get_default_timezone()
    said = {"at": f"{at.astimezone(zone):%Y-%m-%d %H:%M}", "page": case.page_url, "pages": len(seen)}
    if (noted.day or local_day(now)) < local_day(at):
        raise BadInput("notice.stood-later", **said)
    if not noted.is_certain:
        raise BadInput("notice.seen-since", **said)


def escalate_notice(notice: Notice, addressee: Addressee, by: User) -> DraftResult:
    """Draft a notice about the same pages to another addressee, and return it.

    Sending it marks the first notice as escalated. Raises BadInput as `draft_notice` does, and if the notice cannot be
    escalated.
    """
    if State.ESCALATED not in TRANSITIONS[notice.state]:
        raise BadInput("notice.other-state")
    if addressee.pk == notice.addressee_id:
        raise BadInput("notice.same-addressee")
    with transaction.atomic():
        lock_notice(notice, *source_states(State.ESCALATED))
        existing = notice.escalations.filter(addressee=addressee, state=State.DRAFTED).first()
        if existing is not None:  # The form was sent twice.
            return DraftResult(existing, ())
        made = draft_notice(notice_cases(notice), addressee.paper, by, addressee)
        new = made.notice
        new.escalates = notice
        if addressee.paper is not Paper.DMCA:  # A DMCA notice states no facts.
            new.values = {**new.values, "facts": f"{new.values.get('facts', '')}\n{_earlier_notice(notice)}".strip()}
        new.save(update_fields=["escalates", "values"])
    return made


def require_day_after_sending(row: Notice, day: date | None, now: datetime) -> None:
    """Raise BadInput if the day is in the future or before the notice was sent. None is allowed."""
    if day is None:
        return
    require_past(day, now)
    if row.sent_on is not None and day < row.sent_on:
        raise BadInput("notice.before-it-was-sent", day=day.isoformat(), sent=row.sent_on.isoformat())


def next_outcomes(notice: Notice) -> list[str]:
    """Return the outcomes that a user may record for a notice now."""
    return [state for state in OUTCOMES if state in TRANSITIONS[notice.state]]


def _earlier_notice(notice: Notice) -> str:
    """Return a sentence about the earlier notice, in Chinese as the notice."""
    name = (notice.addressee.legal_name if notice.addressee else "") or notice.addressee_name
    day = notice.sent_on.isoformat() if notice.sent_on else ""
    return Message("notice.earlier-notice", name=name, day=day).in_language("zh")
