"""Evidence from match to export, over real stores in memory, a real admin database and a real time stamp authority."""

import gzip
import zipfile
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings

from bundles.authority import Authority
from bundles.opened import OpenedBundle, open_bundle
from bundles.verification import check_file
from core.captures import ArchivedRecord, Capture, CapturedResource, CaptureSource, NameAnswer, TlsSession, WireExchange
from core.clock import ManualClock
from core.errors import BadInput, BrokenInvariant, ServiceUnavailable
from core.ids import Digest, FinalUrl, VersionId, digest
from core.pages import DATED_BY_SERVER, Fetched, FollowingPart
from core.settings import EvidenceSettings
from core.states import CaseState
from crawler.browsing.chromium import find_chromium
from tests.support import admin_data, case_texts
from tests.support.certificates import make_chain
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.records import response
from tests.support.time_stamp_authority import TO_LOOPBACK, TO_PUBLIC, LocalAuthority, serving, serving_stamps
from webadmin import stores
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.models import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.services import bundles as bundle_rows
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.case_export import export_case, stored_materials
from webadmin.evidence.services.kept_files import kept_files
from webadmin.evidence.services.making import EvidencePorts
from webadmin.notices.models import HolderPaper, Notice, NoticeFile

pytestmark = pytest.mark.django_db

NO_BROWSER = "/nowhere/chromium"


@dataclass
class World:
    ports: EvidencePorts
    store: MemoryEvidenceStore
    clock: ManualClock
    cases: list[Case]

    def version(self, number: int = 0) -> VersionId:
        return VersionId(self.cases[number].version_id)

    def bundle_all(self) -> None:
        for version in bundle_rows.unbundled_versions(100):
            evidence.create_bundles(version, self.ports)

    def damage(self, row: EvidenceBundle, place: int = 100) -> None:
        self.store.damage(
            Digest(row.digest), lambda content: content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        )


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    filled, texts = admin_data.fill_world(cases=3), case_texts.use(monkeypatch)
    case_texts.keep_estate(texts, filled.ours)
    CaseMatch.objects.filter(case__in=filled.theirs.cases).delete()
    store, clock = MemoryEvidenceStore(), ManualClock(admin_data.NOW + timedelta(days=2))
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    for file in kept_files():
        store.put(file.digest, file.name.encode())  # whose digest the estates have
    return World(EvidencePorts(texts.pages, texts.works, store, clock), store, clock, list(filled.ours.cases))


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory, processes: None) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


def test_a_match_becomes_a_bundle_once(world: World) -> None:
    assert len(bundle_rows.unbundled_versions(100)) == 3
    assert evidence.create_bundles(world.version(), world.ports) == 1
    assert evidence.create_bundles(world.version(), world.ports) == 0
    [row] = EvidenceBundle.objects.filter(version_id=world.version())
    content = world.store.get(Digest(row.digest))
    assert content is not None
    assert (row.size_bytes, row.case_id, row.state) == (len(content), world.cases[0].pk, "held")
    bundle = open_bundle(content, "bundle")
    assert bundle.digest == row.digest
    assert world.version() not in bundle_rows.unbundled_versions(100)
    assert "was not recorded" in bundle.page["absent"]["connection"]["en"]
    assert "not rendered yet" in bundle.page["absent"]["screenshot"]["en"]


def test_a_page_whose_text_is_not_the_one_compared_has_no_bundle(world: World) -> None:
    CaseMatch.objects.filter(version_id=world.version()).update(page_text_digest="0" * 64)
    with pytest.raises(BrokenInvariant, match="not the one that was compared"):
        evidence.create_bundles(world.version(), world.ports)
    assert not EvidenceBundle.objects.exists()


def test_rows_of_evidence_are_neither_written_over_nor_deleted(world: World) -> None:
    world.bundle_all()
    row = EvidenceBundle.objects.first()
    row.digest = "0" * 64
    with pytest.raises(BrokenInvariant, match="cannot be overwritten"):
        row.save()
    with pytest.raises(BrokenInvariant, match="only retention"):
        row.delete()
    with pytest.raises(Exception, match="protected"):
        world.cases[0].delete()


