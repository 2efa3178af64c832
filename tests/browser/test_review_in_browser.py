"""Many cases one after the other, in a real browser: one screen, keys, kinds of changes, columns that go together."""

import pytest
from playwright.sync_api import expect

from core.states import CaseState, Verdict
from records.models import Case
from tests.support import browser
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import record_url

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 10


def test_texts_and_decision_are_within_one_screen(reviewer: browser.Visitor, world: World) -> None:
    reviewer.go(record_url(world.ours.cases[3]))
    height = reviewer.page.evaluate("innerHeight")
    for selector in (".zw-bar", ".zw-kinds", ".zw-choices", "#zw-note"):
        box = reviewer.page.locator(selector).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height, selector
    for side in ("work", "page"):
        box = reviewer.page.locator(f'[data-side="{side}"] .zw-text').bounding_box()
        assert box is not None
        assert min(height, box["y"] + box["height"]) - box["y"] >= 400, "twelve lines of text"


def test_ten_cases_are_decided_by_ten_keys(reviewer: browser.Visitor, world: World) -> None:
    ours = Case.objects.filter(rights_holder=world.ours.holder)
    ours.update(state=CaseState.OPEN, decision=None, allowed_as="", allowed_by="")
    reviewer.go("/admin/records/case/?state__exact=open")
    reviewer.leave_by("#result_list tbody .field-case a")
    page = reviewer.page
    for number in range(10):
        expect(page.locator(".zw-place")).to_have_text(f"1 / {10 - number}")
        with page.expect_navigation():
            page.keyboard.press("1")
    assert {case.verdict for case in ours.select_related("decision")} == {Verdict.CONFIRMED}
    expect(page.locator(".zw-place")).to_have_text("no longer in the list")
    assert reviewer.complaints == []


def test_a_kind_of_change_is_switched_off_and_no_key_stops_at_it(reviewer: browser.Visitor, world: World) -> None:
    page = reviewer.page
    reviewer.go(record_url(world.ours.cases[3]))
    homophone = page.locator('[data-side="page"] .zw-homophone').first
    marked = "element => getComputedStyle(element).textDecorationLine"
    assert homophone.evaluate(marked) == "underline"
    page.click('.zw-kind[data-kind="homophone"]')
    expect(page.locator('.zw-kind[data-kind="homophone"]')).to_have_attribute("aria-pressed", "false")
    assert homophone.evaluate(marked) == "none"
    for _ in range(8):
        page.keyboard.press("n")
        assert page.locator(".zw-change.is-linked.zw-homophone").count() == 0
    expect(page.locator(".zw-change.is-linked").first).to_be_visible()


@pytest.mark.parametrize("together", [True, False])
def test_the_columns_scroll_together_by_their_passages(
    reviewer: browser.Visitor, world: World, texts: Texts, together: bool
) -> None:
    page, case = reviewer.page, world.ours.cases[3]
    lines = [f"第{number}夜，渡口的灯是在立冬那天熄的，江面起了雾。\n" for number in range(200)]
    copied, front = "".join(lines), "本站的话。\n" * 60
    copy = front + copied
    span = {"page": [len(front), len(copy)], "work": [0, len(copied)], "similarity": 1.0, "page_excerpt": copied,
            "work_excerpt": copied, "changes": []}  # fmt: skip
    case.matches.update(spans=[span])
    texts.keep_case(case, copy, copied)
    reviewer.go(record_url(case))
    if not together:
        page.uncheck(".zw-together")
    work, other = (page.locator(f'[data-side="{side}"] .zw-text') for side in ("work", "page"))
    work.hover()
    page.mouse.wheel(0, 3000)
    page.wait_for_function("document.querySelector('[data-side=work] .zw-text').scrollTop > 2000")
    if not together:
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert other.evaluate("element => element.scrollTop") == 0
        return
    page.wait_for_function(
        """() => {
            const seen = [...document.querySelectorAll(".zw-text")].map((text) => {
                const eye = text.getBoundingClientRect().top + text.clientHeight / 4;
                const pairs = [...text.querySelectorAll("[data-pair]")];
                return pairs.filter((pair) => pair.getBoundingClientRect().top <= eye + 1).at(-1)?.dataset.pair;
            });
            return seen[0] !== undefined && Number(seen[0]) > 5 && seen[0] === seen[1];
        }"""
    )
