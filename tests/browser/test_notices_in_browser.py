"""A manager goes from a confirmed infringement to a notice whose files are fixed, in a real browser."""

import io
from pathlib import Path

import docx
import pytest
from playwright.sync_api import expect

from records import stores
from records.models import Notice
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from tests.support.memory_evidence import MemoryEvidenceStore

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    made, kept = admin_data.fill_world(cases=5), MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    case_texts.keep_estate(case_texts.use(monkeypatch), made.ours)
    admin_data.author_alias(made.ours.holder, "林栖", made.ours.identity.legal_name)
    return made


def words_of(path: str | Path) -> str:
    return "\n".join(paragraph.text for paragraph in docx.Document(io.BytesIO(Path(path).read_bytes())).paragraphs)


def test_from_the_verdict_to_the_confirmed_notice(opened: browser.Opened, world: World) -> None:
    person, case = opened(world.ours.manager), world.ours.cases[0]
    page = person.page
    person.go(f"/admin/matters/{case.matter_id}/")
    expect(page.get_by_role("button", name="Draft a notice")).to_have_count(0)
    person.go(f"/admin/records/case/{case.pk}/change/")
    person.leave_by('button[name=verdict][value="confirmed"]')
    person.go(f"/admin/matters/{case.matter_id}/")
    page.select_option("select[name=to]", "article_14")
    person.leave_by("form[action*='notice/draft'] button")
    expect(page.locator(".notice-lacks")).to_contain_text("addressee name")
    person.leave_by("text=Look at it (PDF)")
    expect(page.locator(".desk-messages")).to_contain_text("still empty: addressee name")
    page.fill("[name=addressee_name]", "墨香云存储公司")
    person.leave_by("button[value=save]")
    expect(page.locator("#notice-standing")).to_have_text("Ready to be confirmed")
    with page.expect_download() as looked_at:
        page.click("text=Look at it (Word)")
    assert "致：墨香云存储公司" in words_of(looked_at.value.path())
    page.fill("[name=demands]", "请立即删除。")
    person.leave_by("button[value=confirm]")
    expect(page.locator(".desk-messages")).to_contain_text("Nothing was sent")
    expect(page.locator("[name=demands]")).to_be_disabled()
    with page.expect_download() as kept:
        page.locator("#notice-files + ul a").first.click()
    assert "请立即删除。" in words_of(kept.value.path())
    page.fill(".notice-note input", "先联系对方")
    person.leave_by("button[value=withdraw]")
    expect(page.locator("#notice-events + ol")).to_contain_text("先联系对方")
    assert Notice.objects.latest("pk").state == Notice.State.WITHDRAWN
    assert person.complaints == []
