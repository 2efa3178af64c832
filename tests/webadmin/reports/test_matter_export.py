"""A matter as one file: what is in it, that it is only its own, and that public programs check it offline."""

import csv
import html
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml.ns import qn
from pypdf import PdfReader

from bundles import container, layout, statements
from bundles.authority import Authority
from bundles.canonical import canonical
from bundles.faults import DoesNotHold
from bundles.verification import check, check_file
from bundles.verify import lines
from core.clock import ManualClock
from core.errors import BadInput
from core.ids import Digest, VersionId, digest
from core.states import CaseState
from tests.support import admin_data, case_texts
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.time_stamp_authority import TO_LOOPBACK, LocalAuthority, serving_stamps
from webadmin import stores
from webadmin.cases.models import Case, CaseMatch, Matter
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.case_export import export_case, stored_materials
from webadmin.evidence.services.making import EvidencePorts
from webadmin.evidence.services.subject import Subject
from webadmin.evidence.services.third_party import ProofDetails, add_proof
from webadmin.notices.models import HolderPaper, Notice, NoticeFile, NoticeMail, NoticePage
from webadmin.reports.services.court_file.parts import ExportChoice, ExportPart
from webadmin.reports.services.court_file.writing import export_matter, prepare_export
from webadmin.works.services.licence_fees import enter_fee

pytestmark = pytest.mark.django_db
PDF = b"%PDF-1.7 "
HOSTILE = "=HYPERLINK(1)\u202e../..\\CON"
MATTER, MANIFEST, SUMS = map(layout.checks_path, (layout.MATTER, layout.MANIFEST, layout.SUMS))


@dataclass
class World:
    store: MemoryEvidenceStore
    ours: admin_data.Estate
    theirs: admin_data.Estate
    matter: Matter
    cases: list[Case]

    def damage(self, name: str) -> None:
        self.store.damage(Digest(name), lambda content: content[:-9] + b"otherwise")


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory, processes: None) -> LocalAuthority:
    return LocalAuthority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, authority: LocalAuthority) -> World:
    """A matter of two confirmed cases with stamped bundles, and papers of all kinds."""
    filled, texts = admin_data.fill_world(cases=3), case_texts.use(monkeypatch)
    ours = filled.ours
    case_texts.keep_estate(texts, ours)
    CaseMatch.objects.filter(case__in=filled.theirs.cases).delete()
    store, clock = MemoryEvidenceStore(), ManualClock(admin_data.NOW + timedelta(days=2))
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    cases = [admin_data.decided(ours.cases[number], ours.reviewer) for number in (0, 2)]
    Case.objects.filter(pk=cases[0].pk).update(page_title=HOSTILE)
    ports = EvidencePorts(texts.pages, texts.works, store, clock)
    for case in ours.cases:
        evidence.create_bundles(VersionId(case.version_id), ports)
    with serving_stamps(authority) as url:
        evidence.stamp_days([Authority(url, authority.ca_pem, TO_LOOPBACK)], clock)
    matter = cases[0].matter
    assert matter is not None
    made = World(store, ours, filled.theirs, matter, cases)
    _keep_papers(made)
    return made


def _keep_papers(world: World) -> None:
    ours = world.ours
    admin_data.keep_paper(
        ours.holder, "ownership", "../../登记证书.pdf", PDF + b"own", ours.manager, work=world.matter.work
    )
    admin_data.keep_paper(
        ours.holder, "ownership", "别的作品.pdf", PDF + b"other work", ours.manager, work=ours.works[1]
    )
    admin_data.keep_paper(
        ours.holder, "authority", "过期.pdf", PDF + b"old", ours.manager, valid_until=date(2020, 1, 1)
    )
    notice = Notice.objects.get(rights_holder=ours.holder)
    Notice.objects.filter(pk=notice.pk).update(sent_on=date(2026, 3, 10))
    NoticePage.objects.get_or_create(notice=notice, case=world.cases[1])
    for name in (f"{HOSTILE}.pdf", "NUL.docx"):
        world.store.put(digest(name.encode()), name.encode())
        NoticeFile.objects.create(notice=notice, name=name, digest=digest(name.encode()), size=9)
    deed = ProofDetails("notarial", "某某公证处", "（2026）第 1 号", date(2026, 3, 9))
    now = admin_data.NOW
    add_proof(Subject(case=world.cases[0]), deed, ("公证书.pdf", PDF + b"deed"), by=ours.manager, now=now)
    mail = ("proof.eml", b"From: a@site.example\n\nremoved")
    add_proof(Subject(case=world.cases[0]), replace(deed, number="2"), mail, by=ours.manager, now=now)


