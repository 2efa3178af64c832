"""Codes of texts in the live store: damaged in any way they are made anew, and nothing else of a text is touched."""

from collections.abc import Callable

import pytest

from core.ids import WorkTextId
from core.works import StoredFingerprint
from matcher.reworded.chunks import TextCells
from matcher.reworded.stored import CELLS_ID
from pagestore.connection import MongoDatabase, connect
from pagestore.mongo import MongoFingerprintStore, MongoWorkStore
from tests.support.rewritten import INNOCENT, WORK
from webadmin.rewrites.services.searching.codes import CodesStore


@pytest.fixture
def database(mongo_url: str) -> MongoDatabase:
    return connect(mongo_url)


@pytest.fixture
def store(database: MongoDatabase) -> MongoFingerprintStore:
    return MongoFingerprintStore(database)


@pytest.fixture
def works(database: MongoDatabase) -> MongoWorkStore:
    return MongoWorkStore(database)


@pytest.fixture
def codes(store: MongoFingerprintStore, works: MongoWorkStore) -> CodesStore:
    return CodesStore(store, works)


def change_data(database: MongoDatabase, key: str) -> None:
    database["fingerprints"].update_one({"_id": key}, {"$set": {"data": b"\0" * 40}})


def change_digest(database: MongoDatabase, key: str) -> None:
    database["fingerprints"].update_one({"_id": key}, {"$set": {"digest": "0" * 64}})


def cut_off(database: MongoDatabase, key: str) -> None:
    text_id, _, number = key.partition(":")
    stored = MongoFingerprintStore(database).get(text_id, int(number))
    MongoFingerprintStore(database).put_many([StoredFingerprint(text_id, int(number), stored.payload[:-1])])


@pytest.mark.parametrize("damage", [change_data, change_digest, cut_off])
def test_damaged_cells_are_made_anew_and_the_fingerprint_stays(
    database: MongoDatabase,
    store: MongoFingerprintStore,
    works: MongoWorkStore,
    codes: CodesStore,
    damage: Callable[[MongoDatabase, str], None],
) -> None:
    texts = [works.put_text(WORK), works.put_text(INNOCENT)]
    made = dict(codes.cells(texts))
    store.put_many([StoredFingerprint(texts[0], 4, b"\4")])
    damage(database, f"{texts[0]}:{CELLS_ID}")
    again = dict(codes.cells(texts))
    assert {key: each.to_bytes() for key, each in again.items()} == {key: each.to_bytes() for key, each in made.items()}
    stored = store.get(texts[0], CELLS_ID)
    assert TextCells.from_bytes(stored.payload).keys.tolist() == made[texts[0]].keys.tolist()
    assert store.get(texts[0], 4) is not None


def test_damaged_texts_are_left_out(database: MongoDatabase, works: MongoWorkStore, codes: CodesStore) -> None:
    whole, damaged = works.put_text(WORK), works.put_text(INNOCENT)
    database["work_texts_parts"].update_many({"_id": {"$regex": f"^{damaged}"}}, {"$set": {"data": b"x"}})
    database["work_texts"].update_one({"_id": damaged}, {"$set": {"digest": "0" * 64}})
    assert [text_id for text_id, _ in codes.cells([whole, damaged, WorkTextId("f" * 40)])] == [whole]
    assert (codes.text(whole), codes.text(damaged), codes.text(WorkTextId("f" * 40))) == (WORK, None, None)
