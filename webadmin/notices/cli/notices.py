"""The `notice` commands up to confirmation: list, draft, show, write, confirm, withdraw, files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.addressees import Paper
from core.errors import BadInput, UnreadableFile
from core.wording import Message
from webadmin.cases.cli.keys import find_matter
from webadmin.notices.cli import notice_outcomes
from webadmin.notices.cli.notice_keys import USER, find_addressee, find_notice, find_user
from webadmin.ui.console.faults import complain
from webadmin.ui.console.groups import verb_group
from webadmin.ui.console.lists import ConsoleColumn, as_record, print_list
from webadmin.ui.console.output import as_json, print_fields, print_line
from webadmin.ui.console.session import local_time, session
from webadmin.ui.console.written_files import require_folder

if TYPE_CHECKING:
    from webadmin.cases.models import Matter
    from webadmin.notices.models import Addressee, Notice

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


def list_notices(is_json: Annotated[bool, typer.Option("--json")] = False) -> None:
    """List the notices."""
    with session() as settings:
        from webadmin.notices.models import Notice

        rows = Notice.objects.select_related("site").prefetch_related("pages", "files")
        print_list(rows, _COLUMNS, settings, is_json=is_json)


def draft(
    matter_key: Annotated[str, typer.Argument(metavar="MATTER")],
    to: Annotated[str, typer.Option(metavar="PAPER|ADDRESSEE")],
    user: USER,
) -> None:
    """Draft a notice for the confirmed pages of a matter."""
    with session():
        from webadmin.notices.services import drafting

        matter = find_matter(matter_key)
        addressee, paper = _parse_addressee(matter, to)
        made = drafting.draft_notice(drafting.confirmed_cases(matter), paper, find_user(user), addressee)
        for case, reason in made.left_out:
            complain(Message("notice.left-out", page=case.page_url, reason=reason))
        print_line(Message("notice.drafted", number=made.notice.pk, pages=made.notice.pages.count()))
        _print_draft_status(made.notice)


def show_notice(
    notice_key: Annotated[str, typer.Argument(metavar="NOTICE")],
    is_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Show a notice with its fields, its pages and the missing parts."""
    with session() as settings:
        notice = find_notice(notice_key)
        if is_json:
            as_json(as_record(notice, _COLUMNS, settings) | {"fields": notice.values})
            return
        heading = [
            ("column.paper", notice.get_kind_display()),
            ("column.site", notice.site.name),
            ("column.state", notice.get_state_display()),
            ("column.drafted", local_time(notice.drafted_at, settings)),
        ]
        print_fields(heading)
        from webadmin.notices.services.legal_fields import FIELDS

        for field in FIELDS:
            value = notice.values.get(field.code, "")
            if value:
                print_line(Message("cli.field", name=field.words, value=value))
        for page in notice.pages.select_related("case"):
            print_line(page.case.page_url)
        _print_draft_status(notice)


def write_fields(
    notice_key: Annotated[str, typer.Argument(metavar="NOTICE")],
    given: Annotated[list[str], typer.Argument(metavar="FIELD=VALUE...")],
    user: USER,
) -> None:
    """Write fields of a draft."""
    from webadmin.notices.services.legal_fields import BY_NAME, FIELDS

    written = {}
    for each in given:
        name, is_given, value = each.partition("=")
        field = BY_NAME.get(name)
        if not is_given or field is None or field.columns:
            choices = tuple(one.code for one in FIELDS if not one.columns)
            raise BadInput("notice.no-field", given=each, choices=choices)
        written[field.code] = value
    with session():
        from webadmin.notices.services import drafting

        notice = find_notice(notice_key)
        drafting.write_fields(notice, written, find_user(user))
        print_line(Message("notice.saved", number=notice.pk))
        _print_draft_status(notice)


def confirm(notice_key: Annotated[str, typer.Argument(metavar="NOTICE")], user: USER) -> None:
    """Confirm a notice and keep its files; nothing is sent."""
    with session():
        from webadmin.notices.services import drafting

        notice = find_notice(notice_key)
        drafting.confirm_notice(notice, find_user(user))
        print_line(Message("notice.confirmed", number=notice.pk))


def withdraw(notice_key: Annotated[str, typer.Argument(metavar="NOTICE")], user: USER, note: str = "") -> None:
    """Withdraw a notice; its files stay."""
    with session():
        from webadmin.notices.services import drafting

        notice = find_notice(notice_key)
        drafting.withdraw_notice(notice, find_user(user), note)
        print_line(Message("notice.withdrawn", number=notice.pk))


def write_files(
    notice_key: Annotated[str, typer.Argument(metavar="NOTICE")],
    out: Annotated[Path, typer.Option(metavar="FOLDER")],
) -> None:
    """Write the files of a notice into a folder: the kept files, or for a draft the current document."""
    with session():
        from webadmin.notices.services.drafting import notice_files

        notice = find_notice(notice_key)
        require_folder(out)
        if out.exists() and not out.is_dir():
            raise UnreadableFile(out, "cli.no-such-folder")
        out.mkdir(exist_ok=True)
        for name, content in notice_files(notice):
            path = out / name
            path.write_bytes(content)
            print_line(Message("notice.written", path=str(path)))


def _parse_addressee(matter: "Matter", to: str) -> "tuple[Addressee | None, Paper]":
    """Return the addressee with this name and its paper, or no addressee and the paper with this code.

    Raises BadInput.
    """
    if to in set(Paper):
        return None, Paper(to)
    addressee = find_addressee(matter.site, to)
    return addressee, addressee.paper


def _print_draft_status(notice: "Notice") -> None:
    from webadmin.notices.models import Notice
    from webadmin.notices.services.drafting import draft_status

    if notice.state != Notice.State.DRAFTED:
        return
    status = draft_status(notice)
    if status.fields:
        print_line(Message("notice.lacks", fields=tuple(field.words for field in status.fields)))
    for each in status.advice:
        print_line(each)
    if not status.has_authority:
        print_line(Message("notice.no-authority"))
    for case, reason in status.pages:
        print_line(Message("notice.left-out", page=case.page_url, reason=reason))


GROUP = verb_group(
    "Notices about confirmed infringements.",
    {
        "list": list_notices,
        "draft": draft,
        "show": show_notice,
        "write": write_fields,
        "confirm": confirm,
        "withdraw": withdraw,
        "files": write_files,
        "send": notice_outcomes.send,
        "mail": notice_outcomes.list_or_settle_mails,
        "sent": notice_outcomes.record_sending,
        "answer": notice_outcomes.record_answer,
        "refuse": notice_outcomes.record_refusal,
        "removed": notice_outcomes.record_removal,
        "close": notice_outcomes.close,
        "counter": notice_outcomes.record_counter_statement,
        "counter-back": notice_outcomes.take_back_counter_statement,
        "complain": notice_outcomes.record_legal_action,
        "escalate": notice_outcomes.escalate,
        "take-back": notice_outcomes.take_back_last_event,
        "due": notice_outcomes.list_due,
    },
)
