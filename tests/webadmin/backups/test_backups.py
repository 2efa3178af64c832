"""Backups of an installation with two rights holders: what is in them, what comes of them, what is refused."""

import gzip
import json
from dataclasses import replace
from datetime import timedelta
from itertools import cycle

import bson
import pytest
from django.core.management import call_command

from core.errors import BadInput
from core.evidence import BundleRemoval
from core.ids import Digest
from pagestore.mongo import MongoPageStore, MongoWorkStore
from pagestore.objects.opening import open_objects
from tests.support import admin_data
from tests.support.backed_up import Stored, unheard
from tests.support.case_texts import Texts
from tests.support.memory_objects import MemoryObjects
from tests.support.s3_server import S3Server
from webadmin import stores
from webadmin.backups.models.backup import installation_key
from webadmin.backups.services.format import DamagedBackup, list_backups, load_backup, object_key
from webadmin.backups.services.mending import repair_stores
from webadmin.backups.services.restoring import require_empty, require_whole, restore
from webadmin.backups.services.runs import keep_newest
from webadmin.backups.services.verification import verify
from webadmin.backups.services.writing import BackupSource, make
from webadmin.evidence.models import EvidenceBundle
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import PageRecord
from webadmin.works.models import Work

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_was_destroyed_is_restored_row_by_row_and_byte_by_byte(stored: Stored) -> None:
    place = MemoryObjects()
    stored.evidence.note_removal(BundleRemoval(Digest("ab" * 32), 7, admin_data.NOW, "older than 3 years"))
    before = stored.rows(), stored.documents()
    manifest = stored.backed_up(place).backup.manifest
    assert not [each for each in manifest.lacking if not each.startswith("evidence/")]
    stored.destroy()
    require_empty(stored.target)

    def dying(part: str, done: int, total: int) -> None:
        if part == "page_versions":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(manifest, place, stored.target, dying)
    assert not Work.objects.exists()
    restore(manifest, place, stored.target, unheard)  # one that died goes on
    assert (stored.rows(), stored.documents()) == before
    Work.objects.create(rights_holder_id=stored.world.ours.holder.pk, title="以后的作品", kind=Work.Kind.NOVEL)
    stored.destroy()
    key = before[1]["page_versions"][0]["_id"]
    stored.mongo["page_versions"].insert_one({"_id": key, "schema": 1, "page": "another"})
    with pytest.raises(DamagedBackup, match=f"page_versions/{key} differs from what was written"):
        restore(manifest, place, stored.target, unheard)


def test_later_backups_write_what_is_new_alone_and_old_ones_go(stored: Stored) -> None:
    place, works = MemoryObjects(), MongoWorkStore(stored.mongo)
    first = stored.backed_up(place)
    again = stored.backed_up(place)
    manifest = len(again.backup.line) + 1
    assert again.new_bytes == manifest < first.new_bytes
    key = works.put_text("后来加入又被撤回的一章。")
    third = stored.backed_up(place).backup
    assert len(third.manifest.objects - first.backup.manifest.objects) == 2  # one text, and the list of its key
    works.remove_text(key)
    fourth = stored.backed_up(place).backup
    assert fourth.manifest.part("work_texts").records == third.manifest.part("work_texts").records - 1
    assert keep_newest(place, 2) == 2
    assert list_backups(place) == [third.key, fourth.key]
    for each in (third, fourth):
        assert verify(each.manifest, place, unheard).faults == ()
    assert keep_newest(place, 1) == 1
    assert verify(fourth.manifest, place, unheard).faults == ()
    assert set(place.keys("objects/")) == {object_key(name) for name in fourth.manifest.objects}
    assert keep_newest(place, 1) == 0


