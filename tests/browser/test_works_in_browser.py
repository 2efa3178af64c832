"""Works in a real browser: a sending is looked at before it is confirmed, a long book is walked by its strip."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from matcher.index.memory import MemoryIndex
from records import stores
from records.models import Chapter
from tests.support import browser, case_texts
from tests.support.admin_data import World
from tests.support.book_copies import CHARS, book, carry

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 2

BEGUN = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
FIRST = "第一章 水位\n\n渡口的灯是在立冬那天熄的，江面起了雾，对岸的码头像一行被水洇开的字。\n\n"
SECOND = "第二章 暗号\n\n夜里有人敲舱板，三下，停一停，又两下，那是他和弟弟约好的暗号。\n"


@pytest.fixture
def manager(opened: browser.Opened, world: World, outbox: object, monkeypatch: pytest.MonkeyPatch) -> browser.Visitor:
    case_texts.use(monkeypatch)
    monkeypatch.setattr(stores, "index", MemoryIndex)
    return opened(world.ours.manager)


def send(manager: browser.Visitor, text: str) -> None:
    manager.go("/admin/records/work/add/")
    sent = {"name": "夜航.txt", "mimeType": "text/plain", "buffer": text.encode()}
    manager.page.set_input_files("input[type=file]", sent)  # type: ignore[arg-type]
    manager.leave_by(".zw-send button[type=submit]")


def test_a_sending_is_looked_at_confirmed_and_read(manager: browser.Visitor) -> None:
    page = manager.page
    send(manager, FIRST + SECOND)
    manager.leave_by("button[value=confirm]")
    send(manager, FIRST + SECOND.replace("三下", "五下"))
    expect(page.locator(".zw-diff del")).to_have_text("三")
    expect(page.locator(".zw-diff ins")).to_have_text("五")
    assert Chapter.objects.filter(work__title="夜航").count() == 2
    manager.leave_by("button[value=confirm]")
    work = Chapter.objects.filter(work__title="夜航")[0].work_id
    manager.go(f"/admin/records/work/{work}/change/")
    manager.leave_by("text=第二章 暗号")
    expect(page.locator(".zw-read")).to_contain_text("五下")
    manager.leave_by("a[rel=prev]")
    expect(page.locator("#zw-chapter")).to_have_text("第一章 水位")
    assert manager.complaints == []


def test_a_cell_of_the_strip_leads_to_its_chapter_on_another_page(manager: browser.Visitor, world: World) -> None:
    work, site = book(world.ours.holder, 250, published_from=BEGUN), world.ours.sites[0]
    carry(site, work, 9, {230: range(CHARS)}, BEGUN + timedelta(days=229, hours=-2))
    page = manager.page
    manager.go(f"/admin/records/work/{work.pk}/on/{site.pk}/")
    with page.expect_navigation():
        page.locator(".zw-strip[role=img] i").nth(229).click()
    expect(page.locator("tr:target")).to_contain_text("2 hours early")
    expect(page.locator("tr:target th")).to_contain_text("第230章")
    assert manager.complaints == []


def test_on_a_phone_nothing_of_the_book_is_beside_the_screen(
    opened: browser.Opened, manager: browser.Visitor, world: World
) -> None:
    work, site = book(world.ours.holder, 12, published_from=BEGUN), world.ours.sites[0]
    carry(site, work, 9, {3: range(CHARS)}, BEGUN)
    phone = opened(world.ours.reviewer, width=390)
    phone.go(f"/admin/records/work/{work.pk}/on/{site.pk}/")
    rows = phone.page.locator("#c3 > *")
    for place in range(rows.count()):
        box = rows.nth(place).bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
