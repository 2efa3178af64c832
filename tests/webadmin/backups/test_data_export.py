"""All that a rights holder has, in one file: whole, readable, theirs alone."""

import csv
import hashlib
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.urls import reverse

from bundles.merkle import day_root
from core.ids import Digest
from pagestore.connection import connect
from pagestore.mongo import MongoWorkStore
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import signed_in
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import stores
from webadmin.accounts.services.access import HOLDER_PATHS
from webadmin.backups.services.data_export import take_out
from webadmin.cases.models import VerdictRecord
from webadmin.evidence.models import DayTree, EvidenceBundle
from webadmin.notices.models import Addressee
from webadmin.works.models import Chapter

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    filled = admin_data.fill_world(cases=3)
    texts, store = case_texts.use(monkeypatch), MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    text_id = texts.works.put_text(admin_data.WORK_TEXT)
    Chapter.objects.update(text_id=text_id)
    for estate in (filled.ours, filled.theirs):
        bundle = admin_data.evidence_bundle(estate.cases[0])
        store.put(bundle.digest, b"WACZ of " + estate.holder.name.encode())
        VerdictRecord.objects.filter(case__in=estate.cases).update(note="=HYPERLINK(1)")
    return filled


def test_it_has_all_of_one_rights_holder_alone_and_each_digest_holds(world: World, tmp_path: Path) -> None:
    path = tmp_path / "全部.zip"
    taken = take_out(world.ours.holder, path)
    assert [each.name for each in tmp_path.iterdir()] == ["全部.zip"]
    with zipfile.ZipFile(path) as opened:
        assert opened.testzip() is None
        names = opened.namelist()
        everything = b"".join(map(opened.read, names)) + "".join(names).encode()
        assert not [theirs for theirs in ("beidou", world.theirs.holder.name) if theirs.encode() in everything]
        for model in HOLDER_PATHS:
            name = model._meta.model_name
            rows = json.loads(opened.read(f"tables/{name}.json"))
            assert len(rows) == taken.rows[str(name)]
            assert len(rows) == model._default_manager.filter(**{HOLDER_PATHS[model]: world.ours.holder.pk}).count()
        for line in opened.read("SHA256SUMS").decode().splitlines():
            kept, name = line.split("  ", 1)
            assert hashlib.sha256(opened.read(name)).hexdigest() == kept
        texts = [each for each in names if each.startswith("works/")]
        assert len(texts) == Chapter.objects.filter(work__rights_holder=world.ours.holder).count()
        assert opened.read(texts[0]).decode() == admin_data.WORK_TEXT
        bundle = EvidenceBundle.objects.get(case=world.ours.cases[0])
        assert opened.read(f"evidence/{bundle.digest}.wacz") == b"WACZ of " + world.ours.holder.name.encode()
        index = opened.read("index.html").decode()
        assert world.ours.holder.name in index
        (told,) = [row for row in index.split("<tr>") if row.startswith("<td>tables/case.csv, .json<td>")]
        assert told.count("(3)") == 2
        cells = [cell for row in csv.reader(io.StringIO(opened.read("tables/verdictrecord.csv").decode("utf-8-sig")))
                 for cell in row]  # fmt: skip
    assert "'=HYPERLINK(1)" in cells
    assert not any(cell.startswith("=") for cell in cells)


def test_damaged_and_lost_texts_are_named_and_the_rest_is_in_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mongo_url: str
) -> None:
    database = connect(mongo_url)
    works = MongoWorkStore(database)
    chapters = list(Chapter.objects.filter(work__rights_holder=world.ours.holder).order_by("pk"))
    for number, chapter in enumerate(chapters):
        Chapter.objects.filter(pk=chapter.pk).update(text_id=works.put_text(f"{admin_data.WORK_TEXT}{number}"))
    chapters[0].refresh_from_db()
    database["work_texts_parts"].update_one({"_id": f"{chapters[0].text_id}/0000"}, {"$set": {"data": b"garbled"}})
    monkeypatch.setattr(stores, "work_store", lambda: works)
    taken = take_out(world.ours.holder, tmp_path / "ours.zip")
    assert [each for each in taken.missing if each.endswith(f"-{chapters[0].pk}.txt")]
    names = zipfile.ZipFile(tmp_path / "ours.zip").namelist()
    assert sum(each.startswith("works/") for each in names) == len(chapters) - 1
    assert (tmp_path / "ours.zip").stat().st_mode & 0o777 == 0o600
    Chapter.objects.filter(work__rights_holder=world.ours.holder).update(text_id="00" * 20)
    taken = take_out(world.ours.holder, tmp_path / "ours.zip")
    assert sum(each.startswith("works/") for each in taken.missing) == len(chapters)
    with zipfile.ZipFile(tmp_path / "ours.zip") as opened:
        assert f"missing or damaged: {taken.missing[0]}" in opened.read("index.html").decode()


def test_rows_between_tables_and_the_proof_of_each_bundle_go_in(world: World, tmp_path: Path) -> None:
    bundle = EvidenceBundle.objects.get(case=world.ours.cases[0])
    foreign = EvidenceBundle.objects.get(case=world.theirs.cases[0])
    leaves = sorted([bundle.digest, foreign.digest])
    root = day_root([Digest(each) for each in leaves])
    DayTree.objects.create(day=bundle.day, root=root, leaves=leaves, made_at=admin_data.NOW)
    for estate in (world.ours, world.theirs):
        admin_data.addressee(estate.holder, "两站的主机商", *estate.sites)
    pairs = Addressee.sites.through.objects.filter(addressee__rights_holder=world.ours.holder)
    take_out(world.ours.holder, tmp_path / "ours.zip")
    with zipfile.ZipFile(tmp_path / "ours.zip") as opened:
        said = json.loads(opened.read(f"proofs/{bundle.digest}.json"))
        assert (said["root"], said["tree_size"]) == (root, 2)
        assert f"proofs/{foreign.digest}.json" not in opened.namelist()
        assert foreign.digest not in json.dumps(said)
        rows = json.loads(opened.read("tables/addressee_sites.json"))
        assert [row["id"] for row in rows] == list(pairs.order_by("pk").values_list("pk", flat=True))
        assert len(rows) >= len(world.ours.sites)
        assert "tables/counterstatement_cases.csv" in opened.namelist()


def test_a_manager_downloads_it_and_nobody_else(world: World) -> None:
    address = reverse("admin:accounts_rightsholder_take_out", args=[world.ours.holder.pk])
    asked = signed_in(world.ours.manager).get(address)
    assert (asked.status_code, b'<form method="post"' in asked.content) == (200, True)
    answer = signed_in(world.ours.manager).post(address)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/zip"
    assert zipfile.is_zipfile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined]
    for other in (world.ours.reviewer, world.theirs.manager):
        assert signed_in(other).post(address).status_code in {302, 403, 404}