def test_what_is_written_while_a_backup_is_made_leaves_nothing_named_and_missing(stored: Stored) -> None:
    place, texts = MemoryObjects(), Texts(MongoPageStore(stored.mongo), stores.work_store())  # type: ignore[arg-type]
    page = PageRecord.objects.first()
    written: list[str] = []

    def crawling(part: str, done: int, total: int) -> None:
        if not written or written[-1] != part:
            written.append(part)
            number = len(written)
            page.url, page.last_seen = f"https://new.example/{number}", page.last_seen + timedelta(minutes=1)
            texts.keep(page, f"第{number}章 写入中", f"<html>{number}</html>".encode())

    manifest = make(
        BackupSource(installation_key(), stored.mongo, stored.evidence, {}), place, crawling
    ).backup.manifest
    assert {"pages", "page_versions", "page_texts", "raw_bodies"} <= set(written)
    assert not [each for each in manifest.lacking if not each.startswith("evidence/")]
    assert verify(manifest, place, unheard).faults == ()
    assert [part.name for part in manifest.collections][-2:] == ["pages", "evidence_removals"]


def test_damage_at_the_destination_does_not_stop_the_next_backup(stored: Stored) -> None:
    place = MemoryObjects()
    stored.backed_up(place)
    manifest = stored.backed_up(place).backup.manifest
    keys = manifest.part("page_texts").pieces[0].keys
    assert keys is not None
    place.remove(object_key(keys))
    place.put_new(object_key(keys), b"garbled")
    newest = list_backups(place)[-1]
    place.remove(newest)
    place.put_new(newest, b"garbled")
    assert verify(stored.backed_up(place).backup.manifest, place, unheard).faults == ()


