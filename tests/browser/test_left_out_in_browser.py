"""A reviewer leaves a passage out, marks noise and overrules an exclusion, in a real browser."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from records.cases.passages import exclude_passages
from records.models import CaseMatch, ExcludedPassage, IgnoredText, Overruling
from tests.support import browser
from tests.support.corpus_texts import story, with_homophones
from tests.support.desk_chain import DeskChain

pytestmark = pytest.mark.django_db(transaction=True)
CHAPTER = story(3)
ADVERT = "请收藏本站新网址免费阅读最新章节"
COPY = CHAPTER[:400] + ADVERT + CHAPTER[400:700] + story(92, 30) + CHAPTER[900:1500]


@pytest.fixture
def desk(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> DeskChain:
    return DeskChain(monkeypatch, CHAPTER)


@pytest.fixture
def reviewer(opened: browser.Opened, desk: DeskChain) -> browser.Visitor:
    return opened(User.objects.get(username="li"))


def test_a_passage_that_is_left_out_has_another_tint_and_comes_back(reviewer: browser.Visitor, desk: DeskChain) -> None:
    desk.compare(COPY)
    page = reviewer.page
    reviewer.go(f"/admin/records/case/{desk.case.pk}/change/")
    expect(page.locator(".zw-passage.zw-out")).to_have_count(0)
    page.click("text=Leave out a passage or the chapter")
    page.check("input[name=passage][value='2']")
    page.select_option("#zw-out-reason", "quotation")
    reviewer.leave_by("button[name=do][value=passage]")
    expect(page.locator('.zw-passage.zw-out[data-passages="2"]')).to_have_count(2)
    assert page.locator(".zw-passage.zw-out").first.get_attribute("aria-label") == "Passage 2 · does not count"
    assert ExcludedPassage.objects.get().text == CHAPTER[900:1500]
    reviewer.leave_by("button[name=do][value='passage-back']")
    expect(page.locator(".zw-passage.zw-out")).to_have_count(0)
    assert reviewer.complaints == []


def test_a_part_of_a_passage_has_the_other_tint_on_both_sides(reviewer: browser.Visitor, desk: DeskChain) -> None:
    desk.compare(with_homophones(CHAPTER[:600], 0.2))
    match = CaseMatch.objects.get()
    exclude_passages(match, [CHAPTER[100:160]], desk.reviewer, reason="set_wording")
    reviewer.go(f"/admin/records/case/{desk.case.pk}/change/")
    expect(reviewer.page.locator(".zw-passage.zw-partly-out")).to_have_count(2)
    tinted = reviewer.page.evaluate("() => [...CSS.highlights.get('zw-out')].map((range) => range.toString())")
    assert [text[1:-1] in CHAPTER[100:160] for text in tinted] == [True, False]
    copied = match.spans[0]["page_excerpt"]
    assert tinted[1] in copied
    assert [abs(len(text) - 60) < 4 for text in tinted] == [True, True]
    assert reviewer.complaints == []


def test_text_that_is_selected_in_a_column_goes_into_the_form(reviewer: browser.Visitor, desk: DeskChain) -> None:
    desk.compare(COPY)
    page = reviewer.page
    reviewer.go(f"/admin/records/case/{desk.case.pk}/change/")
    page.click("text=This is noise of the site")
    page.evaluate(
        "() => { const range = document.createRange();"
        " range.selectNodeContents(document.querySelector('[data-side=page] .zw-inserted'));"
        " const selection = getSelection(); selection.removeAllRanges(); selection.addRange(range); }"
    )
    page.click("[data-take-selection=zw-noise-text]")
    assert page.input_value("#zw-noise-text") == ADVERT
    reviewer.leave_by("button[name=do][value=noise]")
    assert IgnoredText.objects.get().text == ADVERT
    assert desk.case.similarity == 1.0
    assert reviewer.complaints == []


def test_an_exclusion_is_opened_from_its_list_compared_and_overruled(
    reviewer: browser.Visitor, desk: DeskChain
) -> None:
    desk.compare(story(91, 30) + "书中说：“" + CHAPTER[40:75] + "”" + story(92, 30))
    page = reviewer.page
    reviewer.go("/admin/records/exclusion/")
    reviewer.leave_by(f'a[href*="/exclusion/{desk.exclusion.pk}/change/"]')
    assert CHAPTER[40:75] in (page.locator('[data-side="page"] .zw-passage').text_content() or "")
    page.keyboard.press("Shift+N")
    expect(page.locator(".zw-passage.is-linked")).to_have_count(2)
    page.fill("textarea[name=note]", "照搬")
    reviewer.leave_by("button[value=overrule]")
    assert Overruling.objects.get().note == "照搬"
    assert reviewer.complaints == []
