"""The inbox by keyboard, mouse and without scripts, in a real browser against a real server."""

import pytest
from playwright.sync_api import expect

from core.states import CaseState
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from webadmin.cases.models import Case

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = admin_data.PASSWORD


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """Twelve pages of two sites: ten wait for a decision."""
    filled = admin_data.fill_world(cases=12)
    case_texts.keep_estate(case_texts.use(monkeypatch), filled.ours)
    return filled


@pytest.fixture
def reviewer(opened: browser.Opened, world: World) -> browser.Visitor:
    at_work = opened(world.ours.reviewer)
    at_work.go("/admin/")
    return at_work


def open_cases(world: World) -> int:
    return Case.objects.filter(rights_holder=world.ours.holder, state=CaseState.OPEN).count()


def test_ten_cases_of_two_matters_are_decided_by_eleven_keys(reviewer: browser.Visitor, world: World) -> None:
    assert open_cases(world) == 10
    with reviewer.page.expect_navigation():
        reviewer.page.keyboard.press("e")
    for number in range(10):
        expect(reviewer.page.locator(".zw-side")).to_be_visible()
        with reviewer.page.expect_navigation():
            reviewer.page.keyboard.press("162345"[number % 6])
    assert open_cases(world) == 0
    assert reviewer.complaints == []


def test_arrows_move_the_preview_and_keys_choose_and_decide(reviewer: browser.Visitor, world: World) -> None:
    page = reviewer.page
    titles = page.locator(".inbox-open").all_text_contents()
    assert len(titles) == 2
    expect(page.locator("#inbox-preview h2")).to_have_text(titles[0])
    page.keyboard.press("ArrowDown")
    expect(page.locator("#inbox-preview h2")).to_have_text(titles[1])
    expect(page.locator(".inbox-matter.is-current .inbox-open")).to_have_text(titles[1])
    page.keyboard.press("k")
    expect(page.locator("#inbox-preview h2")).to_have_text(titles[0])

    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("[data-chosen]")).to_have_text("2")
    before = open_cases(world)
    reviewer.leave_by('button[value="decide_confirmed"]')
    assert open_cases(world) == before, "first the plan"
    expect(page.locator("h3").first).to_contain_text(f"{before} cases")
    reviewer.leave_by(".zw-button")
    assert open_cases(world) == 0
    with page.expect_navigation():
        page.keyboard.press("u")
    assert open_cases(world) == before
    assert reviewer.complaints == []


def test_the_help_opens_by_key_and_keys_write_in_the_search(reviewer: browser.Visitor) -> None:
    page = reviewer.page
    page.keyboard.press("?")
    expect(page.locator("dialog.inbox-keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("1xe")
    expect(page.locator(".inbox-search input[type=search]")).to_have_value("1xe")


def test_the_inbox_works_without_scripts(opened: browser.Opened, world: World, reviewer: browser.Visitor) -> None:
    at_work = opened(world.ours.reviewer, runs_scripts=False)
    at_work.go("/admin/")
    before = open_cases(world)
    at_work.page.check(".inbox-matter input >> nth=0")
    at_work.leave_by('button[value="decide_false_alarm"]')
    at_work.leave_by(".zw-button")
    assert 0 < open_cases(world) < before
    at_work.leave_by(".inbox-undo button")
    assert open_cases(world) == before
    at_work.leave_by(".inbox-open >> nth=0")
    expect(at_work.page.locator(".zw-case")).to_be_visible()
