"""Records the checks of the stores, and returns the known damages."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from webadmin.backups.models import StoreCheck

MADE_ANEW = "made anew"  # webadmin.backups.services.checking.damage.Remedy
PARTS = 7  # One part is read each night, so that everything is read within a week.
KEPT = 100  # rows: three months of nightly checks


def note_store_check(
    started: datetime, ended: datetime, items: int, damages: Sequence[Mapping[str, Any]], *, part: int | None
) -> StoreCheck:
    """Record one check and delete old ones. part: the part that it read, or None for everything."""
    row = StoreCheck.objects.create(
        started_at=started, ended_at=ended, part=part, items=items, damages=list(map(dict, damages))
    )
    old = StoreCheck.objects.order_by("-pk").values_list("pk", flat=True)[KEPT:]
    StoreCheck.objects.filter(pk__in=list(old)).delete()
    return row


def known_damages() -> list[Mapping[str, Any]]:
    """Return the unrepaired damages of the newest full check and of later checks of parts, each once."""
    whole = StoreCheck.objects.filter(part=None).order_by("-pk").first()
    rows = StoreCheck.objects.filter(pk__gte=whole.pk if whole else 0).order_by("pk")
    found: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for row in rows:
        for each in row.damages:
            key = (each["store"], each["place"], each["key"])
            if each["remedy"] == MADE_ANEW:
                found.pop(key, None)
            else:
                found[key] = each
    return list(found.values())


def next_part() -> int:
    """Return the part to check next, which follows the part of the newest nightly check."""
    newest = StoreCheck.objects.exclude(part=None).order_by("-pk").values_list("part", flat=True).first()
    return 0 if newest is None else (newest + 1) % PARTS


def last_check() -> StoreCheck | None:
    return StoreCheck.objects.order_by("-pk").first()
