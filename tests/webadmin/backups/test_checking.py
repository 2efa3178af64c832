"""The stores against their digests and each other, on the admin database, the embedded page store and a real Redis."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection
from django.db.models import F

from core.ids import VersionId
from core.matches import RewordedClass
from core.settings_loading import load
from core.visits import AbsenceReason
from core.works import StoredFingerprint
from fingerprint.algorithms import DEFAULT
from matcher.reworded.chunks import TextCells
from matcher.reworded.stored import CELLS_ID
from pagestore.checking import FaultKind
from pagestore.connection import MongoDatabase, connect
from pagestore.documents import moment, unpack_text
from pagestore.states import absence_document, new_absence
from tests.support.memory_cases import MemoryOutbox
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.records import response
from tests.webadmin.cases.test_live_search import Live, live_ports, story
from webadmin.accounts.models import RightsHolder
from webadmin.backups.models import StoreCheck
from webadmin.backups.services.checking import run
from webadmin.backups.services.checking.context import CheckContext
from webadmin.backups.services.checking.damage import CheckPart, CheckReport, Damage, Remedy, Store
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.services.making import EvidencePorts, create_bundles
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import CrawlRun, PageRecord, Site
from webadmin.works.models import Chapter

pytestmark = pytest.mark.django_db
STEPS = tuple(step for _, step in run.STEPS)


@dataclass
class Kept:
    """Three pages, of which the first copied a work, with their evidence; and a check of all that."""

    live: Live
    database: MongoDatabase
    evidence: EvidencePorts
    environ: dict[str, str]

    def check(self, *, may_mend: bool = True, part: CheckPart | None = None) -> list[Damage]:
        report = CheckReport()
        context = CheckContext(
            load(self.environ), self.live.ports, self.evidence, self.database, None, report, part or CheckPart(),
            lambda name, done, total: None, may_mend,
        )  # fmt: skip
        for step in STEPS:
            step(context)
        assert report.unread == []
        return report.damages

    def any_key(self, collection: str) -> str:
        """Return the key of something that no evidence holds as well."""
        in_evidence = {match.raw_digest for match in CaseMatch.objects.all()}
        keys = [str(each["_id"]) for each in self.database[collection].find({}, {"_id": 1})]
        return next(key for key in keys if key not in in_evidence)


@pytest.fixture
def kept(mongo_url: str, redis_url: str, django_capture_on_commit_callbacks: Callable[..., object]) -> Iterator[Kept]:
    client, outbox, database = redis.Redis.from_url(redis_url), MemoryOutbox(), connect(mongo_url)
    client.flushdb()
    ports = live_ports(client, database, outbox, DEFAULT)
    ports.index.clear()
    site = Site.objects.create(
        rights_holder=RightsHolder.objects.create(name="甲"), name="某站", start_urls="http://pirate.example/"
    )
    live = Live(ports, outbox, client, site, django_capture_on_commit_callbacks)
    live.add_work("旧作", story(1))
    stored = [live.store_page(f"http://pirate.example/{number}", story(number)) for number in (1, 2, 3)]
    live.run()
    evidence = EvidencePorts(ports.pages, ports.works, MemoryEvidenceStore(), ports.clock)
    create_bundles(VersionId(stored[0].version_id), evidence)
    made = Kept(live, database, evidence, {"ZHUIWEN_MONGO_URL": mongo_url, "ZHUIWEN_REDIS_URL": redis_url})
    assert made.check() == []
    yield made
    client.close()


def told(damages: list[Damage]) -> list[tuple[str, str, str]]:
    return [(each.place, each.kind.value, each.remedy.value) for each in damages]


LOST = {
    "pages": Remedy.RESTORE,
    "page_versions": Remedy.RESTORE,
    "page_texts": Remedy.RESTORE,
    "raw_bodies": Remedy.RESTORE,
    "fingerprints": Remedy.MADE_ANEW,
    "work_texts": Remedy.RESTORE,
}


def test_what_the_page_store_lost_is_missed_or_made_anew(kept: Kept) -> None:
    for collection, remedy in LOST.items():
        lost: Any = kept.database[collection].find_one({"_id": kept.any_key(collection)})
        kept.database[collection].delete_one({"_id": lost["_id"]})
        if collection == "pages":
            looked = kept.check(may_mend=False)
            assert {(each.place, each.kind) for each in looked} == {(collection, FaultKind.MISSING)}
        assert told(kept.check()) == [(collection, "missing", remedy.value)]
        if remedy is Remedy.RESTORE:
            kept.database[collection].insert_one(lost)
    assert kept.check() == []


def test_bytes_that_changed_are_told_as_changed(kept: Kept) -> None:
    for collection in ("page_texts", "raw_bodies", "fingerprints", "work_texts"):
        head: Any = kept.database[collection].find_one({})
        of_parts = not head.get("data")
        name, key = (f"{collection}_parts", f"{head['_id']}/0000") if of_parts else (collection, head["_id"])
        whole: Any = kept.database[name].find_one({"_id": key})
        kept.database[name].update_one({"_id": key}, {"$set": {"data": b"\x00garbled"}})
        assert {(each.place, each.kind) for each in kept.check()} == {(collection, FaultKind.CHANGED)}
        kept.database[name].update_one({"_id": key}, {"$set": {"data": whole["data"]}})
    kept.database["page_versions"].update_one({"_id": kept.any_key("page_versions")}, {"$set": {"title": "改"}})
    assert told(kept.check()) == [("page_versions", "changed", "restore")]


def test_a_lost_text_of_a_work_names_the_cases_that_rest_on_it(kept: Kept) -> None:
    match = CaseMatch.objects.get()
    kept.database["work_texts"].delete_one({"_id": match.text_id})
    (damage,) = kept.check()
    assert damage.cases == (match.case_id,)


def test_what_waits_or_is_being_written_is_not_missed(kept: Kept) -> None:
    key = kept.any_key("pages")
    kept.database["fingerprints"].delete_many({"_id": {"$gte": ""}})
    Chapter.objects.update(indexed_at=None)
    PageRecord.objects.filter(pk=key).update(version_id="")
    kept.database["pages"].delete_one({"_id": key})
    crawling(kept)
    damages = kept.check()
    assert "page_versions" not in {each.place for each in damages}
    assert not set(Chapter.objects.values_list("text_id", flat=True)) & {each.key for each in damages}


def crawling(kept: Kept) -> CrawlRun:
    return CrawlRun.objects.create(
        site=kept.live.site,
        rights_holder=kept.live.site.rights_holder,
        state=CrawlRun.State.RUNNING,
        due_at=kept.live.ports.clock.now(),
    )


def absence(page: dict[str, Any], at: int) -> dict[str, Any]:
    """A response 404 of a page, as it is stored."""
    fetched = response(unpack_text(page["site"]), unpack_text(page["url"]), b"", moment(at), status=404)
    return absence_document(new_absence(fetched, AbsenceReason.NOT_FOUND))


def test_a_damaged_fingerprint_is_made_anew_and_the_codes_of_its_text_stay(kept: Kept) -> None:
    text_id, store = Chapter.objects.get().text_id, kept.live.ports.fingerprints
    codes = StoredFingerprint(text_id, CELLS_ID, TextCells.from_text(story(1)).to_bytes())
    store.put_many([codes, StoredFingerprint(text_id, DEFAULT.id, b"damaged")])
    assert told(kept.check(may_mend=False))[0] == ("fingerprints", "changed", "can be made anew")
    assert told(kept.check()) == [("fingerprints", "changed", "made anew")]
    assert kept.check() == []
    assert store.get(text_id, CELLS_ID) is not None


def test_an_excerpt_that_is_not_what_stands_there_is_a_changed_finding(kept: Kept) -> None:
    match = CaseMatch.objects.get()
    match.spans[0]["page_excerpt"] = f"改{match.spans[0]['page_excerpt'][1:]}"
    match.save()
    (damage,) = kept.check()
    assert (damage.store, damage.place, damage.cases) == (Store.ADMIN, "cases_casematch", (match.case_id,))


def lead_on(match: CaseMatch) -> RewordedLead:
    """A lead between the texts of a case, with two pairs."""
    return RewordedLead.objects.create(
        page=match.case.page, work=match.case.work, text_id=match.text_id, page_url=match.case.page.url,
        found_as=RewordedClass.REWORDED, score=60.0, elsewhere=0.0,
        pairs=[[0, 10, 0, 10, 0.9], [12, 20, 15, 22, 0.8]], pair_count=2, sentence_count=9,
        in_order=2, algorithm_version=1, version_id=match.version_id,
        raw_digest=match.raw_digest, page_text_digest=match.page_text_digest, work_text_digest=match.work_text_digest,
        fetched_at=match.fetched_at, found_at=match.fetched_at,
    )  # fmt: skip


def test_a_lead_whose_sentences_do_not_stand_where_it_says_is_named(kept: Kept) -> None:
    lead = lead_on(CaseMatch.objects.get())
    assert kept.check() == []
    for changed in (
        {"pairs": [lead.pairs[0], [12, 20, 15, 999_999, 0.8]]},  # beyond the text
        {"pairs": lead.pairs[::-1]},
        {"pairs": lead.pairs[:1]},
        {"work_text_digest": "0" * 64},
    ):
        RewordedLead.objects.update(**changed)
        (damage,) = kept.check()
        assert (damage.store, damage.place, damage.key) == (Store.ADMIN, "rewrites_rewordedlead", str(lead.pk))
        lead.save()
    assert f"; suspected rewrite {lead.pk}" in damage.sentence.in_language("en")
    assert "rows can only be restored with the whole backup" in damage.sentence.in_language("en")


def test_the_page_of_a_damaged_lead_that_is_still_looked_for_owes_a_search(kept: Kept) -> None:
    lead = lead_on(CaseMatch.objects.get())
    PageRecord.objects.update(reworded_version_id=F("version_id"))
    RightsHolder.objects.update(reworded_kinds=[lead.work.kind])
    RewordedLead.objects.update(pair_count=3)
    owing = PageRecord.objects.exclude(reworded_version_id=F("version_id"))
    PageRecord.objects.update(gone_since=lead.found_at)
    assert told(kept.check()) == [("rewrites_rewordedlead", "changed", "restore")]
    PageRecord.objects.update(gone_since=None)
    assert told(kept.check(may_mend=False)) == [("rewrites_rewordedlead", "changed", "can be made anew")]
    assert not owing.exists()
    assert told(kept.check()) == [("rewrites_rewordedlead", "changed", "searched again")]
    assert owing.get() == lead.page


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL removes no row that another one names")
def test_a_row_that_is_named_and_gone_is_missing(kept: Kept) -> None:
    case = Case.objects.get()
    Case.objects.filter(pk=case.pk)._raw_delete("default")
    damages = kept.check()
    case.save(force_insert=True)  # the test's database is to be whole at its end
    assert ("cases_case", str(case.pk), FaultKind.MISSING) in {(each.place, each.key, each.kind) for each in damages}


def test_a_garbled_index_is_found_and_made_anew(kept: Kept) -> None:
    client = kept.live.client

    def keys_of(part: str) -> list[bytes]:
        return list(client.scan_iter(match=f"zw:*{part}"))  # of every generation: an old one may still be there

    def not_a_hash(texts: bytes) -> None:
        client.delete(texts)
        client.set(texts, b"x")

    for part, garble in (
        ("b:*", lambda key: client.strlen(key) and client.setrange(key, 0, b"\xff\xff")),
        (":texts", lambda key: client.hset(key, client.hkeys(key)[0], b"\x00" * 13)),
        (":meta", lambda key: client.hset(key, "postings", b"many")),
        (":texts", not_a_hash),
        (":meta", client.delete),
        (":log", lambda key: client.lset(key, 0, b"\x00" * 34)),
    ):
        assert keys_of(part)
        for key in keys_of(part):
            garble(key)
        assert {each.remedy for each in kept.check(may_mend=False)} == {Remedy.CAN_BE_MADE}
        mended = kept.check()
        assert {(each.store, each.remedy) for each in mended} == {(Store.INDEX, Remedy.MADE_ANEW)}
        assert kept.check() == []


def test_what_a_check_found_stands_in_a_row(kept: Kept) -> None:
    from webadmin.backups.services.store_checks import known_damages, next_part, note_store_check

    kept.database["raw_bodies"].delete_many({"_id": {"$gte": ""}})
    damages = [each.as_values() for each in kept.check()]
    moment = kept.live.ports.clock.now()
    note_store_check(moment, moment, 9, damages, part=None)
    assert [Damage.from_values(each) for each in known_damages()] == [
        each for each in map(Damage.from_values, damages) if each.is_lost
    ]
    note_store_check(moment, moment, 9, [], part=next_part())
    assert (next_part(), len(known_damages())) == (1, len([each for each in damages if each["remedy"] == "restore"]))
    note_store_check(moment, moment, 9, [], part=None)
    assert (known_damages(), StoreCheck.objects.count()) == ([], 3)


def test_a_database_that_is_away_is_unread_and_not_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(context: CheckContext) -> None:
        cause = sqlite3.OperationalError("database is locked")
        cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise OperationalError("database is locked") from cause

    def broken(context: CheckContext) -> None:
        told = "Could not decode to UTF-8 column 'title'"
        raise OperationalError(told) from sqlite3.OperationalError(told)

    monkeypatch.setattr(run, "STEPS", ((Store.ADMIN, away),))
    report = run.check_stores(load({}), lambda name, done, total: None, may_mend=False)
    assert (report.damages, len(report.unread)) == ([], 1)
    monkeypatch.setattr(run, "STEPS", ((Store.ADMIN, broken),))
    report = run.check_stores(load({}), lambda name, done, total: None, may_mend=False)
    assert [each.remedy for each in report.damages] == [Remedy.RESTORE]
