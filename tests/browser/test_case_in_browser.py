"""A reviewer at work, in a real browser against a real server."""

import pytest
from playwright.sync_api import expect

from core.messages import OpinionsRequested
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.corpus_texts import story, with_homophones
from tests.support.desk import CollectingOutbox, record_url
from webadmin.cases.services.opinions.asking import ask_engines
from webadmin.cases.services.opinions.requests import OpinionSubject

pytestmark = pytest.mark.django_db(transaction=True)


def test_passages_and_changes_are_linked_by_keyboard_and_pointer(reviewer: browser.Visitor, world: World) -> None:
    page = reviewer.page
    reviewer.go(record_url(world.ours.cases[3]))
    linked = page.locator(".zw-passage.is-linked")
    expect(linked).to_have_count(0)
    page.keyboard.press("Shift+N")
    expect(linked).to_have_count(2)
    expect(page.locator(".zw-where")).to_contain_text("Passage 1 of 1")
    page.keyboard.press("n")
    expect(page.locator(".zw-change.is-linked")).to_have_count(2)
    assert page.locator(".zw-change.is-linked").all_text_contents() == ["渡", "度"]
    expect(page.locator(".zw-where")).to_contain_text("homophone: work “渡”, page “度”")
    page.locator('[data-side="page"] .zw-homophone').nth(1).click()
    assert page.locator(".zw-change.is-linked").all_text_contents() == ["雾", "务"]
    page.locator("textarea[name=note]").fill("")
    page.locator("textarea[name=note]").press_sequentially("nj")
    assert page.locator("textarea[name=note]").input_value() == "nj"
    assert page.locator(".zw-change.is-linked").all_text_contents() == ["雾", "务"]
    assert reviewer.complaints == []


def test_the_other_side_scrolls_to_what_was_chosen(reviewer: browser.Visitor, world: World, texts: Texts) -> None:
    page, case = reviewer.page, world.ours.cases[3]
    work = "序。\n" * 400 + "渡口的灯是在立冬那天熄的。"
    copy = "渡口的灯是在立冬那天熄的。" + "尾\n" * 30
    start = work.index("渡口")
    span = {"page": [0, 13], "work": [start, start + 13], "similarity": 1.0, "page_excerpt": copy[:13],
            "work_excerpt": work[start:], "changes": []}  # fmt: skip
    case.matches.update(spans=[span])
    texts.keep_case(case, copy, work)
    reviewer.go(record_url(case))
    column = page.locator('[data-side="work"]')
    column.locator("summary").click()
    passage = column.locator(".zw-passage")
    assert passage.evaluate("e => e.getBoundingClientRect().top > e.closest('.zw-text').getBoundingClientRect().bottom")
    page.locator('[data-side="page"] .zw-passage').focus()
    page.keyboard.press("Enter")
    page.wait_for_function(
        "() => { const e = document.querySelector('[data-side=work] .zw-passage').getBoundingClientRect();"
        " const t = document.querySelector('[data-side=work] .zw-text').getBoundingClientRect();"
        " return e.top >= t.top && e.bottom <= t.bottom; }"
    )


def test_a_hostile_page_is_shown_and_does_nothing(reviewer: browser.Visitor, world: World, texts: Texts) -> None:
    page, case = reviewer.page, world.ours.cases[0]
    case_texts.keep_hostile(texts, case)
    reviewer.go(record_url(case))
    shown = page.locator('[data-side="page"] .zw-text').text_content() or ""
    assert "<script>alert('script')</script>" in shown
    assert "<img src=x onerror=alert('img')>" in shown
    assert "{{ 7|add:7 }}" in shown
    assert "\u202e" not in shown
    assert "\u200b" not in shown
    assert page.locator('.zw-text [data-mark="RLO"]').count() == 1
    assert page.locator('.zw-text [data-mark="ZWSP×2"]').count() == 1
    assert page.locator(".zw-case img, .zw-case script, .zw-case b").count() == 0
    page.locator('[data-side="page"] .zw-text').hover()
    page.mouse.wheel(0, 300)
    assert reviewer.alerts == []
    assert reviewer.complaints == []


def test_unfolding_the_section_has_the_engines_asked_and_shows_what_they_say(
    reviewer: browser.Visitor, world: World, texts: Texts, outbox: CollectingOutbox
) -> None:
    page, case, work = reviewer.page, world.ours.cases[3], story(1, 80)
    texts.keep_case(case, with_homophones(work, 0.3), work)
    reviewer.go(record_url(case))
    section = page.locator(".zw-unfold")
    expect(section.get_by_role("button")).to_be_hidden()
    assert outbox.sent == []

    section.locator("summary").click()
    expect(section).to_contain_text("The published engines are judging")
    expect(section.get_by_role("status")).to_contain_text("The published engines are judging")
    assert outbox.sent == [OpinionsRequested(case.pk, case.version_id)]

    ask_engines(OpinionSubject(case.pk, case.version_id), texts.pages, texts.works, admin_data.NOW)
    expect(section.locator(".zw-agree strong")).to_contain_text("engines agree")
    expect(section.get_by_role("status")).to_contain_text("engines agree")
    expect(section.locator("summary").first).to_be_focused()
    section.locator("summary").first.click()
    expect(section.locator(".zw-agree")).to_be_hidden()
    section.locator("summary").first.click()
    expect(section.locator(".zw-agree")).to_be_visible()
    assert len(outbox.sent) == 1
    assert reviewer.complaints == []


def test_texts_and_decision_are_within_one_screen(reviewer: browser.Visitor, world: World) -> None:
    reviewer.go(record_url(world.ours.cases[3]))
    height = reviewer.page.evaluate("innerHeight")
    for selector in (".zw-bar", ".zw-kinds", ".zw-choices", "#zw-note"):
        box = reviewer.page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= height, selector
    for side in ("work", "page"):
        box = reviewer.page.locator(f'[data-side="{side}"] .zw-text').bounding_box()
        assert min(height, box["y"] + box["height"]) - box["y"] >= 400, "twelve lines of text"


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
