"""A reviewer at work, in a real browser against a real server."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from core.messages import OpinionsRequested
from core.states import Verdict
from records.models import Case
from records.opinions.asking import ask
from records.opinions.requests import Subject, request_opinions
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.corpus_texts import story, with_homophones
from tests.support.desk import CollectingOutbox, record_url

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_reviewer_finds_a_case_reads_it_and_decides_it(reviewer: browser.Visitor, world: World) -> None:
    page, case = reviewer.page, world.ours.cases[3]
    reviewer.go("/admin/records/case/")
    reviewer.leave_by(f'a[href*="/case/{case.pk}/change/"]')
    expect(page.locator(".zw-compare")).to_be_visible()

    work, copy = page.locator('[data-side="work"]'), page.locator('[data-side="page"]')
    assert work.locator(".zw-passage").all_text_contents() == [admin_data.WORK_TEXT]
    (copied,) = copy.locator(".zw-passage").all_text_contents()
    assert copied.startswith("度口的灯是在立冬那天熄的。")
    assert admin_data.ADVERT in copied
    assert work.locator(".zw-homophone").all_text_contents() == ["渡", "雾", "码", "暗", "雾", "票"]
    assert copy.locator(".zw-homophone").all_text_contents() == ["度", "务", "马", "按", "务", "漂"]
    assert copy.locator(".zw-inserted").all_text_contents() == [admin_data.ADVERT]

    page.fill("textarea[name=note]", "同音字替换，逐段照搬")
    page.select_option("select[name=reason]", index=1)
    reviewer.leave_by('button[name=verdict][value="confirmed"]')
    expect(page.locator(".zw-undo")).to_contain_text("infringement")
    reviewer.go(record_url(case))
    expect(page.locator(".zw-decided")).to_contain_text("infringement")
    expect(page.locator(".zw-decided")).to_contain_text("changhe-reviewer")
    decided = Case.objects.get(pk=case.pk)
    assert decided.verdict == Verdict.CONFIRMED
    assert decided.decision is not None
    assert decided.decision.note == "The whole chapter was published without a licence.\n同音字替换，逐段照搬"
    expect(page.locator(".zw-halves .zw-timeline").first).to_contain_text("同音字替换，逐段照搬")
    assert reviewer.complaints == []


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


def asked(case: Case, texts: Texts, page: str, work: str) -> None:
    """Let the published engines judge a case with these texts."""
    texts.keep_case(case, page, work)
    ask(Subject(case.pk, case.version_id), texts.pages, texts.works, admin_data.NOW)


def test_the_engines_that_agree_stand_first_and_the_others_unfold(
    reviewer: browser.Visitor, world: World, texts: Texts
) -> None:
    page, case, work = reviewer.page, world.ours.cases[3], story(1, 80)
    asked(case, texts, with_homophones(work, 0.3), work)
    reviewer.go(record_url(case))
    section = page.locator("[data-opinions]")
    expect(section.locator(".zw-agree strong")).to_contain_text("engines agree")
    agreeing = section.locator("> table tbody tr")
    assert agreeing.count() == section.locator(".zw-tally .is-copy").count() + 1
    expect(agreeing.first).to_contain_text("zhuiwen")
    disagreeing = section.locator("details").first
    expect(disagreeing.get_by_text("exact-md5")).to_be_hidden()
    disagreeing.locator("summary").click()
    expect(disagreeing.get_by_text("exact-md5")).to_be_visible()
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
    expect(section).to_contain_text("The published engines are being asked")
    expect(section.get_by_role("status")).to_contain_text("The published engines are being asked")
    assert outbox.sent == [OpinionsRequested(case.pk, case.version_id)]

    ask(Subject(case.pk, case.version_id), texts.pages, texts.works, admin_data.NOW)
    expect(section.locator(".zw-agree strong")).to_contain_text("engines agree")
    expect(section.get_by_role("status")).to_contain_text("engines agree")
    expect(section.locator("summary").first).to_be_focused()
    section.locator("summary").first.click()
    expect(section.locator(".zw-agree")).to_be_hidden()
    section.locator("summary").first.click()
    expect(section.locator(".zw-agree")).to_be_visible()
    assert len(outbox.sent) == 1
    assert reviewer.complaints == []


def test_a_request_that_is_open_is_followed_up_by_whoever_looks_next(
    reviewer: browser.Visitor, world: World, texts: Texts, outbox: CollectingOutbox
) -> None:
    case = world.ours.cases[3]
    subject = Subject(case.pk, case.version_id)
    request_opinions(subject, timezone.now())
    reviewer.go(record_url(case))
    section = reviewer.page.locator(".zw-unfold")
    expect(section.locator('[data-opinions="asking"]')).to_be_visible()
    ask(subject, texts.pages, texts.works, admin_data.NOW)
    expect(section.locator('[data-opinions="answered"]')).to_be_visible()
    assert len(outbox.sent) == 1


def test_a_broker_that_is_away_is_said_where_the_section_unfolds_and_a_click_tries_again(
    reviewer: browser.Visitor, world: World, outbox: CollectingOutbox
) -> None:
    case = world.ours.cases[3]
    reviewer.go(record_url(case))
    section = reviewer.page.locator(".zw-unfold")
    outbox.is_away = True
    section.locator("summary").click()
    expect(section.locator(".zw-note")).to_contain_text("cannot be asked now: the message broker (Redis)")
    assert all("503" in complaint for complaint in reviewer.complaints)
    outbox.is_away = False
    section.get_by_role("button", name="Ask the engines").click()
    expect(section.locator('[data-opinions="asking"]')).to_be_visible()
    expect(section.locator(".zw-note")).to_have_count(0)
    assert outbox.sent == [OpinionsRequested(case.pk, case.version_id)]


def test_who_was_signed_out_meanwhile_is_told_to_reload(
    reviewer: browser.Visitor, world: World, outbox: CollectingOutbox
) -> None:
    reviewer.go(record_url(world.ours.cases[3]))
    reviewer.page.context.clear_cookies()
    section = reviewer.page.locator(".zw-unfold")
    section.locator("summary").click()
    expect(section.get_by_role("status")).to_have_text(
        "The desk gave no answer. Reload the page, and unfold this section again."
    )
    assert outbox.sent == []


def test_without_the_script_a_button_asks(
    opened: browser.Opened,
    reviewer: browser.Visitor,
    world: World,
    texts: Texts,
    outbox: CollectingOutbox,
) -> None:
    case = world.ours.cases[3]
    window = opened(world.ours.reviewer, runs_scripts=False)
    window.go(record_url(case))
    page = window.page
    page.locator(".zw-unfold > summary").click()
    page.get_by_role("button", name="Ask the engines").click()
    expect(page.locator('[data-opinions="asking"]')).to_be_visible()
    ask(Subject(case.pk, case.version_id), texts.pages, texts.works, admin_data.NOW)
    page.get_by_role("link", name="Look again").click()
    expect(page.locator('[data-opinions="answered"]')).to_be_visible()
    assert outbox.sent == [OpinionsRequested(case.pk, case.version_id)]


def test_the_engines_fit_on_a_telephone(opened: browser.Opened, world: World, texts: Texts) -> None:
    case, work = world.ours.cases[0], story(1, 80)
    asked(case, texts, work, work)
    narrow = opened(world.ours.reviewer, "zh-CN", width=420)
    narrow.go(record_url(case))
    expect(narrow.page.locator("#zw-opinions")).to_have_text("其他算法的判断")
    for summary in narrow.page.locator("[data-opinions] summary").all():
        summary.click()
    assert narrow.page.evaluate("document.documentElement.scrollWidth") <= 420
    assert narrow.complaints == []
