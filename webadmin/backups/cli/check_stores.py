"""The verb `check-stores`: reads all stored data, reports damage, and repairs what can be rebuilt."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from core.wording import Message
from webadmin.ui.console.faults import DONE, FAILED, complain
from webadmin.ui.console.output import Meter, as_json, say
from webadmin.ui.console.session import session

if TYPE_CHECKING:
    from webadmin.backups.services.checking.damage import Damage

MAX_LINES = 200  # for a person; programs get all lines
MAX_CASES_SHOWN = 10
LEADS = "rewrites_rewordedlead"  # the table whose rows have a name of their own in messages
# Values of webadmin.backups.services.checking.damage; a backup restores either all rows or none.
ADMIN, RESTORE = "admin database", "restore"


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
            say(damage_message(damage))
        if len(report.damages) > MAX_LINES:
            say(Message("checking.more", count=len(report.damages) - MAX_LINES))
        counts = {"damages": len(report.damages), "lost": len(report.unrepaired_damages)}
        mended = len(report.damages) - len(report.unrepaired_damages)
        told = Message("checking.found", items=report.items, seconds=seconds, mended=mended, **counts)
        say(told if report.damages else Message("checking.whole", items=report.items, seconds=seconds))
    for reason in report.unread:
        complain(Message("checking.unread", reason=reason))
    raise typer.Exit(DONE if is_whole else FAILED)


def damage_message(damage: "Damage") -> Message:
    """Return a message of one line on a damage."""
    is_row = damage.store == ADMIN and damage.remedy == RESTORE
    place = " ".join(filter(None, (damage.place, damage.key)))
    told = Message(
        "checking.damage",
        store=_term(damage.store),
        place=place,
        kind=_term(damage.kind),
        remedy=Message("checking.restore-row") if is_row else _term(damage.remedy),
    )
    if damage.place == LEADS and damage.key:
        told = Message("checking.damage-of-lead", told=told, lead=damage.key)
    if damage.cases:
        more = ["…"] if len(damage.cases) > MAX_CASES_SHOWN else []
        told = Message("checking.damage-of-cases", told=told, cases=[*damage.cases[:MAX_CASES_SHOWN], *more])
    return Message("checking.damage-detail", told=told, detail=damage.detail) if damage.detail else told


def _term(value: str) -> Message:
    """Return the label of a store, a kind or a remedy of webadmin.backups.services.checking.damage."""
    return Message(f"checking.{value.replace(' ', '-')}")


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
