"""Test that what the page store asks of a server is what docs/operations.md says, no less and no more."""

import random
from dataclasses import replace
from datetime import timedelta

from core.ids import Digest, digest
from core.visits import AbsenceReason
from core.works import StoredFingerprint
from pagestore.blobs import PART_BYTES
from pagestore.connection import MongoDatabase, connect, ping
from pagestore.evidence import MongoEvidenceStore
from pagestore.mongo import MongoFingerprintStore, MongoPageStore, MongoWorkStore
from tests.pagestore.commands import Recorder, documented
from tests.pagestore.contracts import CAPTURE, NOON, fetched, reading

IN_PARTS = "getMore"  # which the embedded server never needs: it answers in one piece
LONG = random.Random(1).randbytes(PART_BYTES + 1)


def test_all_that_the_docs_list_is_asked_for_and_nothing_else(mongo_url: str, recorder: Recorder) -> None:
    database = connect(mongo_url)
    ping(database)
    pages_come_go_and_come_back(MongoPageStore(database))
    texts_and_fingerprints_are_kept_and_forgotten(database)
    bundles_are_kept_and_removed(MongoEvidenceStore(database))
    known = documented()
    assert {**recorder.sent, IN_PARTS: known[IN_PARTS]} == known


def pages_come_go_and_come_back(store: MongoPageStore) -> None:
    first = store.put(fetched(capture=CAPTURE), reading())
    store.put_many(
        [(fetched(after_s=9, body=LONG), reading(text="改了。")), (fetched(url="https://b.example/"), reading())]
    )
    store.put(fetched(after_s=4), reading(text="早先。"))
    store.put_absence(fetched(after_s=20), AbsenceReason.NOT_FOUND, is_gone=True)
    store.record_sighting(first.page_id, NOON + timedelta(seconds=30))
    store.record_sighting(first.page_id, NOON + timedelta(seconds=40))
    store.record_sighting(first.page_id, NOON - timedelta(seconds=30))
    assert store.pages(None, 10)
    assert store.pages(first.page_id, 10) is not None
    assert store.raw(digest(LONG)) == LONG
    assert store.versions(first.page_id)
    assert store.states(first.page_id)
    assert store.absences(first.page_id)
    assert store.on_pages([first.version_id])


def texts_and_fingerprints_are_kept_and_forgotten(database: MongoDatabase) -> None:
    works, fingerprints = MongoWorkStore(database), MongoFingerprintStore(database)
    text = works.put_text("一段文字")
    assert list(works.texts())
    works.remove_text(text)
    stored = StoredFingerprint("a" * 40, 1, b"\x01")
    fingerprints.put_many([stored, replace(stored, subject="b" * 40)])
    fingerprints.remove("a" * 40)


def bundles_are_kept_and_removed(store: MongoEvidenceStore) -> None:
    name = Digest("a" * 64)
    store.put(name, b"content")
    assert list(store.digests()) == [name]
    store.remove(name, "older than 10 years", NOON)
    assert store.removals()
