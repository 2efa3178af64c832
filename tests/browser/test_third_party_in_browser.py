"""A manager enters what others made, reads the sheet and prints it, in a real browser."""

import io
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from core.clock import ManualClock
from core.ids import VersionId
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.parsed_reports import from_pdf
from webadmin import stores
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.making import EvidencePorts

pytestmark = pytest.mark.django_db(transaction=True)
FITS = "document.documentElement.scrollWidth <= window.innerWidth"


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """Two cases with a bundle each; the second is confirmed."""
    filled, texts, kept = admin_data.fill_world(cases=2), case_texts.use(monkeypatch), MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    case_texts.keep_estate(texts, filled.ours)
    ports = EvidencePorts(texts.pages, texts.works, kept, ManualClock(admin_data.NOW + timedelta(days=2)))
    for case in filled.ours.cases:
        evidence.create_bundles(VersionId(case.version_id), ports)
    return filled


def test_papers_fit_a_phone_and_print_no_buttons(opened: browser.Opened, world: World, tmp_path: Path) -> None:
    case = f"/admin/cases/case/{world.ours.cases[1].pk}"
    manager = opened(world.ours.manager, "zh-CN", 390)
    page = manager.page
    deed = tmp_path / "存证证书.json"
    deed.write_text("{}", "utf-8")
    manager.go(f"{case}/proofs/")
    page.select_option("[name=kind]", "chain")
    for name, text in (("issuer", "某存证中心"), ("number", "0x7a3f"), ("platform", "某司法链")):
        page.fill(f"[name={name}]", text)
    page.fill("[name=made_on]", "2026-03-11")
    page.set_input_files("[name=file]", deed)
    manager.leave_by("[value=add]")
    expect(page.locator("#content")).to_contain_text("0x7a3f")
    assert page.evaluate(FITS)
    manager.go(f"{case}/factors/")
    assert page.evaluate(FITS)
    printed = page.pdf(format="A4")
    text = "".join(from_pdf(printed).split())
    assert "changhe" in text
    assert len(PdfReader(io.BytesIO(printed)).pages) <= 4, "it is as wide as the paper"
    assert "第三方材料" not in text, "what is only pressed is not printed"
    assert manager.complaints == []
