"""A manager looks at the evidence of a case and takes it away, in a real browser; one authority has stamped it."""

import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import expect

from core.clock import ManualClock
from core.ids import VersionId
from evidence.authority import Authority
from evidence.verification import check_file
from pipeline import evidence
from pipeline.evidence import EvidencePorts
from records import stores
from records.models import Case, DayTree, EvidenceBundle
from tests.support import admin_data, browser, case_texts
from tests.support.admin_data import World
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.time_stamp_authority import TO_LOOPBACK, LocalAuthority, serving_stamps

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, processes: None) -> World:
    """One case with two stamped bundles, of which one is drawn; one with a bundle that was changed."""
    filled, texts, kept = admin_data.fill_world(cases=2), case_texts.use(monkeypatch), MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    case_texts.keep_estate(texts, filled.ours)
    clock = ManualClock(admin_data.NOW + timedelta(days=2))
    ports = EvidencePorts(texts.pages, texts.works, kept, clock)
    for case in filled.ours.cases:
        evidence.bundle_version(VersionId(case.version_id), ports)
    evidence.draw_waiting(ports, 1, "", lambda: True)
    authority = LocalAuthority(tmp_path / "authority")
    with serving_stamps(authority) as url:
        evidence.stamp_days([Authority(url, authority.ca_pem, TO_LOOPBACK)], clock)
    evidence.check_stored(ports)
    EvidenceBundle.objects.filter(case=filled.ours.cases[0]).update(state=EvidenceBundle.State.CHANGED)
    return filled


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_evidence_is_shown_and_taken_away(opened: browser.Opened, world: World, language: str, tmp_path: Path) -> None:
    manager = opened(world.ours.manager, language)
    manager.keep(f"first-{language}")
    for case in world.ours.cases:
        manager.go(path(case))
        manager.page.locator("#zw-bundles").scroll_into_view_if_needed()
        manager.keep(f"case-{case.pk}-{language}")
    drawn = EvidenceBundle.objects.get(kind=EvidenceBundle.Kind.DRAWN).case
    manager.go(path(drawn))
    expect(manager.page.locator(".zw-bundles")).to_contain_text("CN=Local Time Stamps")
    with manager.page.expect_download() as waited:
        manager.page.click(".zw-export")
    out = tmp_path / "export.zip"
    waited.value.save_as(out)
    assert zipfile.is_zipfile(out)
    assert check_file(out).is_stamped
    assert manager.complaints == []
    manager.go("/admin/records/evidencebundle/")
    manager.keep(f"list-{language}")
    assert manager.complaints == []


def test_digests_stay_within_a_telephone(opened: browser.Opened, world: World) -> None:
    narrow = opened(world.administrator, "zh-CN", width=390)
    bundle = EvidenceBundle.objects.get(kind=EvidenceBundle.Kind.DRAWN)
    tree = DayTree.objects.get(day=bundle.day)
    narrow.go(f"/admin/records/daytree/{tree.pk}/change/")
    expect(narrow.page.locator("body")).to_contain_text(bundle.digest)
    for address in (
        f"/admin/records/daytree/{tree.pk}/change/",
        f"/admin/records/evidencebundle/{bundle.pk}/change/",
    ):
        narrow.go(address)
        assert narrow.page.evaluate("document.documentElement.scrollWidth") <= 390
    narrow.go(path(bundle.case))
    digest = narrow.page.locator(".zw-bundle-list .zw-digest").first.bounding_box()
    assert digest is not None
    assert digest["width"] > 250  # read in two or three lines, not in ten
    narrow.page.locator(".zw-bundle-list").scroll_into_view_if_needed()
    narrow.keep("telephone")
    assert narrow.complaints == []


def path(case: Case) -> str:
    return f"/admin/records/case/{case.pk}/change/"