@pytest.fixture
def exported(world: World, tmp_path: Path) -> Path:
    path = tmp_path / "matter.zip"
    export_matter(world.matter, path)
    return path


def names_in(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


def read(path: Path, name: str) -> bytes:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name)


def listed(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(read(path, "01-证据目录.json"))
    return rows


def test_everything_of_the_matter_and_nothing_else_is_in_it_and_it_holds(exported: Path, world: World) -> None:
    report = check_file(exported)
    assert (report.case, report.matter, report.papers) == (None, world.matter.pk, 5)
    assert report.is_stamped
    bundles = EvidenceBundle.objects.filter(case__in=world.cases)
    assert {each.digest for each in report.bundles} == set(bundles.values_list("digest", flat=True))
    assert lines(report)[0].startswith(f"HOLDS: matter {world.matter.pk}, ")
    assert lines(report)[1].startswith(f"核验通过：事项 {world.matter.pk}，")
    names = names_in(exported)
    assert names == sorted(names)
    assert {f"{layout.CHECKS}/cases/{case.pk}.json" for case in world.cases} <= set(names)
    for document in ("01-证据目录", "侵权比对表（之1）", "损失计算"):
        assert {name.rpartition(".")[2] for name in names if f"{document}." in name} >= {"pdf", "docx"}
    said = json.loads(read(exported, MATTER))
    assert said["facts"]["damages"]["confirmed_cases"] == 2
    assert said["left_out"] == []
    other = EvidenceBundle.objects.get(case=world.ours.cases[1])
    assert other.digest not in {row["bundle"] for row in listed(exported)}
    with zipfile.ZipFile(exported) as archive:
        for name in archive.namelist():
            if name.endswith((".json", ".csv", ".html")):
                assert b"beidou" not in archive.read(name), name


def texts_of(path: Path) -> str:
    """All that a reader of the file can read."""
    with zipfile.ZipFile(path) as archive:
        found = []
        for name in archive.namelist():
            content = archive.read(name)
            if name.endswith((".json", ".csv", ".html")):
                found.append(content.decode("utf-8", "replace"))
            elif name.endswith(".docx") and content.startswith(b"PK\x03\x04"):
                body = docx.Document(io.BytesIO(content)).element.body
                found.append("\n".join(str(node.text) for node in body.iter(qn("w:t"))))
    return "\n".join(found)


def test_what_is_the_rights_holders_own_is_in_it_only_where_that_is_wished(world: World, tmp_path: Path) -> None:
    usual, all_of_it, named = (tmp_path / f"{name}.zip" for name in ("usual", "all", "named"))
    Case.objects.get(pk=world.cases[0].pk).verdicts.update(decided_at=datetime(2026, 3, 11, 1, 23, 47, tzinfo=UTC))
    enter_fee(world.matter.work, "100", "合同 HT-1", world.ours.manager, admin_data.NOW)
    export_matter(world.matter, usual)
    export_matter(world.matter, all_of_it, ExportChoice(frozenset(ExportPart)))
    export_matter(world.matter, named, ExportChoice(frozenset(ExportPart), with_names=True))
    people = {world.ours.reviewer.get_username(), world.ours.manager.get_username()}
    said = texts_of(usual)
    assert not [each for each in (*people, "尚缺", "录入", "verdicts", "not_counted", "entered") if each in said]
    assert "合同 HT-1" in said
    internal = texts_of(all_of_it)
    assert "尚缺" in internal
    assert "审核人" in internal
    assert not [each for each in (*people, ":23:47") if each in internal]
    with_names = texts_of(named)
    assert world.ours.reviewer.get_username() in with_names
    assert ":23:47" in with_names


def test_every_part_can_be_left_out_and_what_did_not_go_out_is_in_none(world: World, tmp_path: Path) -> None:
    of_parts = {
        frozenset({ExportPart.OWNERSHIP, ExportPart.OTHERS, ExportPart.FACTORS}): {
            "权利主体与权属",
            "第三方取证",
            "内部材料",
        },
        frozenset({ExportPart.COMPARISON, ExportPart.NOTICES, ExportPart.DAMAGES}): {
            "侵权比对",
            "通知与往来",
            "损失计算",
        },
    }
    for parts, wanted in of_parts.items():
        export_matter(world.matter, tmp_path / "parts.zip", ExportChoice(parts))
        folders = {name.partition("/")[0][3:] for name in names_in(tmp_path / "parts.zip") if "/" in name}
        assert folders == {"网页取证", "核验", *wanted}
    Notice.objects.update(sent_on=None)
    export_matter(world.matter, tmp_path / "unsent.zip", ExportChoice(frozenset({ExportPart.NOTICES})))
    assert not [name for name in names_in(tmp_path / "unsent.zip") if "通知与往来" in name]


def test_the_list_names_each_piece_safely_in_order_and_has_no_formula(exported: Path, world: World) -> None:
    rows = listed(exported)
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    groups = list(dict.fromkeys(row["group"] for row in rows))
    assert groups == ["权利主体与权属", "网页取证", "侵权比对", "第三方取证", "通知与往来", "损失计算"]
    for row in rows:
        assert all(row[name] for name in ("name", "source", "shows")), row
        assert digest(read(exported, row["file"])) == row["sha256"]
    assert not {"别的作品.pdf", "过期.pdf"} & {row["name"] for row in rows}
    shown = "".join(page.extract_text() for page in PdfReader(io.BytesIO(read(exported, "01-证据目录.pdf"))).pages)
    word = docx.Document(io.BytesIO(read(exported, "01-证据目录.docx")))
    in_word = "".join(cell.text for table in word.tables for row in table.rows for cell in row.cells)
    for text in (shown.replace("\n", ""), in_word.replace("\n", "")):
        assert all(row["sha256"] in text for row in rows)
        assert "某某公证处" in text
        assert "\u202e" not in text

    names = names_in(exported)
    for name in names:
        assert re.fullmatch(r"[\w（）·.-]+(/[\w（）·.-]+)*", name), name
        assert not re.search(r"(^|/)(con|nul|aux|prn|com\d|lpt\d)(\.|/|$)", name.lower())
    folders = list(dict.fromkeys(name.partition("/")[0] for name in names if "/" in name))
    assert folders == [
        "02-权利主体与权属", "03-网页取证", "04-侵权比对", "05-第三方取证", "06-通知与往来",
        "07-损失计算", layout.CHECKS,
    ]  # fmt: skip
    assert any(name.endswith("-proof.eml") for name in names), "a file that is kept as it came keeps its ending"
    numbers = [int(found) for name in names for found in re.findall(r"证据(\d+)-", name)]
    assert sorted(set(numbers)) == list(range(1, len(listed(exported)) + 1))
    assert {"../..", "登记证书.pdf", f"{HOSTILE}.pdf"} & {each["name"] for each in listed(exported)} == {
        "登记证书.pdf", f"{HOSTILE}.pdf",
    }  # fmt: skip
    content = read(exported, "01-证据目录.csv")
    assert content.startswith(b"\xef\xbb\xbf")
    cells = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert cells[0][:2] == ["序号", "名称"]
    assert any(HOSTILE[:10] in cell for row in cells for cell in row)
    for line in cells:
        for cell in line:
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert "\u202e" not in cell


def test_the_commands_of_the_explanation_do_what_it_says(exported: Path, world: World, tmp_path: Path) -> None:
    """With the real programs and without a network: sha256sum, unzip, openssl, warcio."""
    folder = tmp_path / "out"
    with zipfile.ZipFile(exported) as archive:
        archive.extractall(folder)
    page = (folder / layout.MATTER_EXPLANATION).read_text()
    numbers = re.findall(r"<p>([一二三四五六七八九]、|[1-9]\. )", page)
    assert numbers == [*(f"{each}、" for each in "一二三四五六七八"), *(f"{each}. " for each in range(1, 9))]
    assert "不能证明什么" in page
    assert "What this does not prove" in page
    assert not re.search(r"<(script|img|iframe|link|object|form|a)\b|\bon\w+=|url\(|@import", page)
    commands = [html.unescape(each) for each in re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)]
    assert len(commands) % 2 == 0
    assert commands[: len(commands) // 2] == commands[len(commands) // 2 :]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    said = [
        subprocess.run(
            ["bash", "-ec", each], cwd=folder, env={"PATH": path}, capture_output=True, text=True, check=False
        )
        for each in commands[1 : len(commands) // 2]
    ]
    assert [done.returncode for done in said] == [0] * 7, [done.stderr for done in said]
    sums, one, root, stamps, all_bundles, all_stamps, warc = (done.stdout for done in said)
    assert sums.count(": OK") == len(names_in(exported)) - 1
    bundles = list(EvidenceBundle.objects.filter(case__in=world.cases).values_list("digest", flat=True))
    assert one[:64] in bundles
    assert (folder / layout.CHECKS / "stamps" / root.strip()).is_dir()
    assert stamps.count("Verification: OK") == 2
    for row in listed(exported):
        assert not row["bundle"] or f"{row['file']}\n{row['bundle']}  -" in all_bundles
    assert all_stamps.count("Verification: OK") == len(list((folder / layout.CHECKS / "stamps").glob("*/*")))
    assert warc == ""
    first = next(row["file"] for row in listed(exported) if row["bundle"] == bundles[0])
    wacz = [Path(sys.executable).with_name("wacz"), "validate", "-f", folder / first]
    assert subprocess.run(wacz, capture_output=True, check=False).returncode == 0


def _moved(files: dict[str, bytes], name: str, to: str) -> None:
    said = json.loads(files[MATTER])
    name = next(each for each in said["documents"] if each.endswith(name))
    said["documents"] = [to if each == name else each for each in said["documents"]]
    files[to] = files.pop(name)
    files[MATTER] = canonical(said)


def _changed(files: dict[str, bytes], change: dict[str, Any]) -> None:
    files[MATTER] = canonical(json.loads(files[MATTER]) | change)


def _misplaced(files: dict[str, bytes], change: dict[str, Any]) -> None:
    """A case says something else of where its first bundle and the pictures of it stand."""
    name = next(each for each in sorted(files) if each.startswith(f"{layout.CHECKS}/cases/"))
    said = json.loads(files[name])
    said["bundles"][0] |= change
    files[name] = canonical(said)


FORGERIES: dict[str, Callable[[dict[str, bytes]], Any]] = {
    "a document among the bundles": lambda files: _moved(files, "损失计算.pdf", "03-网页取证/证据.wacz"),
    "a document among what is checked": lambda files: _moved(files, "损失计算.pdf", f"{layout.CHECKS}/x.pdf"),
    "another matter": lambda files: _changed(files, {"matter": 4_711}),
    "no cases": lambda files: _changed(files, {"cases": []}),
    "cases that are none": lambda files: _changed(files, {"cases": "x"}),
    "a paper that is a case": lambda files: _changed(files, {"papers": [{"file": "cases/1.json", "sha256": "0" * 64}]}),
    "a document that is not there": lambda files: _changed(files, {"documents": ["07-损失计算/none.pdf"]}),
    "a bundle elsewhere": lambda files: _misplaced(files, {"file": "01-证据目录.pdf"}),
    "a bundle nowhere": lambda files: _misplaced(files, {"file": 1}),
    "pictures that are none": lambda files: _misplaced(files, {"shown": {"screenshot": "01-证据目录.pdf"}}),
    "no pictures": lambda files: _misplaced(files, {"shown": 5}),
    "a list twice": lambda files: files.update({layout.MANIFEST: b"{}"}),
    "one document more": lambda files: files.update({"07-损失计算/more.pdf": b"more"}),
    "one paper more": lambda files: files.update({"05-第三方取证/more.pdf": b"more"}),
    "another paper": lambda files: files.update({next(name for name in files if name.endswith(".eml")): b"other"}),
}


def test_a_changed_byte_anywhere_is_found_and_who_writes_the_lists_anew(exported: Path, tmp_path: Path) -> None:
    whole, changed = exported.read_bytes(), tmp_path / "changed.zip"
    for at in range(40, len(whole), len(whole) // 60):
        changed.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(DoesNotHold):
            check_file(changed)
    content = memoryview(whole)
    sound = {name: bytes(data) for name, data in container.read(content, "").items()}
    check({name: memoryview(data) for name, data in sound.items()})
    assert [name for name, forge in FORGERIES.items() if _holds(_forged(sound, forge))] == []


def _forged(sound: dict[str, bytes], forge: Callable[[dict[str, bytes]], Any]) -> dict[str, bytes]:
    """The files after a forgery, with lists that are true of them."""
    files = dict(sound)
    forge(files)
    said = json.loads(files[MANIFEST])
    covered = {name: data for name, data in files.items() if name not in (MANIFEST, SUMS)}
    said["files"] = [
        {"path": name, "sha256": digest(data), "bytes": len(data)} for name, data in sorted(covered.items())
    ]
    files = covered | {MANIFEST: canonical(said)}
    return files | {SUMS: statements.sums(statements.list_files(files))}


def _holds(files: dict[str, bytes]) -> bool:
    try:
        check({name: memoryview(data) for name, data in files.items()})
    except DoesNotHold:
        return False
    return True


def test_where_nothing_is_confirmed_one_sentence_refuses_it(world: World, tmp_path: Path) -> None:
    Case.objects.filter(matter=world.matter).update(state=CaseState.OPEN)
    with pytest.raises(BadInput, match="no infringement is confirmed in this matter yet"):
        export_matter(world.matter, tmp_path / "x.zip")
    Case.objects.filter(matter=world.matter).update(state=CaseState.CONFIRMED)
    for name in list(world.store.digests()):
        world.store.lose(name)
    with pytest.raises(BadInput, match=r"none of the confirmed cases .* has an evidence bundle yet"):
        export_matter(world.matter, tmp_path / "x.zip")
    assert list(tmp_path.glob("*")) == list(tmp_path.glob(".*")) == []


def test_what_is_damaged_is_left_out_and_named_and_the_rest_goes_out_sealed(
    world: World, authority: LocalAuthority, tmp_path: Path
) -> None:
    row = EvidenceBundle.objects.get(case=world.cases[0])
    paper = HolderPaper.objects.get(name="登记证书.pdf")
    world.damage(row.digest)
    world.damage(paper.digest)
    told = []
    with (
        serving_stamps(authority) as url,
        prepare_export(world.matter, tmp_path, say=lambda message: told.append(message.code)) as made,
    ):
        report = made.write(tmp_path / "matter.zip", [Authority(url, authority.ca_pem, TO_LOOPBACK)])
        assert [each.code for each in made.left_out] == ["bundle.paper-left-out", "bundle.left-out", "bundle.none-yet"]
    assert told == ["matter.cases-taken"] * 2 + ["matter.cases-compared", "matter.being-checked"]
    assert (len(report.bundles), len(report.seals)) == (1, 1)
    page = html.unescape(read(tmp_path / "matter.zip", layout.MATTER_EXPLANATION).decode())
    assert "seal/1/response.tsr" in page
    assert f"未附证据包 {row.digest}" in page
    assert f"Evidence bundle {row.digest} is not enclosed" in page
    assert "未附文件 登记证书.pdf" in page
    assert len(json.loads(read(tmp_path / "matter.zip", MATTER))["left_out"]) == 3


def test_the_export_of_a_case_has_the_papers_that_went_out_and_no_internal_note(world: World, tmp_path: Path) -> None:
    case, notice, content = world.cases[0], Notice.objects.get(rights_holder=world.ours.holder), b"a mail that failed"
    case.verdicts.update(note="内部备注")
    world.store.put(digest(content), content)
    NoticeMail.objects.create(
        notice=notice, attempt=1, state=NoticeMail.State.FAILED, message_id="<1@changhe.example>",
        digest=digest(content), size=len(content), asked_by=world.ours.manager, asked_at=admin_data.NOW,
    )  # fmt: skip
    report = export_case(case.pk, tmp_path / "case.zip")
    assert "内部备注" not in texts_of(tmp_path / "case.zip")
    named = stored_materials().case_material(case.pk, with_names=True).facts
    assert "内部备注" in json.dumps(named, ensure_ascii=False)
    papers = json.loads(read(tmp_path / "case.zip", layout.CASE))["papers"]
    assert [each["name"] for each in papers] == [f"{HOSTILE}.pdf", "NUL.docx", "公证书.pdf", "proof.eml"]
    assert (papers[0]["kind"], papers[2]["issuer"], report.papers) == ("notice", "某某公证处", 4)
    for each in papers:
        assert digest(read(tmp_path / "case.zip", each["file"])) == each["sha256"]
    world.damage(papers[2]["sha256"])
    assert export_case(world.cases[0].pk, tmp_path / "case.zip").papers == 3
    assert "未附文件 公证书.pdf" in html.unescape(read(tmp_path / "case.zip", layout.EXPLANATION).decode())
    Notice.objects.filter(pk=notice.pk).update(sent_on=None)
    export_case(case.pk, tmp_path / "case.zip")
    assert json.loads(read(tmp_path / "case.zip", layout.CASE))["papers"][0]["kind"] == "notarial", "no unsent notice"
