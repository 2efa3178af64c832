"""The page of a case as text, as it came and as a picture, and a case on a phone, in a real browser."""

import pytest
from playwright.sync_api import Route, expect

from core.marks import Mark
from core.text import TextRange
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from webadmin.cases.models import Case
from webadmin.evidence.models import EvidenceBundle

pytestmark = pytest.mark.django_db(transaction=True)

WORK = "渡口的灯是在立冬那天熄的。\n老周把船缆系好。\n江面起了雾。\n"
PAGE = "序言\n度口的灯是在立冬那天熄的。\n老周把船缆系好。\n江面起了雾。\n完\n"
HIDDEN = "盗版必究"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)


@pytest.fixture
def case(world: World, monkeypatch: pytest.MonkeyPatch) -> Case:
    """A copied chapter in which one character was changed, with hidden text and a screenshot."""
    case = world.ours.cases[3]
    at = PAGE.index("老周")
    raw = PAGE[:at] + HIDDEN + PAGE[at:]
    marks = (Mark("hidden_text", TextRange(at, at + len(HIDDEN)), TextRange(at, at)),)
    case_texts.use(monkeypatch).keep_case(case, PAGE, WORK, raw_text=raw, marks=marks)
    span = {"page": [3, 3 + len(WORK)], "work": [0, len(WORK)], "similarity": 0.9,
            "page_excerpt": PAGE[3 : 3 + len(WORK)], "work_excerpt": WORK,
            "changes": [["homophone", 3, 4, 0, 1]]}  # fmt: skip
    case.matches.update(spans=[span])
    admin_data.evidence_bundle(case, kind=EvidenceBundle.Kind.DRAWN)
    return case


def picture(route: Route) -> None:
    route.fulfill(body=PIXEL, content_type="image/png")


def at_case(opened: browser.Opened, world: World, case: Case, width: int = 1440) -> browser.Visitor:
    reviewer = opened(world.ours.reviewer, width=width)
    reviewer.page.route("**/*shown=screenshot*", picture)
    reviewer.go(f"/admin/cases/case/{case.pk}/change/")
    return reviewer


def test_key_and_mouse_switch_the_page_within_the_case(opened: browser.Opened, world: World, case: Case) -> None:
    reviewer = at_case(opened, world, case)
    page = reviewer.page
    address = page.url
    column = page.locator('.zw-column[data-side="page"]')
    page.fill("textarea[name=note]", "先不定")
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    expect(column.locator(".zw-came-hidden_text").last).to_have_text(HIDDEN)
    expect(column.locator(".zw-views [aria-current]")).to_have_text("As received")
    page.keyboard.press("Shift+N")
    expect(column.locator(".zw-passage.is-linked").first).to_contain_text("度口的灯")
    page.keyboard.press("v")
    expect(column.get_by_role("img", name="Screenshot of the page")).to_have_js_property("naturalWidth", 1)
    column.get_by_role("link", name="Text", exact=True).click()
    expect(column.locator(".zw-homophone")).to_have_text("度")
    expect(column.get_by_role("link", name="Text", exact=True)).to_be_focused()
    assert page.url == address
    assert page.locator("textarea[name=note]").input_value() == "先不定"
    assert reviewer.complaints == []


def test_a_phone_shows_page_and_work_passage_in_turn(opened: browser.Opened, world: World, case: Case) -> None:
    reviewer = at_case(opened, world, case, width=390)
    page = reviewer.page
    page.set_viewport_size({"width": 390, "height": 844})
    column = page.locator('.zw-column[data-side="page"]')
    stands = column.locator("[data-pair], .zw-of-work").all_inner_texts()
    lines = [line for line in WORK.split("\n") if line]
    assert [each.strip().removeprefix("1") for each in stands] == [
        each for line in lines for each in (line.replace("渡口", "度口"), line)
    ]
    expect(page.locator('.zw-column[data-side="work"]')).to_be_hidden()
    for verdict in page.locator(".zw-side .zw-choice").all():
        expect(verdict).to_be_in_viewport()
    page.keyboard.press("n")
    expect(column.locator(".zw-change.is-linked")).to_have_text(["度", "渡"])
    page.get_by_label("Passage by passage").uncheck()
    expect(page.locator('.zw-column[data-side="work"]')).to_be_visible()
    expect(column.locator(".zw-of-work")).to_have_count(0)
    page.get_by_label("Passage by passage").check()
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(page.locator('.zw-column[data-side="work"]')).to_be_visible()
    expect(column.locator(".zw-of-work")).to_have_count(0)
    assert reviewer.complaints == []
