"""The `notice` commands: lists, files, sending and due items. All other decisions are made on the page of a notice."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.clock import SystemClock
from core.errors import BadInput, NotFound, UnreadableFile
from core.settings import Settings
from core.wording import Message
from webadmin.cases.cli.keys import parse_case_id
from webadmin.ui.console.days import parse_day
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.keys import find_row
from webadmin.ui.console.lists import ConsoleColumn, print_list
from webadmin.ui.console.output import print_fields, print_line
from webadmin.ui.console.session import local_time, session
from webadmin.ui.console.written_files import require_folder

if TYPE_CHECKING:
    from webadmin.accounts.models import User
    from webadmin.notices.models import Notice, NoticeMail
    from webadmin.notices.services.due import DueItem

_NOTICE = Annotated[str, typer.Argument(metavar="NOTICE")]
_USER = Annotated[str, typer.Option("--as", metavar="USER")]
_JSON = Annotated[bool, typer.Option("--json")]

_COLUMNS = (
    ConsoleColumn("id", "column.id", "pk", is_number=True),
    ConsoleColumn("paper", "column.paper", "kind", "get_kind_display"),
    ConsoleColumn("site", "column.site", "site.name"),
    ConsoleColumn("state", "column.state", "state", "get_state_display"),
    ConsoleColumn(
        "pages",
        "column.pages",
        lambda notice: [page.case_id for page in notice.pages.all()],
        lambda notice: len(notice.pages.all()),
        is_number=True,
    ),
    ConsoleColumn("drafted", "column.drafted", "drafted_at"),
    ConsoleColumn("files", "", lambda notice: {file.name: file.digest for file in notice.files.all()}),
)


def list_notices(is_json: _JSON = False) -> None:
    """List the notices."""
    with session() as settings:
        from webadmin.notices.models import Notice

        rows = Notice.objects.select_related("site").prefetch_related("pages", "files")
        print_list(rows, _COLUMNS, settings, is_json=is_json)


def write_files(notice_key: _NOTICE, out: Annotated[Path, typer.Option(metavar="FOLDER")]) -> None:
    """Write the files of a notice into a folder: the stored files, or the current document of a draft."""
    with session():
        from webadmin.notices.services.drafting import notice_files

        notice = _find_notice(notice_key)
        require_folder(out)
        if out.exists() and not out.is_dir():
            raise UnreadableFile(out, "cli.no-such-folder")
        out.mkdir(exist_ok=True)
        for name, content in notice_files(notice):
            path = out / name
            path.write_bytes(content)
            print_line(Message("notice.written", path=str(path)))


def send(notice_key: _NOTICE, user: _USER, is_preview: Annotated[bool, typer.Option("--preview")] = False) -> None:
    """Send a confirmed notice by mail now, or print the mail without sending it."""
    with session() as settings:
        from webadmin.notices.services import mails

        if is_preview:
            _show_mail(_find_notice(notice_key), settings)
            return
        made = mails.send_now(_find_notice(notice_key), _find_user(user), SystemClock(), settings)
        _report_delivery(made, settings)


def list_or_settle_mails(
    notice_key: _NOTICE,
    user: Annotated[str, typer.Option("--as", metavar="USER")] = "",
    went_out: Annotated[bool, typer.Option("--went-out")] = False,
    send_again: Annotated[bool, typer.Option("--send-again")] = False,
    is_json: _JSON = False,
) -> None:
    """List the mails of a notice, or settle a mail whose outcome is unknown.

    --went-out: record that it was sent. --send-again: record that it was not sent, and send the notice again.
    """
    with session() as settings:
        from webadmin.notices.models import NoticeMail
        from webadmin.notices.services import mails

        notice, clock = _find_notice(notice_key), SystemClock()
        mails.mark_lost_mails(clock.now())
        if went_out or send_again:
            mail = notice.mails.filter(state=NoticeMail.State.UNKNOWN, settled_at=None).first()
            if mail is None or went_out == send_again:
                raise BadInput("notice.no-mail", number=notice.pk)
            mails.settle_mail(mail, _find_user(user), clock.now(), went_out=went_out)
            if send_again:
                mail = mails.send_now(notice, _find_user(user), clock, settings)
            _report_delivery(mail, settings)
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
    on: Annotated[str, typer.Option("--on", metavar="DAY")],
    proof: Annotated[list[Path], typer.Option("--proof", metavar="FILE")],
    user: _USER,
    note: str = "",
) -> None:
    """Record that a confirmed notice was sent outside the program: how, on which day, and with what proof."""
    with session():
        from webadmin.notices.services.sending import EventDetails, mark_sent

        notice = _find_notice(notice_key)
        details = EventDetails(parse_day("--on", on), note, _read_files(proof))
        mark_sent(notice, way, details, _find_user(user), SystemClock().now())
        print_line(Message("notice.sent", number=notice.pk, due=str(notice.answer_due)))


def list_due(is_json: _JSON = False) -> None:
    """List due items: answers, deadlines to complain or sue, and notices that require an action by a user."""
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


def _find_notice(key: str) -> "Notice":
    """Return the notice with this number. Raises BadInput if there is none."""
    from webadmin.notices.models import Notice

    rows = Notice.objects.select_related("site", "rights_holder", "addressee")
    return find_row(rows, parse_case_id(key), "notice.no-notice")


def _find_user(name: str) -> "User":
    """Return the user with this name. Raises NotFound if there is none."""
    from webadmin.accounts.models import User

    found = User.objects.filter(username=name).first()
    if found is None:
        raise NotFound("user", name)
    return found


def _read_files(paths: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Return the name and bytes of each file. Raises UnreadableFile.

    A file is read up to one byte beyond MAX_BYTES, so that a later check can reject it.
    """
    from webadmin.evidence.services.third_party import MAX_BYTES

    found = []
    for path in paths:
        try:
            with path.open("rb") as file:
                found.append((path.name, file.read(MAX_BYTES + 1)))
        except OSError as error:
            raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    return found


def _show_mail(notice: "Notice", settings: Settings) -> None:
    from webadmin.notices.services.mail_message import mail_body, mail_subject, preview_mail

    if not settings.mail.is_enabled:
        raise BadInput("mail.off")
    mail = preview_mail(notice, settings.mail.sender).mail
    heading = (("column.recipient", mail.recipient), ("column.sender", mail.sender))
    print_fields([*heading, ("column.subject", mail_subject(mail))])
    for line in mail_body(mail).splitlines():
        print_line(line)


def _report_delivery(mail: "NoticeMail", settings: Settings) -> None:
    """Print that a mail was sent. Raises BadInput if it was not sent or may not have been sent."""
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


def _format_day(each: "DueItem") -> object:
    return each.until.isoformat() if each.until else Message("notice.since", day=each.since.isoformat())


def _deadline_note(each: "DueItem", is_overdue: bool) -> object:
    if each.unknown_year is not None:
        return Message("notice.year-not-announced", year=each.unknown_year)
    return Message("notice.overdue") if is_overdue else ""


GROUP = verb_group(
    "Notices about confirmed infringements.",
    {
        "list": list_notices,
        "files": write_files,
        "send": send,
        "mail": list_or_settle_mails,
        "sent": record_sending,
        "due": list_due,
    },
)
