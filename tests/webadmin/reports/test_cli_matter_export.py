"""`zhuiwen matter export`: the file, what it says on the way, and what it refuses."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bundles.verification import check_file
from core.clock import ManualClock
from core.errors import BadInput, UnreadableFile
from core.ids import VersionId
from core.states import CaseState
from tests.support import admin_data, case_texts
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.spoken_verbs import spoken
from webadmin import stores
from webadmin.cases.models import Case, Matter
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.making import EvidencePorts
from webadmin.reports.cli import matters

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def language(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    with spoken(monkeypatch, matters) as speak:
        yield speak


@pytest.fixture
def matter(monkeypatch: pytest.MonkeyPatch) -> Matter:
    """Make a matter of one confirmed case with a bundle."""
    ours, texts, store = (
        admin_data.fill_estate("长河文学", "changhe", cases=2),
        case_texts.use(monkeypatch),
        MemoryEvidenceStore(),
    )
    case_texts.keep_estate(texts, ours)
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    ports = EvidencePorts(texts.pages, texts.works, store, ManualClock(admin_data.NOW + timedelta(days=2)))
    evidence.create_bundles(VersionId(ours.cases[1].version_id), ports)
    return Matter.objects.get(pk=ours.cases[1].matter_id)


@pytest.mark.usefixtures("processes")
def test_the_file_is_written_and_verified_and_progress_is_told_beside_the_output(
    matter: Matter,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    language: Callable[[str], None],
) -> None:
    monkeypatch.setattr(matters, "SAY_EVERY_S", 0.0)
    out = tmp_path / "事项.zip"
    language("zh")
    matters.export(str(matter.pk), out, is_sealed=True)
    told = capsys.readouterr()
    assert check_file(out).matter == matter.pk
    assert told.out.startswith(f"{out}：证据包 1 个")
    assert "已加入证据：1 / 1 件" in told.err
    assert "正在写入并核验文件" in told.err
    assert "尚有证据包没有时间戳" in told.err
    assert [path.name for path in tmp_path.iterdir()] == ["事项.zip"]


@pytest.mark.usefixtures("processes")
def test_what_cannot_be_exported_is_refused_in_one_sentence(matter: Matter, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no matter 999999"):
        matters.export("999999", tmp_path / "x.zip")
    with pytest.raises(BadInput, match="there is no folder"):
        matters.export(str(matter.pk), tmp_path / "none" / "x.zip")
    (tmp_path / "x.zip").mkdir()
    with pytest.raises(UnreadableFile, match=r"x\.zip"):
        matters.export(str(matter.pk), tmp_path / "x.zip")
    Case.objects.filter(matter=matter).update(state=CaseState.DISMISSED)
    with pytest.raises(BadInput, match="no infringement is confirmed"):
        matters.export(str(matter.pk), tmp_path / "y.zip")
