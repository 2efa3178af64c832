"""`zhuiwen site contacts`."""

import json
from contextlib import nullcontext
from dataclasses import replace

import pytest

from core.contacts import ContactKind
from core.settings import RegistrySettings
from core.settings_loading import load
from tests.support import admin_data
from tests.support.name_server import NameServer
from tests.support.refusals import refused
from tests.support.whois_server import WhoisServer
from webadmin.notices.cli import site_contacts
from webadmin.sites.models import Site

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verb's own session would lead to another database than the test's."""
    monkeypatch.setattr(site_contacts, "session", lambda: nullcontext(load({})))


@pytest.fixture
def site() -> Site:
    return admin_data.site(admin_data.holder(), host="www.pirate.com")


def test_whom_to_write_to_and_what_was_read_are_listed(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    admin_data.addressee(site.rights_holder, "落霞科技", site)
    admin_data.contact(site, value="a\u202e@b.example")
    admin_data.contact(site, ContactKind.HOST, "某云", source="rdap", where="https://rdap.example/ip/1.2.3.4")
    site_contacts.contacts("www.pirate.com")
    said = capsys.readouterr().out
    for words in ("落霞科技", "storage provider", "article 14", "entered", "not entered yet", "某云", "rdap.example"):
        assert words in said
    assert "\u202e" not in said


def test_json_has_the_same_for_programs(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    addressee = admin_data.addressee(site.rights_holder, "落霞科技", site)
    admin_data.contact(site, label="客服")
    site_contacts.contacts(str(site.pk), is_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["addressees"] == [
        {
            "id": addressee.pk,
            "name": "落霞科技",
            "role": "stores",
            "paper": "article_14",
            "email": "tousu@luoxia.example.net",
            "complaint_page": "",
            "form_page": "",
            "origin": "entered",
            "from_site": None,
        }
    ]
    (row,) = said["contacts"]
    read = {"kind": "email", "value": "kefu@luoxia.example.net", "label": "客服", "source": "page"}
    assert read.items() <= row.items()
    assert row["first_read_at"].startswith("2026-03-10T12:00:00+08:00")


def test_nobody_is_asked_while_no_server_is_named(site: Site) -> None:
    refused("ZHUIWEN_RDAP_URL", site_contacts.contacts, str(site.pk), is_look_up=True)


@pytest.mark.usefixtures("loopback")
def test_a_look_up_asks_and_names_what_it_did_not_find(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with WhoisServer({"pirate.com": b"Registrar: Example Ltd\n"}) as whois, NameServer({}) as names:
        settings = load({})
        crawl = replace(settings.crawl, name_servers=(names.place,))
        registries = RegistrySettings(whois_servers=(whois.place,))
        settings = replace(settings, crawl=crawl, registries=registries)
        monkeypatch.setattr(site_contacts, "session", lambda: nullcontext(settings))
        site_contacts.contacts(str(site.pk), is_look_up=True)
    said = capsys.readouterr()
    assert "Example Ltd" in said.out
    assert "www.pirate.com has no address at present" in said.err
