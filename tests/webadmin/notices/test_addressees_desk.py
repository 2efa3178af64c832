"""Contacts and addressees on the desk: a site's section, from what was read to an addressee, who may do what."""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from core.addressees import AddresseeRole, CounterRule
from core.contacts import ContactKind
from core.messages import LookUpRequested
from core.settings import RegistrySettings
from core.wording import Message
from tests.support import admin_data, desk
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox, add_url, english, list_url, record_url
from webadmin.notices.models import Addressee
from webadmin.sites.models import ContactLookUp

HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def switched_on(monkeypatch: pytest.MonkeyPatch) -> None:
    registries = RegistrySettings(rdap_url="https://rdap.example/")
    monkeypatch.setattr(settings, "ZHUIWEN", replace(settings.ZHUIWEN, registries=registries))


def shown(client: Client, url: str) -> str:
    return unescape(desk.shown(client, url))


def test_a_site_shows_whom_to_write_to_and_what_was_read_where(world: World, manager: Client) -> None:
    site = world.ours.sites[0]
    row = admin_data.contact(site, label="客服")
    admin_data.contact(site, ContactKind.COMPLAINT_PAGE, "https://luoxia.example/tousu")
    admin_data.contact(site, ContactKind.POLICE, "京公网安备11010502012345号")
    admin_data.contact(site, ContactKind.HOST, "某云计算", source="rdap", where="https://rdap.example/ip/1.2.3.4")
    page = shown(manager, record_url(site))
    assert "Contacts and addressees" in page
    assert f'href="{record_url(world.ours.addressee)}"' in page
    assert "storage provider · receives: notice to remove or disconnect (article 14)" in page
    assert (
        "<strong>某云计算</strong> · hosting provider · receives: notice to remove or disconnect (article 14)" in page
    )
    assert "not entered yet" in page
    assert f"e-mail address <strong>{row.value}</strong> (客服)" in page
    assert "page on the site" in page
    assert "public security filing <strong>京公网安备11010502012345号</strong>" in page
    assert 'href="https://luoxia.example/tousu" target="_blank" rel="noopener noreferrer nofollow"' in page
    assert f"{add_url(Addressee)}?site={site.pk}&contact={row.pk}" in page
    assert f"{add_url(Addressee)}?site={site.pk}&of=host" in page


def test_one_click_begins_the_form_with_what_was_read(world: World, manager: Client) -> None:
    site = world.ours.sites[1]
    first = admin_data.contact(site, value="bd@yunjian.example")
    admin_data.contact(site, value="ts@yunjian.example", label="版权投诉")
    admin_data.contact(site, ContactKind.FORM, "https://yunjian.example/form")
    form = manager.get(f"{add_url(Addressee)}?site={site.pk}&of=site").context["adminform"].form
    assert form.initial == {
        "rights_holder": site.rights_holder_id,
        "sites": [site.pk],
        "name": site.name,
        "role": "",
        "email": "ts@yunjian.example",
        "complaint_page": "",
        "form_page": "https://yunjian.example/form",
    }
    chosen = manager.get(f"{add_url(Addressee)}?site={site.pk}&contact={first.pk}").context["adminform"].form
    assert chosen.initial["email"] == "bd@yunjian.example"


def fields(world: World, **changes: Any) -> dict[str, Any]:
    given = {
        "rights_holder": world.ours.holder.pk,
        "name": "云笺科技",
        "role": AddresseeRole.STORES,
        "sites": [world.ours.sites[1].pk],
        "email": "ts@yunjian.example",
        "counter_rule": CounterRule.REPLY_2020_9,
    }
    return {**given, **changes}


def saved(client: Client, given: dict[str, Any]) -> Addressee | dict[str, Any]:
    response = client.post(add_url(Addressee), given)
    if response.status_code == 302:
        return Addressee.objects.get(name=given["name"])
    assert response.status_code == 200, response.status_code
    return dict(response.context["adminform"].form.errors)


def test_a_manager_enters_an_addressee_and_it_stands_before_what_was_read(world: World, manager: Client) -> None:
    site = world.ours.sites[1]
    admin_data.contact(site)
    assert "not entered yet" in shown(manager, record_url(site))
    made = saved(manager, fields(world))
    assert isinstance(made, Addressee)
    assert (made.entered_by, list(made.sites.all())) == (world.ours.manager, [site])
    page = shown(manager, record_url(site))
    assert "not entered yet" not in page
    assert "云笺科技" in page
    assert "云笺科技" in shown(manager, list_url(Addressee))
    assert "notice to remove or disconnect" in shown(manager, record_url(made))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"form_page": "javascript:alert(1)"}, "form_page"),
        ({"complaint_page": "https://a.example/\nhttps://b.example/"}, "complaint_page"),
        ({"email": "nobody"}, "email"),
        ({"role": AddresseeRole.PLATFORM}, "form_page"),
        ({"role": "king"}, "role"),
        ({"counter_rule": CounterRule.E_COMMERCE, "counter_days": 20}, "counter_days"),
        ({"counter_rule": CounterRule.NONE}, "counter_rule"),
        ({"max_attachments_mb": 0}, "max_attachments_mb"),
        ({"sites": ["0001-01-01"]}, "sites"),
        ({"sites": ["99999999999999999999"]}, "sites"),
    ],
)
def test_refusals_stand_at_their_field(world: World, manager: Client, changes: dict[str, Any], field: str) -> None:
    assert list(saved(manager, fields(world, **changes))) == [field]


