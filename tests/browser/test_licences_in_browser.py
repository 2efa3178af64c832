"""A manager calls pages licensed and makes their licences in a real browser: by keys, by pointer, without scripts."""

import pytest
from playwright.sync_api import Browser, expect

from core.states import Verdict
from records.models import Case, Licence
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    made = admin_data.fill_world(cases=7)
    case_texts.keep_estate(case_texts.use(monkeypatch), made.ours)
    return made


def case_path(case: Case) -> str:
    return f"/admin/records/case/{case.pk}/change/"


def made(world: World) -> Licence:
    return Licence.objects.filter(rights_holder=world.ours.holder).latest("pk")


def test_the_three_licences_are_made_by_key_by_pointer_and_without_scripts(
    chromium: Browser, live_server: object, world: World
) -> None:
    person = browser.visitor(chromium, str(live_server))
    person.log_in(world.ours.manager)
    page, (first, second) = person.page, (world.ours.cases[0], world.ours.cases[3])
    host = world.ours.sites[0].domains.get().host

    person.go(case_path(first))
    scopes = page.locator(".zw-scopes")
    expect(scopes).to_contain_text(f"this work on {host} sets aside")
    page.keyboard.press("l")
    expect(scopes.locator("[value=page]")).to_be_focused()
    expect(scopes.locator("[value=page]")).to_be_checked()
    page.keyboard.press("Enter")
    page.locator("#zw-licensee").press("Enter")
    assert not first.verdicts.exists(), "a verdict is given by its button or its key, never by Enter in a field"
    scopes.locator("[value=page]").focus()
    with page.expect_navigation():
        page.keyboard.press("2")
    expect(page.locator(".zw-undo")).to_contain_text("Licence made")
    licence = made(world)
    assert (licence.address, licence.work) == (first.page_url, first.work)
    assert Case.objects.get(pk=first.pk).verdict == Verdict.LICENSED
    with page.expect_navigation():
        page.keyboard.press("u")
    assert not Licence.objects.filter(pk=licence.pk).exists()

    person.go(case_path(second))
    page.get_by_label("this work on").check()
    page.fill("#zw-licensee", "云笺书城")
    person.leave_by('button[name=verdict][value="licensed"]')
    licence = made(world)
    assert (licence.address, licence.work, licence.licensee) == ("", second.work, "云笺书城")
    assert person.complaints == []

    plain = browser.visitor(chromium, str(live_server), runs_scripts=False)
    plain.page.context.add_cookies(page.context.cookies())  # the form to log in needs Unfold's script
    plain.go(case_path(first))
    plain.page.get_by_label("all works on").check()
    plain.page.press("#zw-licensee", "Enter")
    assert Case.objects.get(pk=first.pk).verdict == ""
    plain.leave_by('button[name=verdict][value="licensed"]')
    licence = made(world)
    assert (licence.address, licence.work, licence.domain) == ("", None, host)
