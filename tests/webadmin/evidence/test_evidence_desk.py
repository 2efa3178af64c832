"""Evidence in the desk: what a case shows, what it hands out and to whom, and that nobody deletes or changes any."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import Model
from django.urls import reverse

from bundles import bundle
from bundles.records import Drawing, Undrawn
from bundles.verification import check_file
from core.clock import ManualClock
from core.ids import Digest, VersionId
from core.settings import EvidenceSettings
from tests.support import admin_data, case_texts
from tests.support import evidence_samples as samples
from tests.support.admin_data import World
from tests.support.desk import add_url, list_url, record_url, signed_in
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.time_stamp_authority import LocalAuthority, serving_stamps
from webadmin import stores
from webadmin.backups.models import StoreCheck
from webadmin.backups.services.store_checks import note_store_check
from webadmin.evidence.models import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.services import bundles as bundle_rows
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.making import EvidencePorts

CASES = 2

pytestmark = pytest.mark.django_db
LOST = {
    "store": "page store", "place": "raw_bodies", "key": "ab" * 32, "kind": "missing", "remedy": "restore",
    "cases": [7], "pages": [], "detail": "",
}  # fmt: skip
OURS: tuple[type[Model], ...] = (EvidenceBundle, RetentionLog)
MACHINE: tuple[type[Model], ...] = (DayTree, Stamp, StampAttempt, EvidenceCheck, StoreCheck)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryEvidenceStore:
    kept = MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    return kept


@pytest.fixture
def world(world: World, store: MemoryEvidenceStore, monkeypatch: pytest.MonkeyPatch) -> World:
    """Two rights holders; the first case of each has a bundle."""
    texts = case_texts.use(monkeypatch)
    ports = EvidencePorts(texts.pages, texts.works, store, ManualClock(admin_data.NOW + timedelta(days=2)))
    for estate in (world.ours, world.theirs):
        case_texts.keep_estate(texts, estate)
        evidence.create_bundles(VersionId(estate.cases[0].version_id), ports)
    return world


def case_url(world: World, **asked: Any) -> str:
    address = reverse("admin:cases_case_change", args=[world.ours.cases[0].pk])
    return f"{address}?{'&'.join(f'{name}={value}' for name, value in asked.items())}" if asked else address


def own(world: World) -> EvidenceBundle:
    return EvidenceBundle.objects.get(case=world.ours.cases[0])


def shown(world: World, person: Any = None) -> str:
    return signed_in(person or world.ours.reviewer).get(case_url(world)).content.decode()


def test_a_bundle_is_called_intact_once_it_was_checked_and_not_before(world: World) -> None:
    def listed() -> str:
        page = signed_in(world.ours.reviewer).get(list_url(EvidenceBundle)).content.decode()
        rows = page.partition("<tbody")[2].partition("</table>")[0]
        form = signed_in(world.ours.reviewer).get(record_url(own(world))).content.decode()
        assert ("尚未核验" in rows) == ("尚未核验" in form)
        return rows

    before = listed()
    assert "尚未核验" in before
    assert "完好保存" not in before
    assert "bg-green" not in before
    EvidenceBundle.objects.filter(pk=own(world).pk).update(checked_at=admin_data.NOW)
    after = listed()
    assert "尚未核验" not in after
    assert "完好保存" in after
    assert "bg-green" in after
    now = admin_data.NOW
    check = EvidenceCheck.objects.create(started_at=now, ended_at=now, bundles=1, read_bytes=2048)
    page = signed_in(world.administrator).get(record_url(check)).content.decode()
    assert "全部未改动" in page
    assert "(&#x27;" not in page


def test_a_case_names_its_bundle_and_who_stamped_it_or_that_nobody_did(world: World) -> None:
    page = shown(world)
    assert own(world).digest in page
    assert own(world).sha256 in page
    assert "未设置时间戳机构" in page
    assert "ZHUIWEN_" not in page
    assert "zw-alarm" not in page
    [tree, *_] = bundle_rows.close_days((admin_data.NOW + timedelta(days=2)).date(), admin_data.NOW)
    Stamp.objects.create(
        tree=tree, authority="http://tsa.example/", query=b"q", response=b"r", ca_pem=b"c", signer="CN=Probe Stamps",
        stamped_at=admin_data.NOW, received_at=admin_data.NOW,
    )  # fmt: skip
    page = shown(world)
    assert "http://tsa.example/" in page
    assert "CN=Probe Stamps" in page
    assert tree.root in page


def test_a_changed_bundle_is_an_alarm_on_the_case_and_on_the_first_page(world: World) -> None:
    EvidenceBundle.objects.filter(pk=own(world).pk).update(state=EvidenceBundle.State.CHANGED)
    assert 'role="alert"' in shown(world)
    for person, is_theirs in ((world.ours.reviewer, True), (world.theirs.reviewer, False), (world.administrator, True)):
        first = signed_in(person).get(reverse("admin:dashboard")).content.decode()
        assert ("state__exact=changed" in first) == is_theirs


@pytest.mark.usefixtures("processes")
def test_a_manager_exports_with_seals_of_the_authorities(world: World, settings: Any, tmp_path: Path) -> None:
    authority = LocalAuthority(tmp_path)
    with serving_stamps(authority) as url:
        chosen = EvidenceSettings(tsa_urls=(url,), tsa_roots=str(tmp_path / "root.pem"), allow_private_tsa=True)
        settings.ZHUIWEN = replace(settings.ZHUIWEN, evidence=chosen)
        response = signed_in(world.ours.manager).get(case_url(world, export="evidence"))
        assert response["Content-Disposition"].startswith("attachment")
        (tmp_path / "case.zip").write_bytes(b"".join(response.streaming_content))  # type: ignore[attr-defined]
    report = check_file(tmp_path / "case.zip", authority.ca_pem)
    assert [each.signer for each in report.seals] == ["CN=Local Time Stamps"]
    assert [each.digest for each in report.bundles] == [own(world).digest]


def test_a_reviewer_exports_nothing_and_nobody_gets_what_is_not_theirs_or_not_there(world: World) -> None:
    assert "export=evidence" not in shown(world)
    reviewer, manager = signed_in(world.ours.reviewer), signed_in(world.ours.manager)
    assert reviewer.get(case_url(world, export="evidence")).status_code == 404
    for asked in ({"bundle": "x"}, {"bundle": "999999"}, {"bundle": own(world).pk, "shown": "../etc"}):
        assert reviewer.get(case_url(world, **asked)).status_code == 404
    theirs = EvidenceBundle.objects.get(case=world.theirs.cases[0])
    assert manager.get(case_url(world, bundle=theirs.pk)).status_code == 404
    foreign = reverse("admin:cases_case_change", args=[world.theirs.cases[0].pk])
    assert manager.get(f"{foreign}?bundle={theirs.pk}").status_code in {302, 404}


def test_a_bundle_is_handed_out_as_a_file_that_no_browser_opens(world: World) -> None:
    response = signed_in(world.ours.reviewer).get(case_url(world, bundle=own(world).pk))
    assert response.content.startswith(b"PK")
    assert response["Content-Disposition"].startswith("attachment")
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_changed_bundle_is_not_handed_out(world: World, store: MemoryEvidenceStore) -> None:
    name = Digest(own(world).digest)
    store.damage(name, lambda content: content[:-1])
    client = signed_in(world.ours.manager)
    for asked in ({"bundle": own(world).pk}, {"export": "evidence"}):
        response = client.get(case_url(world, **asked))
        assert response.status_code == 409
        assert response["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("model", [*OURS, *MACHINE], ids=lambda model: model.__name__)
def test_not_even_an_administrator_adds_changes_or_deletes_evidence(world: World, model: type[Model]) -> None:
    records = {
        EvidenceBundle: own(world),
        RetentionLog: admin_data.removal(EvidenceBundle.objects.get(case=world.theirs.cases[0])),
        DayTree: (tree := bundle_rows.close_days((admin_data.NOW + timedelta(days=2)).date(), admin_data.NOW)[0]),
        Stamp: Stamp.objects.create(
            tree=tree, authority="a", query=b"", response=b"", ca_pem=b"", stamped_at=admin_data.NOW,
            received_at=admin_data.NOW,
        ),
        StampAttempt: StampAttempt.objects.create(tree=tree, authority="b", next_at=admin_data.NOW),
        EvidenceCheck: bundle_rows.note_check((), admin_data.NOW, admin_data.NOW, bundle_rows.CheckTotals(2, 10)),
        StoreCheck: note_store_check(admin_data.NOW, admin_data.NOW, 9, [LOST], part=2),
    }  # fmt: skip
    record: Model = records[model]
    client = signed_in(world.administrator)
    assert client.get(list_url(model)).status_code == 200
    assert client.get(record_url(record, "change")).status_code == 200
    assert client.get(add_url(model)).status_code == 403
    assert client.post(record_url(record, "change"), {"digest": "0" * 64}).status_code == 403
    assert client.post(record_url(record, "delete"), {"post": "yes"}).status_code == 403
    action = {"action": "delete_selected", "_selected_action": [record.pk], "post": "yes"}
    client.post(list_url(model), action)
    assert model._default_manager.filter(pk=record.pk).exists()


def test_a_case_with_evidence_cannot_be_deleted_by_anybody(world: World) -> None:
    case = world.ours.cases[0]
    client = signed_in(world.administrator)
    client.post(reverse("admin:cases_case_delete", args=[case.pk]), {"post": "yes"})
    client.post(reverse("admin:accounts_rightsholder_delete", args=[world.ours.holder.pk]), {"post": "yes"})
    assert EvidenceBundle.objects.filter(case=case).exists()


ALARMS = {"en": ("changed", "has changed"), "zh-hans": ("已改动", "有证据包与保存时不一致")}


def test_one_changed_byte_is_found_by_the_nightly_check_and_shown_in_both_languages(
    world: World, store: MemoryEvidenceStore
) -> None:
    row, client = own(world), signed_in(world.administrator)
    ports = EvidencePorts(None, None, store, ManualClock(admin_data.NOW + timedelta(days=3)))  # type: ignore[arg-type]
    assert row.digest not in [fault["digest"] for fault in evidence.check_stored(ports).faults]
    assert "zw-alarm" not in client.get(case_url(world)).content.decode()
    store.damage(Digest(row.digest), lambda content: content[:500] + bytes([content[500] ^ 1]) + content[501:])
    check = evidence.check_stored(ports)
    assert row.digest in [fault["digest"] for fault in check.faults]
    for language, (state, alarm) in ALARMS.items():
        client.cookies["django_language"] = language
        case = client.get(case_url(world)).content.decode()
        assert alarm in case
        assert f'zw-alarm">{state}<' in case
        listed = client.get(list_url(EvidenceBundle), {"state__exact": "changed"}).content.decode()
        assert row.digest[:16] in listed
        assert state in listed
    assert row.digest in client.get(record_url(check)).content.decode()


def drawn(world: World, store: MemoryEvidenceStore, pages: list[dict[str, Any]]) -> EvidenceBundle:
    """A bundle of the first case with the pages of a text as a browser drew them: three, of which the last was not."""
    capture = samples.capture(following=tuple(samples.part(number) for number in (2, 3)))
    left_out = Drawing(undrawn=Undrawn.PAGES, limit=2)
    capture = replace(capture, parts=(*capture.parts[:2], replace(capture.parts[2], drawing=left_out)))
    made = bundle.make(capture, samples.finding(), made_at=samples.MADE)
    store.put(made.digest, made.content)
    return admin_data.evidence_bundle(
        world.ours.cases[0], kind=EvidenceBundle.Kind.DRAWN, digest=made.digest, drawn_pages=pages
    )


LEFT_OUT = {"screenshot": False, "pdf": False, "why": "page_limit", "limit": 2}
PAGES: list[dict[str, Any]] = [
    {"page": 1, "screenshot": True, "pdf": True},
    {"page": 2, "screenshot": True, "pdf": True},
    {"page": 3, **LEFT_OUT},
    {"page": 4, **LEFT_OUT},
]


WORDS = {
    "zh-hans": ("共 4 页，已生成截图 2 页", "第 3 至 4 页未生成截图：一篇正文最多为 2 页生成截图", "第 2 页"),
    "en": (
        "screenshots of 2 of 4 pages",
        "pages 3 to 4: no screenshot, at most 2 pages of one text are captured as screenshots",
        "page 2",
    ),
}


def test_each_page_of_a_text_has_its_picture_or_the_reason_why_not(world: World, store: MemoryEvidenceStore) -> None:
    row, client = drawn(world, store, PAGES), signed_in(world.ours.reviewer)
    for language, words in WORDS.items():
        client.cookies["django_language"] = language
        for address, said in ((case_url(world), words), (record_url(row), words[:2])):
            page = client.get(address).content.decode()
            assert [each for each in said if each not in page] == []
    page = client.get(case_url(world)).content.decode()
    links = set(re.findall(rf"bundle={row.pk}&amp;shown=([^\"]*)", page))
    assert links == {"screenshot", "pdf", "screenshot-2", "pdf-2"}
    for shown, expected in (("screenshot-2", samples.PNG + b" of page 2"), ("pdf", samples.PDF)):
        assert client.get(case_url(world, bundle=row.pk, shown=shown)).content == expected
    for shown in ("screenshot-3", "screenshot-1", "screenshot-", "pdf-2/..", "text"):
        assert client.get(case_url(world, bundle=row.pk, shown=shown)).status_code == 404
    EvidenceBundle.objects.filter(pk=row.pk).update(drawn_pages=[])
    page = client.get(case_url(world)).content.decode()
    assert set(re.findall(rf"bundle={row.pk}&amp;shown=([^\"]*)", page)) == {"screenshot", "pdf"}
    assert "zw-drawings" not in page, "the one page that was drawn"


def test_a_check_names_losses_and_their_cases(world: World) -> None:
    check = note_store_check(admin_data.NOW, admin_data.NOW, 9, [LOST], part=2)
    for language, words in (("en", ["missing", "restore it from the backup"]), ("zh-hans", ["缺失", "从备份恢复"])):
        shown = signed_in(world.administrator, language).get(record_url(check)).content.decode()
        assert [each for each in (*words, "ab" * 32, "#7") if each not in shown] == []