def test_a_site_that_publishes_by_itself_gets_a_letter_and_has_no_time(world: World, manager: Client) -> None:
    made = saved(manager, fields(world, role=AddresseeRole.PUBLISHES, counter_days=12))
    assert isinstance(made, Addressee)
    assert (made.counter_rule, made.counter_days) == (CounterRule.NONE, None)
    assert "cease-and-desist letter" in shown(manager, record_url(made))


def test_no_site_and_no_holder_of_somebody_else_can_be_named(world: World, manager: Client) -> None:
    theirs = world.theirs
    assert "sites" in saved(manager, fields(world, sites=[theirs.sites[0].pk]))
    assert "rights_holder" in saved(manager, fields(world, rights_holder=theirs.holder.pk))
    contact = admin_data.contact(theirs.sites[0], value="secret@beidou.example")
    for query in (f"site={theirs.sites[0].pk}&of=site", f"site={world.ours.sites[0].pk}&contact={contact.pk}"):
        assert "secret@beidou.example" not in shown(manager, f"{add_url(Addressee)}?{query}")
    for query in ("site=x&of=site", f"site={world.ours.sites[0].pk}&of=nobody", "site=9999999999999999999&contact=-1"):
        assert manager.get(f"{add_url(Addressee)}?{query}").status_code == 200


def test_an_administrator_cannot_mix_sites_of_two_holders(world: World) -> None:
    errors = saved(english(world.administrator), fields(world, sites=[world.theirs.sites[0].pk]))
    assert list(errors) == ["sites"]


def test_a_reviewer_reads_and_enters_nothing(world: World, reviewer: Client) -> None:
    site = world.ours.sites[0]
    admin_data.contact(site, ContactKind.HOST, "某云", source="rdap")
    page = shown(reviewer, record_url(site))
    assert "<strong>某云</strong> · host" in page
    assert add_url(Addressee) not in page
    assert reviewer.post(add_url(Addressee), fields(world)).status_code == 403


def test_hostile_contacts_are_shown_as_text(world: World, manager: Client) -> None:
    site = world.ours.sites[0]
    where = f"javascript:alert(1)//{HOSTILE}"
    admin_data.contact(site, ContactKind.COMPLAINT_PAGE, f"javascript:alert(2)//{HOSTILE}", where=where)
    admin_data.contact(site, ContactKind.HOST, f"云\u202e{HOSTILE}", source="whois", where=f"h {HOSTILE}")
    admin_data.contact(site, value="e" * 500, label=HOSTILE + "\u202e")
    page = manager.get(record_url(site)).content.decode()
    for words in ("<script>alert(1)", 'href="javascript:', "\u202e"):
        assert words not in page
    assert "云‹RLO›" in page
    assert "&lt;/script&gt;‹RLO›)" in page
    assert "e" * 200 not in page


def test_a_look_up_has_to_be_switched_on(world: World, manager: Client, outbox: CollectingOutbox) -> None:
    site = world.ours.sites[0]
    page = shown(manager, record_url(site))
    assert "the operator has not enabled this" in page
    assert "Look up host and registrar" not in page
    response = manager.post(f"{record_url(site, 'look_up')}", {"_form_submitted": "True"}, follow=True)
    assert "the operator has not enabled this" in unescape(response.content.decode())
    assert (outbox.sent, ContactLookUp.objects.count()) == ([], 0)


@pytest.mark.usefixtures("switched_on")
def test_a_manager_asks_once_and_sees_what_came_of_it(world: World, manager: Client, outbox: CollectingOutbox) -> None:
    site = world.ours.sites[0]
    assert "Look up host and registrar" in shown(manager, record_url(site))
    for _ in range(2):
        manager.post(record_url(site, "look_up"), {"_form_submitted": "True"})
    look_up = ContactLookUp.objects.get()
    assert (outbox.sent, look_up.asked_by) == ([LookUpRequested(look_up.pk)], world.ours.manager)
    assert "Looking up host and registrar since" in shown(manager, record_url(site))
    look_up.ended_at, look_up.found = timezone.now(), 3
    look_up.faults = [Message("registry.unknown", about="<b>x\u202e")]
    look_up.save()
    page = manager.get(record_url(site)).content.decode()
    assert "3 entries found." in page
    assert "no server knows the owner of &lt;b&gt;x‹RLO›" in page
    assert (
        english(world.ours.reviewer).post(record_url(site, "look_up"), {"_form_submitted": "True"}).status_code == 403
    )
