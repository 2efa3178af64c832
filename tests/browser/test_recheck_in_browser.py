"""A page that is checked again: asked for with one button, and told until it is done without a reload."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support import admin_data, browser, case_texts
from tests.support.desk import CollectingOutbox, record_url
from webadmin import stores
from webadmin.sites.models import CrawlRun, PageRecheck

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_came_of_it_is_shown_without_a_reload(
    opened: browser.Opened, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = admin_data.fill_world(cases=2)
    case_texts.use(monkeypatch)
    monkeypatch.setattr(stores, "outbox", CollectingOutbox)
    case = world.ours.cases[0]
    CrawlRun.objects.filter(site=case.page.site).update(state="finished")
    reviewer = opened(world.ours.reviewer)
    page = reviewer.page
    reviewer.go(record_url(case))
    with page.expect_navigation():
        page.get_by_role("button", name="Check this page again now").click()
    said = page.locator("[data-recheck-said]")
    expect(said).to_have_text("The check is waiting for a free crawler.")
    expect(page.get_by_role("button", name="Check this page again now")).to_have_count(0)
    page.evaluate("document.body.dataset.same = 'yes'")
    PageRecheck.objects.update(outcome="unchanged", ended_at=timezone.now())
    expect(said).to_contain_text("the page is unchanged.", timeout=30_000)
    assert page.evaluate("document.body.dataset.same") == "yes"
    assert PageRecheck.objects.count() == 1
    assert reviewer.complaints == []
