"""Test that what is left out is tinted, and selected text becomes noise of the site, in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.support import browser
from tests.support.corpus_texts import story, with_homophones
from tests.support.desk_chain import DeskChain
from webadmin.accounts.models import User
from webadmin.cases.models import CaseMatch, IgnoredText
from webadmin.cases.services.passages import exclude_passages

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


def test_a_part_of_a_passage_has_the_other_tint_on_both_sides(reviewer: browser.Visitor, desk: DeskChain) -> None:
    desk.compare(with_homophones(CHAPTER[:600], 0.2))
    match = CaseMatch.objects.get()
    exclude_passages(match, [CHAPTER[100:160]], desk.reviewer, reason="set_wording")
    reviewer.go(f"/admin/cases/case/{desk.case.pk}/change/")
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
    reviewer.go(f"/admin/cases/case/{desk.case.pk}/change/")
    page.click("text=This is site noise")
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
