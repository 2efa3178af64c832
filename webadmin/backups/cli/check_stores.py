"""The `check-stores` command, which reads all stored data, reports damage, and repairs what can be rebuilt."""

import time
from typing import Annotated

import typer

from core.wording import Message
from webadmin.ui.console.faults import DONE, FAILED, complain
from webadmin.ui.console.output import as_json, print_line, progress
from webadmin.ui.console.session import session
from webadmin.ui.console.words import translate_for_console

MAX_LINES = 200  # lines printed for a person; JSON contains all


def check_stores(
    is_json: Annotated[bool, typer.Option("--json")] = False,
    look_only: Annotated[bool, typer.Option("--look-only")] = False,
) -> None:
    """Read all stored data, report damage, and repair what can be rebuilt. Exit with 1 if there was damage.

    --look-only: repair nothing.
    """
    begun = time.monotonic()
    with session() as settings:
        from webadmin.backups.services.checking.run import check_and_note

        with progress(Message("checking.reading")) as meter:
            report = check_and_note(
                settings,
                lambda step, done, total: meter.of_part(translate_for_console(step), done, total),
                may_mend=not look_only,
            )
    seconds = time.monotonic() - begun
    is_whole = not report.damages and not report.unread
    if is_json:
        as_json({"is_whole": is_whole, "seconds": round(seconds, 1), "items": report.items,
                 "damages": report.damages, "unread": report.unread})  # fmt: skip
    else:
        for damage in report.damages[:MAX_LINES]:
            print_line(damage.sentence)
        if len(report.damages) > MAX_LINES:
            print_line(Message("checking.more", count=len(report.damages) - MAX_LINES))
        counts = {"damages": len(report.damages), "lost": len(report.unrepaired_damages)}
        mended = len(report.damages) - len(report.unrepaired_damages)
        told = Message("checking.found", items=report.items, seconds=seconds, mended=mended, **counts)
        print_line(told if report.damages else Message("checking.whole", items=report.items, seconds=seconds))
    for reason in report.unread:
        complain(Message("checking.unread", reason=reason))
    raise typer.Exit(DONE if is_whole else FAILED)