def cut(written: bytes) -> bytes:
    return written[: len(written) // 2]


def garbled(written: bytes) -> bytes:
    middle = len(written) // 2
    return written[:middle] + bytes([written[middle] ^ 1]) + written[middle + 1 :]


def test_a_damaged_object_is_named_and_never_restored(stored: Stored) -> None:
    place = MemoryObjects()
    made = stored.backed_up(place, **{"settings.toml": b"workers = 3\n"})
    manifest = made.backup.manifest
    assert verify(manifest, place, unheard).faults == ()
    names = sorted(manifest.objects)
    names = names[:: len(names) // 9]
    stored.destroy()
    for name, damage in zip(names, cycle((cut, garbled, None))):
        key = object_key(name)
        whole = place.get(key)
        assert whole is not None
        place.remove(key)
        if damage is not None:
            place.put_new(key, damage(whole))
        faults = [str(each) for each in verify(manifest, place, unheard).faults]
        assert any(key in each for each in faults), key
        place.remove(key)
        place.put_new(key, whole)
    piece = manifest.part("page_texts").pieces[0]
    place.remove(object_key(piece.name))
    with pytest.raises(DamagedBackup, match="missing from the backup; nothing was restored"):
        require_whole(manifest, place, unheard)


def test_a_backup_lies_in_s3_as_well(stored: Stored, s3_server: S3Server, s3_url: str) -> None:
    place = open_objects(s3_url, s3_server.access(), "DEST")
    before = stored.rows(), stored.documents()
    made = stored.backed_up(place)
    assert stored.backed_up(place).new_bytes < made.new_bytes
    manifest = load_backup(place, list_backups(place)[-1]).manifest
    assert verify(manifest, place, unheard).faults == ()
    stored.destroy()
    restore(manifest, place, stored.target, unheard)
    assert (stored.rows(), stored.documents()) == before


def test_a_backup_cut_off_is_none_and_what_others_have_is_written_over_nowhere(stored: Stored) -> None:
    place = MemoryObjects()
    place.remove(stored.backed_up(place).backup.key)
    assert list_backups(place) == []
    make(BackupSource("another", stored.mongo, stored.evidence, {}), place, unheard)
    with pytest.raises(BadInput, match="backups of another installation"):
        stored.backed_up(place)
    assert len(list_backups(place)) == 1
    with pytest.raises(BadInput, match="is not empty"):
        require_empty(stored.target)
    call_command("flush", interactive=False, verbosity=0)
    with pytest.raises(BadInput, match=r"is not empty \(raw_bodies"):
        require_empty(stored.target)


def test_what_cannot_be_read_or_is_gone_is_named_and_a_good_copy_stays(stored: Stored) -> None:
    place = MemoryObjects()
    stored.backed_up(place)
    key = stored.mongo["page_texts"].find_one({"parts": 0})["_id"]
    new = MongoWorkStore(stored.mongo).put_text("从未备份过的一章。")
    stored.mongo["page_texts"].update_one({"_id": key}, {"$set": {"data": b"garbled"}})
    stored.mongo["work_texts_parts"].update_one({"_id": f"{new}/0000"}, {"$set": {"data": b"garbled"}})
    made = stored.backed_up(place).backup.manifest
    assert [each for each in made.lacking if not each.startswith("evidence/")] == [f"work_texts/{new}"]
    seen = verify(made, place, unheard)
    assert (seen.faults, seen.lacking) == ((), made.lacking)
    bundle = EvidenceBundle.objects.first()
    for name in ("evidence", "evidence_parts"):
        stored.mongo[name].delete_many({"_id": {"$gte": bundle.digest, "$lt": f"{bundle.digest}0"}})
    made = stored.backed_up(place).backup.manifest
    assert f"evidence/{bundle.digest}" in made.lacking
    hidden = replace(made, lacking=())
    assert any(bundle.digest in str(each) for each in verify(hidden, place, unheard).faults)


def test_the_lines_and_documents_are_read_without_the_product(stored: Stored) -> None:
    place = MemoryObjects()
    manifest = stored.backed_up(place).backup.manifest
    works = manifest.part("works_work")
    lines = gzip.decompress(place.get(object_key(works.pieces[0].name)) or b"").splitlines()
    titles = [json.loads(line)[works.columns.index("title")] for line in lines]
    assert titles == list(Work.objects.order_by("pk").values_list("title", flat=True))
    texts = manifest.part("work_texts").pieces[0]
    records = bson.decode_all(gzip.decompress(place.get(object_key(texts.name)) or b""))
    assert admin_data.WORK_TEXT in [each["data"].decode() for each in records]


def test_what_is_damaged_or_gone_is_put_back_and_nothing_else(stored: Stored) -> None:
    place, works = MemoryObjects(), MongoWorkStore(stored.mongo)
    withdrawn, of_a_lead = works.put_text("后来撤回的一章。"), works.put_text("改过的一章，只有一条线索还指着它。")
    RewordedLead.objects.filter(pk=stored.world.ours.lead.pk).update(text_id=of_a_lead)
    manifest = stored.backed_up(place).backup.manifest
    works.remove_text(withdrawn)
    Work.objects.filter(pk=stored.world.ours.works[0].pk).update(title="备份之后改过的标题")
    before = stored.rows(), stored.documents()
    text = stored.mongo["page_texts"].find_one({"parts": 0})["_id"]
    version = before[1]["page_versions"][0]["_id"]
    bundle = EvidenceBundle.objects.first()
    stored.mongo["page_texts"].update_one({"_id": text}, {"$set": {"data": b"garbled"}})
    stored.mongo["page_versions"].delete_one({"_id": version})
    stored.mongo["evidence_parts"].update_one({"_id": f"{bundle.digest}/0000"}, {"$set": {"data": b"garbled"}})
    works.remove_text(of_a_lead)
    mended = repair_stores(manifest, place, stored.target, installation_key(), unheard)
    assert set(mended.put_back) == {
        f"page_texts/{text}", f"page_versions/{version}", f"work_texts/{of_a_lead}", f"evidence/{bundle.digest}",
    }  # fmt: skip
    assert (stored.rows(), stored.documents()) == before
    assert repair_stores(manifest, place, stored.target, installation_key(), unheard).put_back == ()
    with pytest.raises(BadInput, match="belongs to another installation"):
        repair_stores(replace(manifest, installation="another"), place, stored.target, installation_key(), unheard)
