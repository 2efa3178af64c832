"""A manager sends works, and a reviewer works through a list, in a real browser against a real server."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.states import CaseState, Verdict
from tests.support import browser, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import CollectingOutbox
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.works.models import Work

pytestmark = pytest.mark.django_db(transaction=True)
CASES = 11

CHAPTERS = (
    "第一章 水位\n\n渡口的灯是在立冬那天熄的，江面起了雾，对岸的码头像一行被水洇开的字。\n\n",
    "第二章 暗号\n\n夜里有人敲舱板，三下，停一停，又两下，那是他和弟弟约好的暗号。\n\n",
    "第三章 船票\n\n布包里是一叠旧船票，日期都是立冬，最后一张上面写着明天。\n",
)


@pytest.fixture
def texts(world: World, monkeypatch: pytest.MonkeyPatch) -> Texts:
    kept = case_texts.use(monkeypatch)
    case_texts.keep_estate(kept, world.ours)
    outbox = CollectingOutbox()
    monkeypatch.setattr(stores, "outbox", lambda: outbox)
    return kept


def test_a_manager_uploads_a_work(opened: browser.Opened, world: World, texts: Texts, tmp_path: Path) -> None:
    novel, picture = tmp_path / "《夜航》作者：闻笛.txt", tmp_path / "封面.jpg"
    novel.write_text("".join(CHAPTERS[:2]), encoding="gb18030")
    picture.write_bytes(b"\xff\xd8\xff")
    at_work = opened(world.ours.manager)
    page = at_work.page
    at_work.go("/admin/works/work/")
    at_work.leave_by('a[href="/admin/works/work/add/"]')
    page.set_input_files("input[type=file]", [novel, picture])
    at_work.leave_by(".zw-send button[type=submit]")
    assert not Work.objects.filter(title="夜航").exists(), "first what it would do"
    at_work.leave_by('button[value="confirm"]')
    results = page.locator(".zw-table tbody tr")
    expect(results).to_have_count(1)
    expect(results).to_contain_text("《夜航》")
    assert results.locator(".zw-num").all_text_contents()[:4] == ["2", "0", "0", "0"]
    expect(page.locator(".zw-faults li")).to_have_count(1)
    expect(page.locator(".zw-faults li")).to_contain_text("封面.jpg: is not a supported file")

    results.locator("a").click()
    expect(page.locator("input[name=title]")).to_have_value("夜航")
    work = Work.objects.get(title="夜航")
    assert (work.rights_holder, work.author, work.chapters.count()) == (world.ours.holder, "闻笛", 2)
    assert all(texts.works.text(chapter.text_id) is not None for chapter in work.chapters.all())
    assert at_work.complaints == []


def test_too_large_files_are_told_at_once(opened: browser.Opened, world: World, texts: Texts, tmp_path: Path) -> None:
    large = tmp_path / "大.txt"
    with large.open("wb") as file:
        file.truncate(33 * 1024 * 1024)
    at_work = opened(world.ours.manager, "zh-CN")
    at_work.go("/admin/works/work/add/")
    at_work.page.set_input_files("input[type=file]", large)
    expect(at_work.page.locator(".zw-too-much")).to_have_text("所选文件合计 33 MB；一次最多上传 32 MB。")
    at_work.page.click(".zw-send button[type=submit]")
    expect(at_work.page.locator(".zw-send button[type=submit]")).to_be_enabled()
    expect(at_work.page.locator(".zw-too-much")).to_be_visible()
    assert at_work.complaints == []


def test_a_reviewer_decides_case_after_case_of_a_class(opened: browser.Opened, world: World, texts: Texts) -> None:
    at_work = opened(world.ours.reviewer)
    page = at_work.page
    wanted = [case for case in world.ours.cases if case.match_class == "identical"]
    assert 0 < len(wanted) < len(world.ours.cases)
    at_work.go("/admin/cases/case/")
    page.click('#zw-none, a:has-text("Filters")')
    page.select_option("select[name=match_class__exact]", "identical", force=True)
    page.click('button:has-text("Apply Filters")')
    page.wait_for_url("**match_class__exact=identical**")
    rows = page.locator("#result_list tbody .field-case a")
    expect(rows).to_have_count(len(wanted))
    expect(page.locator("#result_list .field-class_and_share").first).to_contain_text("identical")

    first = max((case for case in wanted if case.state == CaseState.OPEN), key=lambda case: (case.opened_at, case.pk))
    at_work.leave_by(f'a[href*="/case/{first.pk}/change/"]')
    expect(page.locator(".zw-badges")).to_contain_text("identical")
    listed = [case.pk for case in sorted(wanted, key=lambda case: (case.opened_at, case.pk), reverse=True)]
    place = listed.index(first.pk)
    expect(page.locator(".zw-place")).to_have_text(f"{place + 1} / {len(listed)}")
    page.keyboard.press("3")
    page.wait_for_selector(".zw-undo")
    assert Case.objects.get(pk=first.pk).verdict == Verdict.FAIR_USE
    assert read_chart(page) == listed[place + 1]
    expect(page.locator(".zw-place")).to_have_text(f"{place + 2} / {len(listed)}")

    with page.expect_navigation():
        page.keyboard.press("u")
    expect(page.locator(".zw-decided")).to_have_count(0)
    assert read_chart(page) == first.pk
    undone = Case.objects.get(pk=first.pk)
    assert (undone.state, [record.verdict for record in undone.verdicts.all()]) == (CaseState.OPEN, ["", "fair_use"])
    with page.expect_navigation():
        page.keyboard.press("j")
    assert read_chart(page) == listed[place + 1]
    at_work.leave_by('.zw-neighbours a >> text="Back to the list"')
    assert "match_class__exact=identical" in page.url
    assert at_work.complaints == []


def read_chart(page: Page) -> int:
    """The case that is open."""
    return int(page.url.split("/case/")[1].split("/")[0])
