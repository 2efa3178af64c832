"""An export stands alone: what is verified, what is refused, and what is told."""

import html
import json
import random
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bundles import bundle, container, layout, merkle, statements
from bundles.authority import Authority
from bundles.canonical import canonical
from bundles.faults import DoesNotHold, Fault
from bundles.records import CaseMaterial, ProvenBundle
from bundles.verification import VerificationReport, check, check_file
from bundles.verify import BROKEN, NOT_STAMPED, report_verification
from core.errors import BadInput
from core.ids import digest
from tests.bundles.conftest import World
from tests.support.evidence_samples import FETCHED, MADE, PAGE_TEXT, bare_capture, finding, with_fields
from tests.support.time_stamp_authority import TO_LOOPBACK, LocalAuthority, serving_stamps
from webadmin.evidence.services import export

CHANGED_BYTES = 1_000


def files_of(content: bytes) -> dict[str, bytes]:
    return {name: bytes(data) for name, data in container.read(memoryview(content), "FILE").items()}


def checked(files: dict[str, bytes]) -> VerificationReport:
    return check({name: memoryview(data) for name, data in files.items()})


def relisted(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return what somebody makes who changes files and writes the lists anew."""
    files = dict(files)
    said = json.loads(files[layout.MANIFEST])
    covered = {
        name: data
        for name, data in files.items()
        if name not in (layout.MANIFEST, layout.SUMS) and not name.startswith(layout.SEAL)
    }
    said["files"] = [
        {"path": name, "sha256": digest(data), "bytes": len(data)} for name, data in sorted(covered.items())
    ]
    files[layout.MANIFEST] = canonical(said)
    files[layout.SUMS] = statements.sums(statements.list_files(files))
    return files


def unsealed(files: dict[str, bytes]) -> dict[str, bytes]:
    return relisted({name: data for name, data in files.items() if not name.startswith(layout.SEAL)})


def fault_of(files: dict[str, bytes]) -> DoesNotHold:
    with pytest.raises(DoesNotHold) as caught:
        checked(files)
    return caught.value


def test_an_export_holds_and_says_what_of(export_file: Path, world: World) -> None:
    report = check_file(export_file)
    assert report.case == 7
    assert [each.digest for each in report.bundles] == [each.digest for each in world.bundles]
    assert report.bundles[0].url == "https://m.daoban.example/7.html"
    assert report.is_stamped
    assert all(len(each.stamps) == 1 for each in report.bundles)
    assert len(report.seals) == 1


def test_of_a_thousand_files_with_one_byte_changed_all_are_refused(exported: bytes) -> None:
    chance = random.Random(20261121)
    held = []
    for _ in range(CHANGED_BYTES):
        position, flip = chance.randrange(len(exported)), chance.randrange(1, 256)
        changed = bytearray(exported)
        changed[position] ^= flip
        try:
            check(container.read(memoryview(bytes(changed)), "FILE"))
            held.append((position, flip))
        except DoesNotHold:
            pass
    assert held == []


def test_every_file_but_the_manifest_is_covered_by_digests_alone(exported: bytes) -> None:
    """Not only by the container's checksums, which anybody can write anew."""
    files = files_of(exported)
    for name in files:
        changed = dict(files)
        changed[name] = files[name][:-2] + bytes([files[name][-2] ^ 1]) + files[name][-1:]
        with pytest.raises(DoesNotHold):
            checked(changed)


def test_whoever_changes_a_page_and_writes_all_digests_anew_is_caught_by_the_stamp(
    exported: bytes, world: World
) -> None:
    changed_text = PAGE_TEXT.replace("本站首发", "本站原创")
    forged = bundle.make(bare_capture(text=changed_text), finding(changed_text), made_at=MADE)
    files = unsealed(files_of(exported))
    first = world.bundles[0].digest
    said = json.loads(files[layout.proof_file(first)])
    gone = {layout.bundle_file(first), layout.proof_file(first)}
    files = {n: d for n, d in files.items() if n not in gone and not n.startswith(f"pages/{first[:16]}")}
    files[layout.bundle_file(forged.digest)] = forged.content
    files[layout.shown_file(forged.digest, "text")] = changed_text.encode()
    case = json.loads(files[layout.CASE])
    from bundles.opened import open_bundle

    case["bundles"][0] = statements.bundle_entry(open_bundle(forged.content, ""))
    files[layout.CASE] = canonical(case)
    files[layout.proof_file(forged.digest)] = canonical(said | {"bundle": forged.digest})
    assert fault_of(relisted(files)).fault is Fault.AUDIT_PATH

    leaves = [forged.digest, *world.digests[1:]]
    own_root = merkle.make_day_proof(forged.digest, forged.day, leaves, [world.stamp])
    files[layout.proof_file(forged.digest)] = statements.proof(forged.digest, own_root)
    files |= statements.stamp_files(layout.stamp_folder(own_root.root, 1), world.stamp)
    assert fault_of(relisted(files)).fault is Fault.STAMP_OTHER_DIGEST


def test_a_forgery_stamped_with_its_own_root_fails_against_the_readers_root(world: World, tmp_path: Path) -> None:
    forger = LocalAuthority(tmp_path / "forger")
    forged = bundle.make(bare_capture(), finding(), made_at=MADE)
    with serving_stamps(forger) as url:
        stamp = Authority(url, forger.ca_pem, TO_LOOPBACK).stamp(merkle.day_root([forged.digest]))
    proof = merkle.make_day_proof(forged.digest, forged.day, [forged.digest], [stamp])
    path = tmp_path / "forged.zip"
    export.write_case_export(path, CaseMaterial(7, {}, [ProvenBundle(forged.content, proof)]), "0.1.0")
    assert check_file(path).is_stamped
    with pytest.raises(DoesNotHold) as caught:
        check_file(path, world.authority.ca_pem)
    assert caught.value.fault is Fault.STAMP_CHAIN


def test_whoever_changes_the_facts_of_a_sealed_export_is_caught_by_the_seal(exported: bytes) -> None:
    files = files_of(exported)
    case = json.loads(files[layout.CASE])
    case["facts"]["site"] = "unbeteiligt.example"
    files[layout.CASE] = canonical(case)
    found = fault_of(relisted(files))
    assert (found.fault, found.part) == (Fault.STAMP_OTHER_DIGEST, "seal/1/response.tsr")


def test_facts_that_contradict_a_bundle_do_not_hold_even_unsealed(exported: bytes) -> None:
    files = unsealed(files_of(exported))
    case = json.loads(files[layout.CASE])
    case["bundles"][0]["similarity"] = 0.2
    found = fault_of(relisted(files | {layout.CASE: canonical(case)}))
    assert (found.fault, found.part) == (Fault.CONTRADICTS, layout.CASE)
    shown = next(name for name in files if name.endswith("screenshot.png"))
    found = fault_of(relisted(files | {shown: b"another picture"}))
    assert (found.fault, found.part) == (Fault.CONTRADICTS, shown)


def test_a_bundle_that_is_carried_along_unverified_is_refused(exported: bytes, world: World) -> None:
    files = unsealed(files_of(exported))
    stranger = bundle.make(bare_capture("http://untergeschoben.example/"), finding(), made_at=MADE)
    for name in (layout.bundle_file(stranger.digest), "stamps/x/1/ca.pem", "extra.txt"):
        found = fault_of(relisted(files | {name: stranger.content}))
        assert (found.fault, found.part) == (Fault.UNLISTED, name)


def test_a_stamp_older_than_the_page_does_not_hold(world: World) -> None:
    later = replace(bare_capture().page, ended_at=FETCHED + timedelta(days=3650))
    early = bundle.make(with_fields(bare_capture(), exchanges=(later,)), finding(), made_at=MADE + timedelta(days=3650))
    with serving_stamps(world.authority) as url:
        stamp = Authority(url, world.authority.ca_pem, TO_LOOPBACK).stamp(merkle.day_root([early.digest]))
    proof = merkle.make_day_proof(early.digest, early.day, [early.digest], [stamp])
    with pytest.raises(DoesNotHold) as caught:
        export.export_files(CaseMaterial(7, {}, [ProvenBundle(early.content, proof)]), "0.1.0")
    assert caught.value.fault is Fault.STAMP_TIME


def test_the_export_of_one_page_reveals_no_other_of_the_day(exported: bytes, world: World) -> None:
    for other in world.others:
        assert other.digest.encode() not in exported
        assert bytes.fromhex(other.digest) not in exported
    assert b"other1.example" not in exported


def test_a_changed_bundle_or_none_is_not_exported(world: World, tmp_path: Path) -> None:
    content = bytearray(world.bundles[0].content)
    content[len(content) // 2] ^= 1
    with pytest.raises(DoesNotHold):
        export.export_files(CaseMaterial(7, {}, [ProvenBundle(bytes(content), None)]), "0.1.0")
    with pytest.raises(BadInput, match="no evidence"):
        export.write_case_export(tmp_path / "x.zip", CaseMaterial(7, {}, []), "0.1.0")
    assert list(tmp_path.iterdir()) == []


def test_without_a_stamp_it_is_told_with_an_exit_code_of_its_own(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bare.zip"
    bare = [ProvenBundle(each.content) for each in world.bundles]
    export.write_case_export(path, CaseMaterial(7, {}, bare), "0.1.0")
    assert report_verification(path) == NOT_STAMPED
    out = capsys.readouterr().out
    assert "NOT STAMPED" in out
    assert "未加盖时间戳" in out


def test_a_sealed_export_whose_pages_wait_for_their_day_says_which_time_is_proven(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, bare = tmp_path / "sealed.zip", [ProvenBundle(each.content) for each in world.bundles]
    with serving_stamps(world.authority) as url:
        seal = Authority(url, world.authority.ca_pem, TO_LOOPBACK)
        export.write_case_export(path, CaseMaterial(7, {}, bare), "0.1.0", seals=[seal])
    assert report_verification(path) == NOT_STAMPED
    out = capsys.readouterr().out
    assert "whole export stamped" in out
    assert "PAGES NOT STAMPED" in out
    assert "网页尚未加盖时间戳" in out
    assert "does not prove when it existed" not in out


def test_stamps_taken_out_of_an_export_are_missed(exported: bytes, tmp_path: Path) -> None:
    kept = {n: data for n, data in unsealed(files_of(exported)).items() if not n.startswith(("stamps/", "proofs/"))}
    path = tmp_path / "stripped.zip"
    path.write_bytes(container.write(relisted(kept)))
    assert report_verification(path) == NOT_STAMPED


def test_the_first_part_that_does_not_hold_is_named_in_both_languages(
    export_file: Path, world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    content = bytearray(export_file.read_bytes())
    content[200] ^= 1
    export_file.write_bytes(bytes(content))
    assert report_verification(export_file) == BROKEN
    english, chinese = capsys.readouterr().err.splitlines()
    assert english.startswith("DOES NOT HOLD: README.html was changed")
    assert chinese.startswith("核验不通过：README.html 已改动")


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_export_is_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    assert report_verification(path) == BROKEN
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with path.open("wb") as out:
        out.truncate(container.MAX_BYTES + 1)
    with pytest.raises(DoesNotHold) as caught:
        check_file(path)
    assert caught.value.fault is Fault.TOO_LARGE


def test_the_commands_of_the_explanation_do_what_it_says(export_file: Path, tmp_path: Path, world: World) -> None:
    folder = tmp_path / "out"
    with zipfile.ZipFile(export_file) as archive:
        archive.extractall(folder)
    page = (folder / layout.EXPLANATION).read_text()
    commands = [html.unescape(each) for each in re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL)]
    assert len(commands) == 12
    said = [
        subprocess.run(["bash", "-ec", each], cwd=folder, capture_output=True, text=True, check=False)
        for each in commands[1:6]
    ]
    assert [done.returncode for done in said] == [0] * 5, [done.stderr for done in said]
    sums, package, path, stamps, seal = (done.stdout for done in said)
    assert "FAILED" not in sums
    assert package.startswith(world.bundles[0].digest)
    assert path.strip() == merkle.day_root(world.digests)
    assert stamps.count("Verification: OK") == 2
    assert "Verification: OK" in seal
    for each in world.bundles:  # public programs open each straight from the export
        wacz = [Path(sys.executable).with_name("wacz"), "validate", "-f", folder / layout.bundle_file(each.digest)]
        assert subprocess.run(wacz, capture_output=True, check=False).returncode == 0


def test_the_explanation_runs_nothing_and_asks_no_network(exported: bytes) -> None:
    page = files_of(exported)[layout.EXPLANATION].decode()
    assert not re.search(r"<(script|img|iframe|link|object|form|a)\b|\bon\w+=|url\(|@import", page)
    assert "default-src 'none'" in page
    assert "不能证明什么" in page
    assert "What this does not prove" in page
    assert "首次发现" in page


def test_a_hostile_title_stays_text(tmp_path: Path) -> None:
    title = '<script>alert(1)</script>\u202e"{part}'
    evil = replace(bare_capture(), title=title)
    made = bundle.make(evil, finding(), made_at=MADE)
    files = export.export_files(CaseMaterial(7, {"title": title}, [ProvenBundle(made.content)]), "0.1.0")
    page = files[layout.EXPLANATION].decode()
    assert "<script" not in page
    assert "\u202e" not in page
    assert files[layout.PRINTED].startswith(b"%PDF")
    checked(files)


@pytest.mark.parametrize(
    "change",
    [
        {"path": ["zz"]}, {"path": "00" * 32}, {"leaf_index": -1}, {"tree_size": 0}, {"root": "x"}, {"day": "gestern"},
        {"stamps": [{}]}, {"stamps": [{"folder": "../..", "authority": ""}]}, {"leaf_index": None}, {"path": [1] * 99},
    ],
)  # fmt: skip
def test_a_malformed_proof_is_refused_in_a_sentence(change: dict[str, object], exported: bytes, world: World) -> None:
    files = unsealed(files_of(exported))
    name = layout.proof_file(world.bundles[0].digest)
    files[name] = canonical(json.loads(files[name]) | change)
    fault_of(relisted(files))


@pytest.mark.parametrize("field", ["format", "version", "case", "created", "files"])
def test_a_manifest_that_lacks_a_field_is_refused_in_a_sentence(field: str, exported: bytes) -> None:
    files = unsealed(files_of(exported))
    said = json.loads(files[layout.MANIFEST])
    del said[field]
    fault_of(files | {layout.MANIFEST: canonical(said)})


@pytest.mark.parametrize("name", [layout.MANIFEST, layout.CASE])
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format":1}', b"[" * 100_000, b'{"a":1,"a":2}', b"\xff"])
def test_malformed_statements_are_refused_in_a_sentence(name: str, content: bytes, exported: bytes) -> None:
    files = unsealed(files_of(exported)) | {name: content}
    fault_of(files if name == layout.MANIFEST else relisted(files))
