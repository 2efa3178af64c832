"""The status of the evidence for `zhuiwen status` and `zhuiwen evidence status`.

The first shows the sweeper's last note, because it must answer at once; the second queries the admin database.
"""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from core.redis_names import EVIDENCE_NOTE
from core.wording import Message
from deploy.services import health
from webadmin.ui.console.session import local_iso, local_time, session

if TYPE_CHECKING:
    from core.settings import Settings


def evidence_lines() -> tuple[list[Message], dict[str, Any]]:
    """Return the status as lines for a person and as values for programs.

    Raises ZhuiwenError if there is no admin database.
    """
    with session() as settings:
        from django.utils import timezone

        from webadmin.evidence.services.status import status_values

        values = status_values(settings.evidence, timezone.now())
        return lines(values, settings), in_zone(values, settings)


def noted_lines(settings: "Settings") -> list[Message]:
    """Return the lines of the sweeper's last note with its time, or none without a note or Redis."""
    noted = health.redis_value(settings.redis_url, EVIDENCE_NOTE)
    if noted is None:
        return []
    try:
        values = json.loads(noted)
        first, *others = lines(values, settings)
        when = local_time(datetime.fromisoformat(values["seen_at"]), settings)
        backups = [Message.from_json(values["backups"])] if values.get("backups") else []
    except (ValueError, KeyError, TypeError):
        return []  # a garbled note; the sweeper writes another within a minute
    return [Message("custody.as-of", told=first, when=when), *others, *backups]


def lines(values: dict[str, Any], settings: "Settings") -> list[Message]:
    """Return one line each on bundles, stamps and the last check."""
    counts = {name: values[name] for name in ("bundles", "changed", "missing", "owed", "undrawn")}
    return [
        Message("custody.bundles", **counts),
        Message("custody.stamps", state=_stamps(values)),
        Message("custody.last-check", state=_check(values["last_check"], settings)),
    ]


def in_zone(values: dict[str, Any], settings: "Settings") -> dict[str, Any]:
    """Return the values with times in the user's time zone."""
    check = values["last_check"]
    return values | {
        "seen_at": local_iso(datetime.fromisoformat(values["seen_at"]), settings),
        "last_check": check
        and check | {"started_at": local_iso(datetime.fromisoformat(check["started_at"]), settings)},
    }


def _stamps(values: dict[str, Any]) -> Message:
    days = Message("custody.days", days=values["unstamped_days"])
    return Message("custody.and", days=days, state=_authorities(values))


def _authorities(values: dict[str, Any]) -> Message:
    if values["authorities_fault"]:
        return Message("custody.fault", reason=values["authorities_fault"])
    count = len(values["authorities"])
    if not count:
        return Message("custody.no-authority")
    if not values["waiting_stamps"]:
        return Message("custody.nothing-waits", count=count)
    return Message("custody.waits", count=count, waiting=values["waiting_stamps"], reason=values["last_error"])


def _check(check: dict[str, Any] | None, settings: "Settings") -> Message:
    if check is None:
        return Message("custody.no-check")
    wrong = Message("custody.check-wrong", count=len(check["faults"])) if check["faults"] else None
    when = local_time(datetime.fromisoformat(check["started_at"]), settings)
    return Message(
        "custody.check",
        when=when,
        bundles=check["bundles"],
        files=check["files"],
        outcome=wrong or Message("custody.check-well"),
    )