@pytest.mark.usefixtures("processes")
def test_an_absent_browser_is_waited_for_and_one_that_fails_is_not_tried_for_ever(world: World) -> None:
    world.bundle_all()
    assert evidence.draw_pending(world.ports, 10, NO_BROWSER, lambda: True) == 0
    assert len(bundle_rows.undrawn_records(10)) == 3
    assert evidence.draw_pending(world.ports, 1, "/bin/true", lambda: True) == 1
    assert EvidenceBundle.objects.filter(drawing=EvidenceBundle.Drawing.FAILED).count() == 1
    assert len(bundle_rows.undrawn_records(10)) == 2


def test_a_bundle_that_comes_late_gets_a_tree_of_its_own_and_the_first_one_stays(world: World) -> None:
    later = CaseMatch.objects.filter(case=world.cases[2])
    evidence.create_bundles(world.version(0), world.ports)
    evidence.create_bundles(world.version(1), world.ports)
    EvidenceBundle.objects.update(day=admin_data.NOW.date())
    today = world.clock.now().date()
    [first] = bundle_rows.close_days(today, world.clock.now())
    evidence.create_bundles(VersionId(later.get().version_id), world.ports)
    EvidenceBundle.objects.update(day=admin_data.NOW.date())
    [second] = bundle_rows.close_days(today, world.clock.now())
    assert set(first.leaves) < set(second.leaves)
    assert first.root != second.root
    assert bundle_rows.close_days(today, world.clock.now()) == []


def test_an_authority_that_is_away_is_asked_again_with_growing_pauses(world: World, authority: LocalAuthority) -> None:
    world.bundle_all()
    away = Authority("http://127.0.0.1:9/tsa", authority.ca_pem, TO_LOOPBACK)
    trees = evidence.stamp_days([away], world.clock).refusals
    assert trees >= 1
    assert evidence.stamp_days([away], world.clock).refusals == 0
    world.clock.advance(timedelta(minutes=6).total_seconds())
    assert evidence.stamp_days([away], world.clock).refusals == trees
    world.clock.advance(timedelta(minutes=6).total_seconds())
    assert evidence.stamp_days([away], world.clock).refusals == 0
    attempt = StampAttempt.objects.first()
    assert attempt.attempts == 2
    assert "is not responding" in str(attempt.error)
    assert bundle_rows.evidence_status([away.name]).waiting_stamps == trees
    assert bundle_rows.evidence_status(["https://another.example/"]).waiting_stamps == 0


def test_an_authority_inside_is_not_asked_unless_allowed(world: World, authority: LocalAuthority) -> None:
    world.bundle_all()
    with serving_stamps(authority) as url:
        evidence.stamp_days([Authority(url, authority.ca_pem, TO_PUBLIC)], world.clock)
    assert not Stamp.objects.exists()
    assert StampAttempt.objects.exists()


def test_the_nightly_check_finds_a_changed_byte_a_lost_bundle_and_nothing_else(world: World) -> None:
    world.bundle_all()
    kept, changed, lost = EvidenceBundle.objects.order_by("pk")
    world.damage(changed)
    world.store.lose(Digest(lost.digest))
    assert evidence.check_stored(world.ports).bundles == 3
    states = dict(EvidenceBundle.objects.values_list("pk", "state"))
    assert states == {kept.pk: "held", changed.pk: "changed", lost.pk: "missing"}
    row = EvidenceCheck.objects.get()
    assert {(fault["digest"], fault["state"]) for fault in row.faults} == {
        (changed.digest, "changed"),
        (lost.digest, "missing"),
    }
    standing = bundle_rows.evidence_status([])
    assert (standing.bundles, standing.damaged_bundles) == (3, 2)
    assert standing.last_check == row
    world.store.forge(Digest(kept.digest), b"forged")  # under the digest that the store itself would give
    again = evidence.check_stored(world.ports)
    assert sorted(fault["state"] for fault in again.faults) == ["changed", "changed", "missing"]


