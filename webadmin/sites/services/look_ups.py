"""Looks up sites in the registries. Users request look-ups, and workers carry them out."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from core.errors import BadInput, RetryLater
from core.messages import LookUpRequested
from core.ports import Clock, Outbox
from core.settings import Settings
from core.wording import Message
from crawler.registries.look_up import LookedUp, Registries
from webadmin.accounts.models import User
from webadmin.sites.models import ContactLookUp, Site
from webadmin.sites.services.contacts import note_looked_up
from webadmin.sites.services.watchlist import site_hosts

# As for opinions: an older request was lost or is delayed, and a second message does no harm.
EXPIRES_AFTER = timedelta(minutes=15)
MAX_FAULTS = 20


def request_look_up(site: Site, user: User | None, now: datetime, outbox: Outbox, settings: Settings) -> ContactLookUp:
    """Request a look-up, and return it; an open look-up is returned instead of a new one.

    Raises BadInput if no registry is configured or the site has no hosts. Raises ServiceUnavailable if the broker does
    not respond; the request is then deleted.
    """
    _require_possible(site, settings)
    look_up, is_new = _open_look_up(site, user, now)
    if is_new:
        try:
            outbox.send(LookUpRequested(look_up.pk))
        except RetryLater:
            look_up.delete()
            raise
    return look_up


def look_up_now(site: Site, settings: Settings, clock: Clock) -> ContactLookUp:
    """Look up a site in this process, and return the result.

    Raises BadInput if no registry is configured or the site has no hosts.
    """
    _require_possible(site, settings)
    look_up, _ = _open_look_up(site, None, clock.now())
    carry_out_look_up(look_up.pk, settings, clock)
    look_up.refresh_from_db()
    return look_up


def carry_out_look_up(look_up_id: int, settings: Settings, clock: Clock) -> None:
    """Query the registries, and store the contacts in their responses. An ended look-up is not repeated."""
    look_up = ContactLookUp.objects.select_related("site").filter(pk=look_up_id, ended_at=None).first()
    if look_up is None:
        return
    try:
        hosts = [str(host) for host in site_hosts(look_up.site)]
        looked = Registries(settings.registries, settings.crawl).look_up(hosts)
    except BadInput as error:
        looked = LookedUp(faults=[error.message])
    now = clock.now()
    with transaction.atomic():
        note_looked_up(look_up.site, looked.found, now)
        _end_look_up(look_up_id, now, looked.faults, len(looked.found))


def end_failed_look_up(look_up_id: int, now: datetime) -> None:
    """End a look-up whose task failed permanently, with an error message."""
    _end_look_up(look_up_id, now, [Message("registry.died")])


def newest_look_up(site: Site) -> ContactLookUp | None:
    """Return the look-up of a site that was requested last, or None if there is none."""
    return ContactLookUp.objects.filter(site=site).select_related("asked_by").first()


def _require_possible(site: Site, settings: Settings) -> None:
    if not settings.registries.is_enabled:
        raise BadInput("registry.off")
    if not site_hosts(site):
        raise BadInput("registry.no-hosts", site=site.name)


def _open_look_up(site: Site, user: User | None, now: datetime) -> tuple[ContactLookUp, bool]:
    """Return the open look-up, and whether this call created it or renewed one that has expired."""
    try:
        with transaction.atomic():
            return ContactLookUp.objects.create(site=site, asked_by=user, asked_at=now), True
    except IntegrityError:
        live = ContactLookUp.objects.filter(site=site, ended_at=None)
        renewed = live.filter(asked_at__lte=now - EXPIRES_AFTER).update(asked_at=now, asked_by=user)
        return live.get(), bool(renewed)


def _end_look_up(look_up_id: int, now: datetime, faults: list[Message], found: int = 0) -> None:
    ContactLookUp.objects.filter(pk=look_up_id, ended_at=None).update(
        ended_at=now, faults=faults[:MAX_FAULTS], found=found
    )
