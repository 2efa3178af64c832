"""A manager makes an addressee of what was read on a site's pages and has its host looked up, in a real browser."""

from dataclasses import replace

import pytest
from django.conf import settings
from playwright.sync_api import expect

from core.addressees import AddresseeRole
from core.contacts import ContactKind
from core.messages import LookUpRequested
from core.settings import RegistrySettings
from records import stores
from records.models import Addressee, ContactLookUp, Site
from tests.support import admin_data, browser
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 2


def open_section(visitor: browser.Visitor, site: Site, name: str) -> None:
    visitor.go(f"/admin/records/site/{site.pk}/change/")
    visitor.page.locator("nav a", has_text=name).last.click()


def test_one_click_begins_an_addressee_and_a_dialog_asks_the_registries(
    opened: browser.Opened, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox = CollectingOutbox()
    monkeypatch.setattr(stores, "outbox", lambda: outbox)
    registries = RegistrySettings(rdap_url="https://rdap.example/")
    monkeypatch.setattr(settings, "ZHUIWEN", replace(settings.ZHUIWEN, registries=registries))
    site = world.ours.sites[1]
    admin_data.contact(site, value="kefu@yunjian.example", label="客服")
    admin_data.contact(site, ContactKind.COMPLAINT_PAGE, "https://yunjian.example/tousu", label="<b>侵权投诉</b>\u202e")
    admin_data.contact(site, ContactKind.ICP, "京ICP备12345678号-1")
    admin_data.contact(
        site, ContactKind.HOST, "某云计算有限公司", source="rdap", where="https://rdap.example/ip/1.2.3.4"
    )

    person = opened(world.ours.manager)
    page = person.page
    open_section(person, site, "Whom to write to")
    person.keep("whom-to-write-to")
    expect(page.get_by_text("only read so far").first).to_be_visible()
    person.leave_by("text=Make an addressee of it >> nth=0")
    expect(page.locator("#id_email")).to_have_value("kefu@yunjian.example")
    expect(page.locator("#id_complaint_page")).to_have_value("https://yunjian.example/tousu")
    expect(page.locator("#id_sites")).to_contain_text(site.name)
    page.select_option("#id_role", AddresseeRole.PUBLISHES)
    person.keep("addressee-form")
    person.leave_by("button[name=_continue]")
    made = Addressee.objects.get(email="kefu@yunjian.example")
    assert (made.name, made.role, list(made.sites.all())) == (site.name, AddresseeRole.PUBLISHES, [site])
    expect(page.get_by_text("letter to stop").first).to_be_visible()

    open_section(person, site, "Whom to write to")
    page.get_by_role("link", name="Look up host and registrar").or_(
        page.get_by_role("button", name="Look up host and registrar")
    ).first.click()
    with page.expect_navigation():
        page.locator("#dialog button[type=submit]").click()
    expect(page.get_by_text("The look-up was asked for")).to_be_visible()
    assert outbox.sent == [LookUpRequested(ContactLookUp.objects.get().pk)]
    person.keep("looked-up")
    assert person.complaints == []

    reader = opened(world.ours.reviewer, "zh-hans", 390)
    reader.go("/admin/records/addressee/")
    reader.keep("addressees-of-a-reviewer")
    assert reader.complaints == []
    open_section(reader, site, "通知对象")
    expect(reader.page.get_by_text("停止侵权告知函").first).to_be_visible()
    expect(reader.page.get_by_text("设为通知对象")).to_have_count(0)
    reader.keep("reviewer-on-a-telephone")
