"""The rights of a site's watcher as plain values, and since when they are what they are."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Q
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from core.rights import Permission, Ruling, rule
from webadmin.models import Licence, OwnDomain, RightsHolder, Site, Work


def ruling(site: Site, work: Work, url: str, seen_at: datetime) -> Ruling:
    """Whether the page at `url`, as it was seen at that moment, may carry the work."""
    own = OwnDomain.objects.filter(rights_holder=site.rights_holder).values_list("domain", flat=True)
    licences = Licence.objects.filter(Q(work=work) | Q(work__isnull=True), rights_holder=site.rights_holder)
    permissions = [
        Permission(
            licence.domain, licence.valid_from, licence.valid_until, f"{licence.licensee} {licence.number}".strip()
        )
        for licence in licences
    ]
    return rule(url, seen_at.astimezone(_zone()).date(), own, permissions)


def settled_since(holder: RightsHolder, now: datetime) -> datetime:
    """Since when no right has changed that could change a finding: licences, own domains, the day's border.

    A licence begins and ends with a day of the operator's zone, without anybody touching its row.
    """
    moments = [holder.changed_at or datetime.min.replace(tzinfo=UTC)]
    today = now.astimezone(_zone()).date()
    for valid_from, valid_until in Licence.objects.filter(rights_holder=holder).values_list(
        "valid_from", "valid_until"
    ):
        moments += [_midnight(day) for day in _borders(valid_from, valid_until) if day <= today]
    return max(moments)


def note_change(holders: Iterable[int], at: datetime) -> None:
    """Mark that the findings of these rights holders may be others from now on."""
    RightsHolder.objects.filter(pk__in=holders).update(changed_at=at)


def watch_rights() -> None:
    """Note every change of a licence or an own domain, wherever it is made."""
    for model in (Licence, OwnDomain):
        for signal in (post_save, post_delete):
            signal.connect(_rights_changed, sender=model, dispatch_uid=f"rights-{model.__name__}-{id(signal)}")


def _rights_changed(instance: Licence | OwnDomain, **_: Any) -> None:
    note_change([instance.rights_holder_id], timezone.now())


def _borders(valid_from: date, valid_until: date | None) -> list[date]:
    return [valid_from] if valid_until is None else [valid_from, valid_until + timedelta(days=1)]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=_zone())


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.TIME_ZONE)
