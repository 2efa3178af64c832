"""The checks of the stores, written down: what each found, and what is known to be damaged now."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from webadmin.backups.models import StoreCheck

MADE_ANEW = "made anew"  # webadmin.backups.services.checking.damage.Remedy
PARTS = 7  # a part each night: all is read within a week
KEPT = 100  # rows; the nightly ones of three months


def note_store_check(
    started: datetime, ended: datetime, items: int, damages: Sequence[Mapping[str, Any]], *, part: int | None
) -> StoreCheck:
    """Keep what one check found. part: which part it read, None for all of it."""
    row = StoreCheck.objects.create(
        started_at=started, ended_at=ended, part=part, items=items, damages=list(map(dict, damages))
    )
    old = StoreCheck.objects.order_by("-pk").values_list("pk", flat=True)[KEPT:]
    StoreCheck.objects.filter(pk__in=list(old)).delete()
    return row


def known_damages() -> list[Mapping[str, Any]]:
    """Return the damages that the newest check of everything, and the checks of parts after it, found, each once."""
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
    """Return the part whose turn it is: the one behind that of the newest nightly check."""
    newest = StoreCheck.objects.exclude(part=None).order_by("-pk").values_list("part", flat=True).first()
    return 0 if newest is None else (newest + 1) % PARTS


def last_check() -> StoreCheck | None:
    return StoreCheck.objects.order_by("-pk").first()
