"""The `check-stores` command: reads all stored data, reports damage, and repairs what can be rebuilt."""

import time
from typing import Annotated

import typer

from core.wording import Message
from webadmin.ui.console.faults import DONE, FAILED, complain
from webadmin.ui.console.output import Meter, as_json, print_line
from webadmin.ui.console.session import session

MAX_LINES = 200  # lines printed for a person; programs get all


def check_stores(
    is_json: Annotated[bool, typer.Option("--json")] = False,
    look_only: Annotated[bool, typer.Option("--look-only")] = False,
) -> None:
    """Read all stored data, report damage, and repair what can be rebuilt; exit 1 if there was damage."""
    begun, steps = time.monotonic(), _CheckSteps()
    with session() as settings:
        from webadmin.backups.services.checking.run import check_and_note

        try:
            report = check_and_note(settings, steps.tell, may_mend=not look_only)
        finally:
            steps.close()
    seconds = time.monotonic() - begun
    is_whole = not report.damages and not report.unread
    if is_json:
        damages = [each.as_values() for each in report.damages]
        as_json(
            {
                "is_whole": is_whole,
                "seconds": round(seconds, 1),
                "items": report.items,
                "damages": damages,
                "unread": report.unread,
            }
        )
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


class _CheckSteps:
    """Shows one meter for each step in turn."""

    def __init__(self) -> None:
        self._name: Message | None = None
        self._meter: Meter | None = None

    def tell(self, name: Message, done: int, total: int) -> None:
        if self._name != name:
            self.close()
            self._name, self._meter = name, Meter(name)
        if self._meter is not None:
            self._meter.update(min(done, total), total)

    def close(self) -> None:
        if self._meter is not None:
            self._meter.close()
        self._name = self._meter = None
