"""Stores the contacts that crawls and look-ups find, each once with its source and times."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db import transaction

from core.contacts import MAX_LABEL_CHARS, MAX_VALUE_CHARS, Contact, ContactSource
from crawler.contacts.reading import Gathered
from crawler.registries.look_up import RegistryContact
from webadmin.sites.models import ContactRead, Site

MAX_CONTACTS = 100  # contacts stored for a site, those read last


def note_read(site: Site, found: Iterable[Gathered]) -> None:
    """Store the contacts in `found`, which a crawl read on the pages of the site."""
    _store_contacts(site, ((each.contact, ContactSource.PAGE, each.url, each.at) for each in found))


def note_looked_up(site: Site, found: Sequence[RegistryContact], now: datetime) -> None:
    """Store the contacts in `found`, which registries returned at `now`."""
    _store_contacts(site, ((each.contact, each.source, each.where, now) for each in found))


def _store_contacts(site: Site, found: Iterable[tuple[Contact, ContactSource, str, datetime]]) -> None:
    """Store contacts with their source, URL or server, and time. Only the MAX_CONTACTS read last are retained."""
    with transaction.atomic():
        for contact, source, where, at in found:
            _store_contact(site, contact, source, where, at)
        rows = ContactRead.objects.filter(site=site).order_by("-read_at", "pk").values_list("pk", flat=True)
        ContactRead.objects.filter(pk__in=list(rows[MAX_CONTACTS:])).delete()


def _store_contact(site: Site, contact: Contact, source: ContactSource, where: str, at: datetime) -> None:
    value = contact.value.replace("\0", "")
    if not value or len(value) > MAX_VALUE_CHARS:
        return
    label = contact.label.replace("\0", "")[:MAX_LABEL_CHARS]
    values = {"where": where.replace("\0", ""), "label": label, "read_at": at}
    ContactRead.objects.update_or_create(
        site=site,
        kind=contact.kind,
        value=value,
        source=source,
        defaults=values,
        create_defaults={**values, "first_read_at": at},
    )
