"""The `notice` commands after confirmation: sending, mails, outcomes, counter-statements, escalation and due items."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.clock import SystemClock
from core.errors import BadInput
from core.settings import Settings
from core.wording import Message
from webadmin.cases.cli.keys import parse_case_id
from webadmin.notices.cli.notice_keys import USER, find_addressee, find_notice, find_user, parse_iso_day, read_files
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_fields, print_line
from webadmin.ui.console.session import local_time, session

if TYPE_CHECKING:
    from webadmin.notices.models import CounterStatement, Notice, NoticeMail
    from webadmin.notices.services.due import DueItem
    from webadmin.notices.services.sending import EventDetails

_NOTICE = Annotated[str, typer.Argument(metavar="NOTICE")]
_DAY = Annotated[str, typer.Option("--on", metavar="DAY")]
_FILES = Annotated[list[Path] | None, typer.Option("--file", metavar="FILE")]
_JSON = Annotated[bool, typer.Option("--json")]


def send(notice_key: _NOTICE, user: USER, is_preview: Annotated[bool, typer.Option("--preview")] = False) -> None:
    """Send a confirmed notice by mail now, or show the mail without sending it."""
    with session() as settings:
        from webadmin.notices.services import mails

        if is_preview:
            _show_mail(find_notice(notice_key), settings)
            return
        made = mails.send_now(find_notice(notice_key), find_user(user), SystemClock(), settings)
        _report_delivery(made, settings)


def list_or_settle_mails(
    notice_key: _NOTICE,
    user: Annotated[str, typer.Option("--as", metavar="USER")] = "",
    went_out: Annotated[bool, typer.Option("--went-out")] = False,
    send_again: Annotated[bool, typer.Option("--send-again")] = False,
    is_json: _JSON = False,
) -> None:
    """List the mails of a notice, settle a mail whose outcome is unknown, or send it again."""
    with session() as settings:
        from webadmin.notices.models import NoticeMail
        from webadmin.notices.services import mails

        notice, clock = find_notice(notice_key), SystemClock()
        mails.mark_lost_mails(clock.now())
        if went_out or send_again:
            unknown = notice.mails.filter(state=NoticeMail.State.UNKNOWN, settled_at=None).first()
            if unknown is None or went_out == send_again:
                raise BadInput("notice.no-mail", number=notice.pk)
            mails.settle_mail(unknown, find_user(user), clock.now(), went_out=went_out)
            if send_again:
                unknown = mails.send_now(notice, find_user(user), clock, settings)
            _report_delivery(unknown, settings)
            return
        print_list(notice.mails.order_by("attempt"), _MAILS, settings, is_json=is_json)


_MAILS = (
    ConsoleColumn("attempt", "column.id", "attempt"),
    ConsoleColumn("state", "column.state", "state", "get_state_display"),
    ConsoleColumn("to", "column.recipient", "recipient"),
    ConsoleColumn("asked", "column.asked-at", "asked_at"),
    ConsoleColumn("said", "column.reason", lambda mail: str(mail.said or ""), "said"),
    ConsoleColumn("message_id", "Message-ID", "message_id"),
    ConsoleColumn("sha256", "", "digest"),
    ConsoleColumn("bytes", "", "size"),
    ConsoleColumn("began", "", "began_at"),
    ConsoleColumn("ended", "", "ended_at"),
)


def record_sending(
    notice_key: _NOTICE,
    way: Annotated[str, typer.Argument(metavar="WAY")],
    *,
    on: _DAY,
    proof: Annotated[list[Path], typer.Option("--proof", metavar="FILE")],
    user: USER,
    note: str = "",
) -> None:
    """Record that a confirmed notice was sent outside the program: how, on which day, and with what proof."""
    with session():
        from webadmin.notices.services.sending import EventDetails, mark_sent

        notice = find_notice(notice_key)
        mark_sent(
            notice, way, EventDetails(parse_iso_day(on), note, read_files(proof)), find_user(user), SystemClock().now()
        )
        print_line(Message("notice.sent", number=notice.pk, due=str(notice.answer_due)))


def record_answer(notice_key: _NOTICE, user: USER, on: _DAY = "", note: str = "", files: _FILES = None) -> None:
    """Record that the addressee answered."""
    _record_outcome("answered", notice_key, user, (on, note, files))


def record_refusal(notice_key: _NOTICE, user: USER, on: _DAY = "", note: str = "", files: _FILES = None) -> None:
    """Record that the addressee refused."""
    _record_outcome("refused", notice_key, user, (on, note, files))


def record_removal(
    notice_key: _NOTICE,
    user: USER,
    files: Annotated[list[Path], typer.Option("--file", metavar="FILE")],
    *,
    on: _DAY = "",
    note: str = "",
    is_certain: Annotated[bool, typer.Option("--despite-check")] = False,
) -> None:
    """Record that the addressee removed the pages, with the proof."""
    _record_outcome("removed", notice_key, user, (on, note, files), is_certain=is_certain)


def close(notice_key: _NOTICE, user: USER, on: _DAY = "", note: str = "", files: _FILES = None) -> None:
    """Close a notice, which ends all actions on it."""
    _record_outcome("closed", notice_key, user, (on, note, files))


def record_counter_statement(
    notice_key: _NOTICE,
    *,
    on: _DAY,
    user: USER,
    case: Annotated[list[str] | None, typer.Option("--case", metavar="CASE")] = None,
    note: str = "",
    files: _FILES = None,
) -> None:
    """Record a counter-statement; it blocks further notices to the provider and starts the time to complain or sue."""
    with session():
        from webadmin.notices.services.counters import enter_counter_statement

        chosen = [parse_case_id(each) for each in case or []]
        noted, now = _event_details(on, note, files), SystemClock().now()
        entered = enter_counter_statement(find_notice(notice_key), noted, find_user(user), now, cases=chosen)
        print_line(Message("notice.counter-noted"))
        _print_time_limit(entered)


def take_back_counter_statement(notice_key: _NOTICE, user: USER, note: str = "") -> None:
    """Withdraw the newest counter-statement, which was entered by mistake."""
    with session():
        from webadmin.notices.services.counters import take_back_counter_statement

        notice = find_notice(notice_key)
        newest = notice.counters.filter(action=None, event__undone_by=None).order_by("pk").last()
        if newest is None:
            raise BadInput("notice.no-counter", number=notice.pk)
        take_back_counter_statement(newest, find_user(user), SystemClock().now(), note)
        print_line(Message("notice.counter-taken-back", day=newest.received_on.isoformat()))


def record_legal_action(
    notice_key: _NOTICE,
    where: Annotated[str, typer.Argument(metavar="WHERE")],
    *,
    on: _DAY,
    user: USER,
    number: Annotated[str, typer.Option(metavar="NUMBER")] = "",
    is_suit: Annotated[bool, typer.Option("--sued")] = False,
    files: _FILES = None,
) -> None:
    """Record that the rights holder complained or sued after a counter-statement, which meets the time limit."""
    with session():
        from webadmin.notices.services.counters import Action, note_action

        notice = find_notice(notice_key)
        waiting = notice.counters.filter(action=None, event__undone_by=None).first()
        if waiting is None:
            raise BadInput("notice.no-counter", number=notice.pk)
        action = Action("sued" if is_suit else "complained", parse_iso_day(on), where, number)
        note_action(waiting, action, find_user(user), SystemClock().now(), read_files(files or []))
        print_line(Message("notice.saved", number=notice.pk))


def take_back_last_event(notice_key: _NOTICE, user: USER, note: str = "") -> None:
    """Withdraw the last event, which was recorded by mistake; it remains visible."""
    with session():
        from webadmin.notices.services import outcomes

        notice = find_notice(notice_key)
        outcomes.undo_last_event(notice, find_user(user), SystemClock().now(), note)
        print_line(Message("notice.taken-back", number=notice.pk, state=str(notice.get_state_display())))


def escalate(notice_key: _NOTICE, to: Annotated[str, typer.Option(metavar="ADDRESSEE")], user: USER) -> None:
    """Draft a notice about the same pages to another addressee: a host, a registrar, a search engine."""
    with session():
        from webadmin.notices.services import outcomes

        notice = find_notice(notice_key)
        made = outcomes.escalate_notice(notice, find_addressee(notice.site, to), find_user(user))
        for case, reason in made.left_out:
            print_line(Message("notice.left-out", page=case.page_url, reason=reason))
        print_line(Message("notice.drafted", number=made.notice.pk, pages=made.notice.pages.count()))


def list_due(is_json: _JSON = False) -> None:
    """List due items: answers, deadlines to complain or sue, and notices that wait for a person."""
    with session() as settings:
        from webadmin.notices.models import Notice
        from webadmin.notices.services.due import list_due as all_due
        from webadmin.notices.services.sending import local_day

        today = local_day(SystemClock().now())
        rows = [(each, each.is_overdue(today)) for each in all_due(Notice.objects.all())]
        if rows or is_json:
            print_list(rows, _DUE, settings, is_json=is_json)
        else:
            print_line(Message("notice.nothing-due"))


_DUE = (
    ConsoleColumn(
        "until", "column.until", lambda row: row[0].until and row[0].until.isoformat(), lambda row: _format_day(row[0])
    ),
    ConsoleColumn(
        "what", "column.what", lambda row: row[0].what.code.removeprefix("notice.due-"), lambda row: row[0].what
    ),
    ConsoleColumn("notice", "column.id", lambda row: row[0].notice.pk, is_number=True),
    ConsoleColumn("site", "column.site", lambda row: row[0].notice.site.name),
    ConsoleColumn("", "column.addressee", lambda row: row[0].notice.addressee_name),
    ConsoleColumn("", "column.note", lambda row: _deadline_note(*row)),
    ConsoleColumn("since", "", lambda row: row[0].since.isoformat()),
    ConsoleColumn("is_overdue", "", lambda row: row[1]),
    ConsoleColumn("working_days_unknown_of", "", lambda row: row[0].unknown_year),
)


def _show_mail(notice: "Notice", settings: Settings) -> None:
    from webadmin.notices.services.mail_message import mail_body, mail_subject, preview_mail

    if not settings.mail.is_enabled:
        raise BadInput("mail.off")
    mail = preview_mail(notice, settings.mail.sender).mail
    heading = (("column.recipient", mail.recipient), ("column.sender", mail.sender))
    print_fields([*heading, ("column.subject", mail_subject(mail))])
    for line in mail_body(mail).splitlines():
        print_line(line)


def _record_outcome(
    state: str, key: str, user: str, given: tuple[str, str, list[Path] | None], *, is_certain: bool = False
) -> None:
    with session():
        from webadmin.notices.services.outcomes import note_outcome

        notice = find_notice(key)
        note_outcome(
            notice, state, find_user(user), SystemClock().now(), replace(_event_details(*given), is_certain=is_certain)
        )
        print_line(Message("notice.noted", number=notice.pk, state=str(notice.get_state_display())))


def _event_details(on: str, note: str, files: list[Path] | None) -> "EventDetails":
    """Return the details given on the command line. Call it only inside a session."""
    from webadmin.notices.services.sending import EventDetails

    return EventDetails(parse_iso_day(on) if on else None, note, read_files(files or []))


def _report_delivery(mail: "NoticeMail", settings: Settings) -> None:
    """Print that a mail was sent. Raises BadInput if it was not sent, or may not have been sent."""
    from webadmin.notices.models import NoticeMail

    notice = mail.notice
    notice.refresh_from_db()
    if mail.state == NoticeMail.State.SENT:
        print_line(Message("notice.sent", number=notice.pk, due=str(notice.answer_due)))
        return
    reason = mail.said or Message("mail.waits")
    if mail.state == NoticeMail.State.UNKNOWN:
        at = local_time(mail.began_at or mail.asked_at, settings)
        raise BadInput("notice.mail-unknown", number=notice.pk, at=at, reason=reason, message_id=mail.message_id)
    raise BadInput("notice.mail-failed", number=notice.pk, reason=reason)


def _print_time_limit(counter: "CounterStatement") -> None:
    from webadmin.notices.services.counters import action_deadline, describe_time_limit

    counted = action_deadline(counter)
    if counted is None:
        return
    print_line(Message("notice.act-until", day=counted.last.isoformat(), time=describe_time_limit(counter)))
    if counted.unknown_year is not None:
        print_line(Message("notice.year-not-announced", year=counted.unknown_year))


def _format_day(each: "DueItem") -> object:
    return each.until.isoformat() if each.until else Message("notice.since", day=each.since.isoformat())


def _deadline_note(each: "DueItem", is_overdue: bool) -> object:
    if each.unknown_year is not None:
        return Message("notice.year-not-announced", year=each.unknown_year)
    return Message("notice.overdue") if is_overdue else ""
