"""The whole book in a real browser: it is walked by its strip, and fits on a telephone."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from tests.support import browser, case_texts
from tests.support.admin_data import World
from tests.support.book_copies import CHARS, book, carry

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 2

BEGUN = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)


def test_a_book_fits_and_its_strip_leads(opened: browser.Opened, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    case_texts.use(monkeypatch)
    work, site = book(world.ours.holder, 250, published_from=BEGUN), world.ours.sites[0]
    carry(site, work, 8, {3: range(CHARS)}, BEGUN)
    carry(site, work, 9, {230: range(CHARS)}, BEGUN + timedelta(days=229, hours=-2))
    reader = opened(world.ours.reviewer, width=390)
    page = reader.page
    reader.go(f"/admin/works/work/{work.pk}/on/{site.pk}/")
    for cell in page.locator("#c3 > *").all():
        box = cell.bounding_box()
        assert box["x"] + box["width"] <= 390
    page.set_viewport_size({"width": 1440, "height": 900})
    with page.expect_navigation():
        page.locator(".zw-strip[role=img] i").nth(229).click()
    expect(page.locator("tr:target")).to_contain_text("2 hours early")
    expect(page.locator("tr:target th")).to_contain_text("第230章")
    assert reader.complaints == []
