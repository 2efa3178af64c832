"""A matter's file from the desk: for who manages its rights holder, and for nobody else."""

import io
import re
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse

from bundles import layout
from core.clock import ManualClock
from core.ids import Digest, VersionId
from core.states import CaseState
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import english, record_url, signed_in
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import stores
from webadmin.cases.models import Case, Matter
from webadmin.evidence.models import EvidenceCheck
from webadmin.evidence.services import bundles as bundle_rows
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.kept_files import KeptFileEntry
from webadmin.evidence.services.making import EvidencePorts

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("processes")]


@pytest.fixture
def matter(world: World, monkeypatch: pytest.MonkeyPatch) -> Matter:
    """Make a matter of one confirmed case with a bundle."""
    texts, store = case_texts.use(monkeypatch), MemoryEvidenceStore()
    case_texts.keep_estate(texts, world.ours)
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    confirmed = world.ours.cases[1]
    ports = EvidencePorts(texts.pages, texts.works, store, ManualClock(admin_data.NOW + timedelta(days=2)))
    evidence.create_bundles(VersionId(confirmed.version_id), ports)
    return Matter.objects.get(pk=confirmed.matter_id)


def address(matter: Matter) -> str:
    return reverse("webadmin_matter_export", args=[matter.pk])


def test_a_manager_gets_the_file_and_a_reviewer_is_told_who_makes_it(world: World, matter: Matter) -> None:
    manager, reviewer = english(world.ours.manager), english(world.ours.reviewer)
    assert address(matter) in manager.get(reverse("webadmin_matter", args=[matter.pk])).content.decode()
    other = Matter.objects.get(pk=world.ours.cases[0].matter_id)  # of which no case is confirmed
    assert address(other) not in manager.get(reverse("webadmin_matter", args=[other.pk])).content.decode()
    page = manager.get(address(matter)).content.decode()
    assert "1 confirmed page" in page
    assert "Create the file" in page
    answer = manager.post(address(matter))
    assert answer.headers["Content-Disposition"] == f'attachment; filename="zhuiwen-matter-{matter.pk}.zip"'
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:  # type: ignore[attr-defined]
        assert {layout.checks_path(layout.MATTER), "01-证据目录.pdf"} <= set(archive.namelist())
    assert re.findall(r'value="(\w+)" checked', page) == ["ownership", "comparison", "others", "notices", "damages"]
    answer = manager.post(address(matter), {"chosen": "1", "part": ["factors", "nonsense"], "names": "on"})
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:  # type: ignore[attr-defined]
        folders = {name.partition("/")[0] for name in archive.namelist() if "/" in name}
    assert folders == {"02-网页取证", "03-内部材料", layout.CHECKS}
    shown = reviewer.get(address(matter)).content.decode()
    assert "A manager of the rights holder makes the file." in shown
    assert "Create the file" not in shown
    assert reviewer.post(address(matter)).status_code == 404


def test_nobody_else_sees_that_there_is_anything(world: World, matter: Matter) -> None:
    for person in (world.theirs.manager, world.theirs.reviewer):
        assert signed_in(person).get(address(matter)).status_code == 404
        assert signed_in(person).post(address(matter)).status_code == 404
    assert signed_in(world.administrator).get(address(matter)).status_code == 200


def test_where_nothing_can_be_exported_a_sentence_says_why(world: World, matter: Matter) -> None:
    client = signed_in(world.ours.manager, "zh-hans")
    store = stores.evidence_store()
    store.remove(Digest(world.ours.cases[1].bundles.get().digest), "", admin_data.NOW)
    refused = client.post(address(matter))
    assert refused.status_code == 409
    assert "已认定的案件都还没有证据包" in refused.content.decode()
    Case.objects.filter(matter=matter).update(state=CaseState.OPEN)
    refused = client.post(address(matter))
    assert refused.status_code == 409
    assert "尚无认定侵权的案件" in refused.content.decode()


def test_a_kept_file_that_the_check_found_damaged_is_named_to_administrators(world: World) -> None:
    file = KeptFileEntry("holderpaper", "委托书\u202e.pdf", Digest("ab" * 32))
    now = admin_data.NOW
    check = bundle_rows.note_check((), now, now, bundle_rows.CheckTotals(2, 10, 5, [(file, "missing")]))
    assert EvidenceCheck.objects.get().files == 5
    client = english(world.administrator)
    page = client.get(record_url(check)).content.decode()
    assert "document of a rights holder 委托书[U+202E].pdf abab" in page
    assert "Stored files changed or missing" in client.get(reverse("admin:dashboard")).content.decode()
    assert "Stored files" not in english(world.ours.manager).get(reverse("admin:dashboard")).content.decode()
