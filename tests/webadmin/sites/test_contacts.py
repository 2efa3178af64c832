"""Test that what crawls and registries brought is kept once, with where and when; look-ups are asked for once."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.contacts import Contact, ContactKind, ContactSource
from core.errors import ServiceUnavailable
from core.messages import LookUpRequested
from core.settings import RegistrySettings, Settings
from core.settings_loading import load
from crawler.contacts.reading import Gathered
from crawler.registries.look_up import RegistryContact
from tests.support.admin_data import NOW, holder, site
from tests.support.desk import CollectingOutbox
from tests.support.name_server import NameServer
from tests.support.refusals import refused
from tests.support.whois_server import WhoisServer
from webadmin.sites.models import ContactLookUp, ContactRead, Site
from webadmin.sites.services import contacts, look_ups
from webadmin.sites.services.watchlist import site_hosts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loopback")]


class Clock:
    def now(self) -> datetime:
        return NOW


@pytest.fixture
def watched() -> Site:
    return site(holder(), "落霞小说网", "www.pirate.com")


@pytest.fixture
def whois() -> Iterator[WhoisServer]:
    with WhoisServer({"pirate.com": b"Registrar: Example\nRegistrar Abuse Contact Email: a@b.example\n"}) as server:
        yield server


@pytest.fixture
def settings_on(whois: WhoisServer) -> Iterator[Settings]:
    with NameServer({"www.pirate.com": ["93.184.216.34"]}) as names:
        settings = load({})
        crawl = replace(settings.crawl, name_servers=(names.place,))
        yield replace(settings, crawl=crawl, registries=RegistrySettings(whois_servers=(whois.place,)))


def read(value: str, at: datetime = NOW, url: str = "https://a.example/about", **fields: Any) -> Gathered:
    return Gathered(Contact(fields.pop("kind", ContactKind.EMAIL), value, **fields), url, at)


def test_a_contact_is_kept_once_with_when_it_was_first_and_last_read(watched: Site) -> None:
    contacts.note_read(watched, [read("a@b.example", label="客服")])
    later = NOW + timedelta(days=8)
    contacts.note_read(watched, [read("a@b.example", later, "https://a.example/contact")])
    row = ContactRead.objects.get()
    assert (row.first_read_at, row.read_at, row.where) == (NOW, later, "https://a.example/contact")
    contacts.note_looked_up(
        watched, [RegistryContact(Contact(ContactKind.EMAIL, "a@b.example"), ContactSource.RDAP, "r")], later
    )
    assert ContactRead.objects.count() == 2, "what two sources say are two sayings"


def test_what_cannot_be_stored_is_left_out_and_the_oldest_goes(watched: Site) -> None:
    contacts.note_read(watched, [read("x" * 501), read("\0"), read("a\0@b.example", label="l" * 200)])
    assert list(ContactRead.objects.values_list("value", "label")) == [("a@b.example", "l" * 60)]
    later = NOW + timedelta(days=1)
    contacts.note_read(watched, [read(f"{n}@b.example", later) for n in range(contacts.MAX_CONTACTS)])
    assert ContactRead.objects.count() == contacts.MAX_CONTACTS
    assert not ContactRead.objects.filter(value="a@b.example").exists()


def test_a_look_up_is_asked_for_once_and_again_when_it_was_lost(watched: Site, settings_on: Settings) -> None:
    outbox = CollectingOutbox()
    first = look_ups.request_look_up(watched, None, NOW, outbox, settings_on)
    assert look_ups.request_look_up(watched, None, NOW, outbox, settings_on) == first
    assert outbox.sent == [LookUpRequested(first.pk)]
    look_ups.request_look_up(watched, None, NOW + look_ups.EXPIRES_AFTER, outbox, settings_on)
    assert outbox.sent == [LookUpRequested(first.pk)] * 2


def test_a_look_up_that_nobody_hears_of_leaves_nothing_open(watched: Site, settings_on: Settings) -> None:
    outbox = CollectingOutbox()
    outbox.is_away = True
    with pytest.raises(ServiceUnavailable):
        look_ups.request_look_up(watched, None, NOW, outbox, settings_on)
    assert not ContactLookUp.objects.exists()


def test_nothing_is_asked_while_it_is_off_or_there_is_nothing_to_ask(watched: Site, settings_on: Settings) -> None:
    refused("registries are not queried", look_ups.request_look_up, watched, None, NOW, CollectingOutbox(), load({}))
    empty = Site.objects.create(rights_holder=watched.rights_holder, name="空")
    refused("no host", look_ups.request_look_up, empty, None, NOW, CollectingOutbox(), settings_on)
    assert not ContactLookUp.objects.exists()


def test_registries_are_asked_once(watched: Site, settings_on: Settings, whois: WhoisServer) -> None:
    look_up = look_ups.request_look_up(watched, None, NOW, CollectingOutbox(), settings_on)
    look_ups.carry_out_look_up(look_up.pk, settings_on, Clock())
    look_ups.carry_out_look_up(look_up.pk, settings_on, Clock())
    look_up.refresh_from_db()
    assert (look_up.ended_at, look_up.found) == (NOW, 2)
    assert [fault.code for fault in look_up.faults] == ["registry.unknown"], "whose the address is"
    assert list(ContactRead.objects.values_list("kind", "value", "source", "where").order_by("kind")) == [
        ("registrar", "Example", "whois", f"{whois.place} pirate.com"),
        ("registrar_abuse", "a@b.example", "whois", f"{whois.place} pirate.com"),
    ]
    assert whois.asked == ["pirate.com", "93.184.216.34"]


def test_hosts_are_the_domains_else_those_of_the_start_pages(watched: Site) -> None:
    assert [*map(str, site_hosts(watched))] == ["www.pirate.com"]
    watched.domains.all().delete()
    watched.start_urls = "https://x.example/1\nhttps://x.example/2\nhttp://[\nhttp://y.example:8080/"
    assert [*map(str, site_hosts(watched))] == ["x.example", "y.example:8080"]
