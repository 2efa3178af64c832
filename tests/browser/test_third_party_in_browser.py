"""A manager enters what others made, has a page taken by others, reads the sheet and prints it, in a real browser."""

import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pypdf import PdfReader

from core.clock import ManualClock
from core.ids import VersionId
from pipeline import evidence
from pipeline.evidence import EvidencePorts
from records import stores
from records.models import Case, EvidenceBundle
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.parsed_reports import from_pdf

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """Two cases with a bundle each; the second is confirmed."""
    filled, texts, kept = admin_data.fill_world(cases=2), case_texts.use(monkeypatch), MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    case_texts.keep_estate(texts, filled.ours)
    ports = EvidencePorts(texts.pages, texts.works, kept, ManualClock(admin_data.NOW + timedelta(days=2)))
    for case in filled.ours.cases:
        evidence.bundle_version(VersionId(case.version_id), ports)
    return filled


def path(case: Case, page: str) -> str:
    return f"/admin/records/case/{case.pk}/{page}/"


@pytest.mark.parametrize(("language", "width"), [("zh-CN", 1440), ("en", 1440), ("zh-CN", 390)])
def test_a_paper_comes_in_a_capture_is_asked_for_and_the_sheet_is_printed(
    opened: browser.Opened, world: World, language: str, width: int, tmp_path: Path
) -> None:
    case = world.ours.cases[1]
    manager = opened(world.ours.manager, language, width)
    page, tag = manager.page, f"{language}-{width}"
    manager.go(path(case, "proofs"))
    page.fill("[name=asked]", "上海市某公证处")
    page.fill("[name=until]", (timezone.localdate() + timedelta(days=5)).isoformat())
    manager.leave_by("[value=ask]")
    deed = tmp_path / "存证证书.json"
    deed.write_text(f'{{"sha256": "{EvidenceBundle.objects.get(case=case).digest}"}}', "utf-8")
    page.select_option("[name=kind]", "chain")
    for name, text in (("issuer", "某存证中心"), ("number", "0x7a3f"), ("platform", "某司法链")):
        page.fill(f"[name={name}]", text)
    page.fill("[name=made_on]", "2026-03-11")
    page.set_input_files("[name=file]", deed)
    manager.leave_by("[value=add]")
    expect(page.locator("#content")).to_contain_text("0x7a3f")
    manager.keep(f"proofs-{tag}")
    assert_fits(page.evaluate)
    with page.expect_download() as waited:
        page.click("a[download]")
    assert Path(waited.value.path()).read_bytes() == deed.read_bytes()
    manager.leave_by("[value=done]")
    manager.keep(f"done-{tag}")
    manager.go(path(case, "factors"))
    assert_fits(page.evaluate)
    manager.keep(f"factors-{tag}")
    printed = page.pdf(format="A4")
    if browser.SHOTS:
        Path(browser.SHOTS, f"factors-{tag}.pdf").write_bytes(printed)
    text = "".join(from_pdf(printed).split())
    assert "changhe" in text
    assert len(PdfReader(io.BytesIO(printed)).pages) <= 4, "it is as wide as the paper"
    assert ("第三方材料" if language == "zh-CN" else "Whatothersmade") not in text, (
        "what is only pressed is not printed"
    )
    assert manager.complaints == []


def test_the_damages_of_a_matter_are_reckoned_on_the_screen(opened: browser.Opened, world: World) -> None:
    manager = opened(world.ours.manager, "zh-CN")
    manager.go(f"/admin/matters/{world.ours.cases[1].matter_id}/")
    manager.keep("matter")
    manager.leave_by("a[href$='/damages/']")
    manager.page.fill("[name=per_thousand]", "120")
    manager.page.fill("[name=source]", "许可合同 HT-9")
    manager.leave_by("form.tp-form button")
    expect(manager.page.locator("#content")).to_contain_text("¥22.80")
    manager.keep("damages")
    manager.go(path(world.ours.cases[1], "change"))
    manager.keep("case")
    assert manager.complaints == []


def assert_fits(evaluate: Callable[[str], object]) -> None:
    """Nothing is wider than the window."""
    assert evaluate("document.documentElement.scrollWidth <= window.innerWidth")
