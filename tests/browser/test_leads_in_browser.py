"""A reviewer goes from the list of leads to a page and a work side by side, and says what it is, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support import admin_data, browser, case_texts
from webadmin.rewrites.models import RewordedLead

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lead(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> RewordedLead:
    estate = admin_data.fill_estate("长河文学", "changhe", cases=1)
    case_texts.keep_estate(case_texts.use(monkeypatch), estate)
    estate.lead.refresh_from_db()
    return estate.lead


def test_from_the_list_to_the_page_to_a_verdict_on_a_telephone(opened: browser.Opened, lead: RewordedLead) -> None:
    visitor = opened(lead.rights_holder.memberships.get(role="reviewer").user, "zh-CN", 390)
    page = visitor.page
    visitor.go("/admin/rewrites/rewordedlead/?state__exact=waiting")
    visitor.leave_by(f'a[href*="/rewordedlead/{lead.pk}/change/"]')
    expect(page.locator(".lead-caution")).to_contain_text("本结果为语义的统计比对")
    row = page.locator(".lead-row[id]").first
    said, counterpart = row.locator(".lead-page").bounding_box(), row.locator(".lead-work").bounding_box()
    assert said["y"] + said["height"] <= counterpart["y"], "one under the other"
    assert page.evaluate("document.documentElement.scrollWidth") == 390, "nothing is wider than the telephone"
    page.set_viewport_size({"width": 1280, "height": 900})
    said, counterpart = row.locator(".lead-page").bounding_box(), row.locator(".lead-work").bounding_box()
    assert abs(said["y"] - counterpart["y"]) < 2, "side by side"
    page.locator("#lead-note").press("Tab")  # what stands behind it is reached by the keyboard, what stands before too
    page.locator(".lead-choices button[value=confirmed]").focus()
    page.fill("#lead-note", "逐句改写")
    with page.expect_navigation():
        page.press(".lead-choices button[value=confirmed]", "Enter")
    expect(page.locator(".desk-messages")).to_have_text("线索已确认。")
    expect(page.locator(".lead-history li")).to_contain_text("逐句改写")
    assert lead.verdicts.get().verdict == "confirmed"
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in {"serious", "critical"}] == []
    assert (visitor.complaints, visitor.alerts) == ([], [])