def test_a_bundle_that_retention_removes_while_it_is_read_stays_removed(world: World) -> None:
    world.bundle_all()
    gone, *_ = EvidenceBundle.objects.order_by("pk")
    EvidenceBundle.objects.filter(pk=gone.pk).update(state="removed")
    row = bundle_rows.note_check(
        [(gone.pk, "missing")], world.clock.now(), world.clock.now(), bundle_rows.CheckTotals(3, 10)
    )
    assert row.faults == []
    assert EvidenceBundle.objects.get(pk=gone.pk).state == "removed"


def test_a_store_that_is_away_condemns_no_bundle(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.bundle_all()

    def away(_: Any) -> bytes:
        raise ServiceUnavailable("the page store", "nowhere")

    monkeypatch.setattr(world.store, "get", away)
    with pytest.raises(ServiceUnavailable):
        evidence.check_stored(world.ports)
    assert not EvidenceCheck.objects.exists()
    assert not EvidenceBundle.objects.exclude(state="held").exists()


def test_retention_removes_old_closed_bundles_and_keeps_digests(world: World) -> None:
    Case.objects.update(state=CaseState.DISMISSED)
    Case.objects.filter(pk=world.cases[0].pk).update(state=CaseState.OPEN)
    world.bundle_all()
    trees = bundle_rows.close_days(world.clock.now().date(), world.clock.now())
    world.clock.advance(timedelta(days=365 * 10 - 5).total_seconds())
    assert evidence.remove_expired(10, world.ports) == 0
    world.clock.advance(timedelta(days=20).total_seconds())
    assert evidence.remove_expired(10, world.ports) == 2
    assert evidence.remove_expired(10, world.ports) == 0
    logs = RetentionLog.objects.all()
    assert {log.bundle.case_id for log in logs} == {world.cases[1].pk, world.cases[2].pk}
    assert all("ZHUIWEN_EVIDENCE_KEEP_YEARS=10" in log.reason for log in logs)
    assert {entry.digest for entry in world.store.removals()} == {log.bundle.digest for log in logs}
    leaves = {leaf for tree in trees for leaf in tree.leaves}
    assert {log.bundle.digest for log in logs} <= leaves
    assert bundle_rows.close_days(world.clock.now().date(), world.clock.now()) == []
    assert evidence.check_stored(world.ports).bundles == 1
    assert evidence.remove_expired(0, world.ports) == 0, "where nothing was set, all is kept"
    assert all(world.store.get(file.digest) == file.name.encode() for file in kept_files())


def test_a_case_without_a_bundle_or_with_a_changed_one_is_not_exported(world: World, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no evidence bundle yet"):
        export_case(world.cases[0].pk, tmp_path / "case.zip")
    world.bundle_all()
    world.damage(EvidenceBundle.objects.get(case=world.cases[0]))
    with pytest.raises(BrokenInvariant, match="was changed"):
        export_case(world.cases[0].pk, tmp_path / "case.zip")


def exchange_of(url: str, number: int = 0, **changes: Any) -> WireExchange:
    """Return what was seen of one request for `url`."""
    at = admin_data.NOW + timedelta(seconds=number)
    made = WireExchange(
        url=url, status=200, request_head=b"GET /x HTTP/1.1\r\nHost: pirate.example\r\n\r\n",
        response_head=b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX-Number: %d\r\n\r\n" % number,
        connected_at=at, sent_at=at, answered_at=at, ended_at=at, server_address="203.0.113.7", server_port=8443,
        body_digest=digest(b"packed"), body_bytes=6, name_answer=NameAnswer("pirate.example", ("203.0.113.7",), at),
    )  # fmt: skip
    return replace(made, **changes)


def bundled(world: World, url: str, **fields: Any) -> OpenedBundle:
    """The bundle of the first case's page, stored as if it had been fetched in another way."""
    version = world.ports.pages.version(world.version())
    body = fields.pop("body", None) or world.ports.pages.raw(version.raw_digest)
    fields["headers"] = (("Content-Type", "text/html"),)
    fetched = response(version.site_id, url, body, version.fetched_at, **fields)
    stored = world.ports.pages.put(fetched, version.reading)
    CaseMatch.objects.filter(case=world.cases[0]).update(version_id=stored.version_id)
    evidence.create_bundles(stored.version_id, world.ports)
    content = world.store.get(Digest(EvidenceBundle.objects.get(version_id=stored.version_id).digest))
    assert content is not None
    return open_bundle(content, "bundle")


def test_what_the_connection_knew_stands_in_the_bundle(world: World, tmp_path: Path) -> None:
    chain, url = make_chain(tmp_path), "https://pirate.example/1"
    tls = TlsSession("TLSv1.3", "TLS_AES_256_GCM_SHA384", 256, "pirate.example", chain.sent)
    moved = b"HTTP/1.1 302 Moved\r\nX-B: 2\r\nx-a: 1\r\nLocation: /1\r\n\r\n"
    hop = exchange_of("https://pirate.example/", status=302, response_head=moved, body=b"moved", tls=tls)
    held = bundled(world, url, capture=Capture((hop, exchange_of(url, tls=tls))))
    first, last = held.connection["exchanges"]
    assert (first["url"], first["status"], last["url"]) == ("https://pirate.example/", 302, url)
    assert (last["server_address"], last["server_port"]) == ("203.0.113.7", 8443)
    assert last["dns"]["addresses"] == ["203.0.113.7"]
    assert (last["wire_digest"], last["wire_bytes"]) == (digest(b"packed"), 6)
    assert len(last["tls"]["certificates"]) == 2
    assert "Probe Intermediate" in last["tls"]["certificates"][0]["issuer"]
    records = gzip.decompress(held.files["archive/data.warc.gz"])
    assert b"HTTP/1.1 302 Moved\r\nX-B: 2\r\nx-a: 1\r\n" in records
    assert b"GET /x HTTP/1.1\r\nHost: pirate.example" in records


def test_a_part_that_is_gone_or_was_fetched_by_an_earlier_release_is_named(world: World) -> None:
    url = "https://pirate.example/1.html"
    gone, kept = (
        FollowingPart(FinalUrl(f"{url}?{n}"), 200, (("X", "y"),), b"<p>%d</p>" % n, admin_data.NOW) for n in (2, 3)
    )
    store = world.ports.pages
    put = store.put

    def put_and_lose(fetched: Fetched, reading: Any) -> Any:
        done = put(fetched, reading)
        store._raw.pop(digest(gone.body), None)  # type: ignore[attr-defined]
        return done

    store.put = put_and_lose  # type: ignore[method-assign]
    held = bundled(world, url, capture=Capture((exchange_of(url),)), parts=(gone, kept))
    assert "is missing from the page store" in held.page["absent"]["page 2"]["en"]
    assert digest(gone.body) in held.page["absent"]["page 2"]["en"]
    assert "was not recorded" in held.page["absent"]["page 3, connection"]["en"]
    [there] = held.page["following"]
    assert (there["url"], there["source"]) == (f"{url}?3", "unknown")


def test_a_page_of_an_archive_has_its_records_and_says_whose_they_are(world: World) -> None:
    url = "http://pirate.example/old"
    body = "<p>旧</p>".encode()
    head = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 25\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
    record = ArchivedRecord("CC-2020.warc.gz", "", 4711, head, body)
    own = exchange_of(url, request_head=b"", response_head=b"HTTP/1.1 200 OK\r\n\r\n", server_port=0)
    held = bundled(
        world, url, body=body, origin=f"CC-2020.warc.gz, byte 4711, {DATED_BY_SERVER}",
        capture=Capture((own,), CaptureSource.ARCHIVE, records=(record,)),
    )  # fmt: skip
    assert held.page["source"] == "archive"
    assert "CC-2020.warc.gz, byte 4711" in held.page["absent"]["connection"]["en"]
    assert "from the site's server" in held.page["absent"]["moment"]["en"]
    [said] = held.page["originals"]
    assert (said["archive"], said["offset"]) == ("CC-2020.warc.gz", 4711)
    assert gzip.decompress(held.files["evidence/original.warc.gz"]) == head + body + b"\r\n\r\n"
    assert b"WARC-Type: request" not in gzip.decompress(held.files["archive/data.warc.gz"])


def sealing(authorities: tuple[str, ...], roots: Path) -> Any:
    """The installation's settings with these authorities."""
    made = EvidenceSettings(tsa_urls=authorities, tsa_roots=str(roots), allow_private_tsa=True)
    return replace(django_settings.ZHUIWEN, evidence=made)


def test_every_authority_that_answers_seals_an_export(
    world: World, authority: LocalAuthority, tmp_path: Path, settings: Any
) -> None:
    world.bundle_all()
    root = authority.folder / "root.pem"
    with serving_stamps(authority) as one, serving_stamps(authority) as other:
        settings.ZHUIWEN = sealing((one, other), root)
        sealed = export_case(world.cases[0].pk, tmp_path / "sealed.zip")
        settings.ZHUIWEN = sealing((one, "http://127.0.0.1:9/tsa"), root)
        half = export_case(world.cases[0].pk, tmp_path / "half.zip")
    assert (len(sealed.seals), len(half.seals)) == (2, 1)
    with zipfile.ZipFile(tmp_path / "sealed.zip") as file:
        assert {name for name in file.namelist() if name.startswith("seal/")} == {
            f"seal/{number}/{name}" for number in (1, 2) for name in ("query.tsq", "response.tsr", "ca.pem")
        }
        assert "seal/1/response.tsr" in file.read("README.html").decode()
    assert len(check_file(tmp_path / "half.zip", authority.ca_pem).seals) == 1
    for roots in (root, tmp_path / "nowhere.pem"):
        settings.ZHUIWEN = sealing(("http://127.0.0.1:9/tsa",), roots)
        assert export_case(world.cases[0].pk, tmp_path / "none.zip").seals == ()
        with zipfile.ZipFile(tmp_path / "none.zip") as file:
            assert "未单独加盖时间戳" in file.read("README.html").decode()


@pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed")
@pytest.mark.usefixtures("processes")
def test_a_picture_says_what_it_was_given_and_what_is_missing_in_it(world: World) -> None:
    url = "https://pirate.example/1.html"
    markup = '<link rel=stylesheet href="/look.css"><img src="/lost.png"><p>正文</p>'.encode()
    sheet = CapturedResource("https://pirate.example/look.css", "text/css", admin_data.NOW, b"p {color: red}")
    parts = tuple(
        FollowingPart(FinalUrl(f"{url}?{n}"), 200, (), b"<link rel=stylesheet href=/look.css><p>%d</p>" % n,
                      admin_data.NOW)
        for n in (2, 3)
    )  # fmt: skip
    capture = Capture((exchange_of(url),), resources=(sheet,))
    first = bundled(world, url, body=markup, capture=capture, parts=parts)
    looked = iter([True, False])
    assert evidence.draw_pending(world.ports, 10, "", lambda: next(looked)) == 1
    row = EvidenceBundle.objects.get(kind=EvidenceBundle.Kind.DRAWN)
    content = world.store.get(Digest(row.digest))
    assert content is not None
    assert b"drawn from the stored response" in content
    assert EvidenceBundle.objects.get(match=row.match, kind=EvidenceBundle.Kind.RECORD).drawing == "drawn"
    held = open_bundle(content, "bundle")
    assert bytes(held.renderings["screenshot"]).startswith(b"\x89PNG")
    page = held.page
    assert page["url"] == first.page["url"] == url
    for rendering in (page["screenshot"], page["pdf"]):
        assert rendering["served"] == ["https://pirate.example/look.css"]
        assert rendering["missing"] == ["https://pirate.example/lost.png"]
        assert rendering["missing_count"] >= 1
    for number, part in enumerate(page["following"], 2):
        assert (part["screenshot"]["url"], part["screenshot"]["served"]) == (
            f"{url}?{number}", ["https://pirate.example/look.css"],
        )  # fmt: skip
        assert held.renderings[f"pdf-{number}"].startswith(b"%PDF-")
    assert len({bytes(held.renderings[name]) for name in ("screenshot", "screenshot-2", "screenshot-3")}) == 3
    assert [each["page"] for each in row.drawn_pages if each["screenshot"] and each["pdf"]] == [1, 2, 3]


def test_an_absent_authority_is_asked_again(world: World, authority: LocalAuthority, tmp_path: Path) -> None:
    world.bundle_all()
    is_up = [False]

    def reply(query: bytes) -> tuple[int, str, bytes]:
        if not is_up[0]:
            return 503, "text/plain", b"down"
        return 200, "application/timestamp-reply", authority.answer(query)

    with serving_stamps(authority) as one, serving(reply) as server:
        other = f"http://127.0.0.1:{server.server_port}/tsa"
        both = [Authority(url, authority.ca_pem, TO_LOOPBACK) for url in (one, other)]
        first = evidence.stamp_days(both, world.clock)
        trees = DayTree.objects.count()
        assert (first.stamps, first.refusals) == (trees, trees)
        export_case(world.cases[0].pk, tmp_path / "half.zip")
        half = check_file(tmp_path / "half.zip", authority.ca_pem)
        assert half.is_stamped
        assert len(half.bundles[0].stamps) == 1
        standing = bundle_rows.evidence_status([one, other])
        assert (standing.unstamped_days, standing.waiting_stamps) == (0, trees)
        assert "503" in str(standing.last_error)
        is_up[0] = True
        world.clock.advance(timedelta(minutes=6).total_seconds())
        again = evidence.stamp_days(both, world.clock)
        assert (again.stamps, again.refusals) == (trees, 0)
    assert bundle_rows.evidence_status([one, other]).waiting_stamps == 0
    export_case(world.cases[0].pk, tmp_path / "whole.zip")
    assert len(check_file(tmp_path / "whole.zip").bundles[0].stamps) == 2
    with zipfile.ZipFile(tmp_path / "whole.zip") as file:
        assert any(name.startswith("stamps/") for name in file.namelist())
    material = stored_materials().case_material(world.cases[0].pk)
    assert [event["event"] for event in material.history] == ["first_seen"]


def test_damaged_and_lost_kept_files_are_named(world: World) -> None:
    world.bundle_all()
    notice = Notice.objects.first()
    for name in ("通知.pdf", "通知.docx"):
        NoticeFile.objects.create(notice=notice, name=name, digest=digest(name.encode()), size=9)
        world.store.put(digest(name.encode()), name.encode())
    checked = evidence.check_stored(world.ports)
    assert (checked.bundles, checked.files, checked.faults) == (3, 6, [])
    paper = HolderPaper.objects.get(rights_holder=notice.rights_holder)
    world.store.damage(Digest(paper.digest), lambda _: b"another")
    world.store.lose(digest("通知.pdf".encode()))
    assert evidence.check_stored(world.ports).faults == [
        {"digest": paper.digest, "state": "changed", "file": paper.name, "kind": "holderpaper"},
        {"digest": digest("通知.pdf".encode()), "state": "missing", "file": "通知.pdf", "kind": "noticefile"},
    ]
    standing = bundle_rows.evidence_status([])
    assert (standing.damaged_bundles, standing.damaged_files) == (0, [paper.name, "通知.pdf"])
