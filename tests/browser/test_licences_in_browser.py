"""A manager calls pages licensed and makes their licences in a real browser: by keys, by pointer, without scripts."""

import pytest
from playwright.sync_api import expect

from core.states import Verdict
from tests.support import browser
from tests.support.admin_data import World
from tests.support.desk import record_url
from webadmin.cases.models import Case
from webadmin.works.models import Licence

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("texts")]
CASES = 7


def make_licence(world: World) -> Licence:
    return Licence.objects.filter(rights_holder=world.ours.holder).latest("pk")


def test_three_licences_are_made_by_key_pointer_and_without_scripts(opened: browser.Opened, world: World) -> None:
    person = opened(world.ours.manager)
    page, (first, second) = person.page, (world.ours.cases[0], world.ours.cases[3])
    host = world.ours.sites[0].domains.get().host

    person.go(record_url(first))
    scopes = page.locator(".zw-scopes")
    expect(scopes).to_contain_text(f"This work on {host} Sets aside no other open case")
    page.keyboard.press("l")
    expect(scopes.locator("[value=page]")).to_be_focused()
    expect(scopes.locator("[value=page]")).to_be_checked()
    page.keyboard.press("Enter")
    page.locator("#zw-licensee").press("Enter")
    assert not first.verdicts.exists(), "a verdict is given by its button or its key, never by Enter in a field"
    scopes.locator("[value=page]").focus()
    with page.expect_navigation():
        page.keyboard.press("2")
    expect(page.locator(".zw-undo")).to_contain_text("Licence created")
    licence = make_licence(world)
    assert (licence.address, licence.work) == (first.page_url, first.work)
    assert Case.objects.get(pk=first.pk).verdict == Verdict.LICENSED
    with page.expect_navigation():
        page.keyboard.press("u")
    assert not Licence.objects.filter(pk=licence.pk).exists()

    person.go(record_url(second))
    page.get_by_label("this work on").check()
    page.fill("#zw-licensee", "云笺书城")
    person.leave_by('button[name=verdict][value="licensed"]')
    licence = make_licence(world)
    assert (licence.address, licence.work, licence.licensee) == ("", second.work, "云笺书城")
    assert person.complaints == []

    plain = opened(world.ours.manager, runs_scripts=False)
    plain.go(record_url(first))
    plain.page.get_by_label("all works on").check()
    plain.page.press("#zw-licensee", "Enter")
    assert Case.objects.get(pk=first.pk).verdict == ""
    plain.leave_by('button[name=verdict][value="licensed"]')
    licence = make_licence(world)
    assert (licence.address, licence.work, licence.domain) == ("", None, host)
