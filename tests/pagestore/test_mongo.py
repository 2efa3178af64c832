"""The live stores on the real embedded server: the contracts, and what only a server can do to them."""

import random
import sqlite3
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pymongo.errors import OperationFailure

from core.errors import BadConfiguration, BrokenInvariant, RetryLater, ServiceUnavailable
from core.ids import digest
from core.works import StoredFingerprint
from laboratory.ports import free_port
from pagestore.blobs import PART_BYTES, Blobs
from pagestore.connection import translate_errors
from pagestore.mongo import MongoDatabase, MongoFingerprintStore, MongoPageStore, MongoWorkStore, connect, ping
from tests.pagestore.contracts import (
    CAPTURE,
    FingerprintStoreContract,
    PageStoreContract,
    WorkStoreContract,
    fetched,
    reading,
)
from tests.support.embedded import EmbeddedMongo


@pytest.fixture
def database(mongo_url: str) -> Iterator[MongoDatabase]:
    handle = connect(mongo_url)
    yield handle
    handle.client.close()


@pytest.mark.parametrize(
    ("code", "fault"), [(1, ServiceUnavailable), (14031, ServiceUnavailable), (2, BrokenInvariant)]
)
def test_a_server_error_is_retried_and_a_client_error_is_not(
    database: MongoDatabase, code: int, fault: type[Exception]
) -> None:
    with pytest.raises(fault), translate_errors(database):
        raise OperationFailure("internal server error", code)


class TestMongoPageStore(PageStoreContract):
    longest = 18 * 1024 * 1024

    @pytest.fixture
    def store(self, database: MongoDatabase) -> MongoPageStore:
        return MongoPageStore(database)

    def damage_raw(self, store: Any, body: bytes) -> None:
        store._database["raw_bodies"].update_one({"_id": digest(body)}, {"$set": {"data": zlib.compress(b"other")}})

    @pytest.mark.parametrize(
        "collections", [["pages"], ["pages", "page_versions"], ["pages", "page_versions", "page_texts"]]
    )
    def test_a_put_that_died_half_way_is_finished_by_the_next(
        self, store: MongoPageStore, database: MongoDatabase, collections: list[str]
    ) -> None:
        first = store.put(fetched(), reading())
        for name in collections:
            database[name].delete_many({"_id": {"$gte": ""}})
        assert store.page(first.page_id) is None
        again = store.put(fetched(), reading())
        assert again == first
        assert len(store.versions(first.page_id)) == 1
        assert store.raw(digest(fetched().body)) == fetched().body

    def test_certificates_are_kept_once_and_a_changed_one_is_noticed(
        self, store: MongoPageStore, database: MongoDatabase
    ) -> None:
        stored = store.put(fetched(capture=CAPTURE), reading())
        store.put(fetched(capture=CAPTURE, url="https://example.com/other"), reading())
        assert database["certificates"].count_documents({}) == 2
        version = store.version(stored.version_id)
        assert version.capture_digest is not None
        name = digest(b"\x30\x00own")
        database["certificates"].update_one({"_id": name}, {"$set": {"data": zlib.compress(b"forged")}})
        with pytest.raises(BrokenInvariant, match=name):
            store.capture(version.capture_digest)

    def test_raw_bodies_are_kept_compressed_and_once(self, store: MongoPageStore, database: MongoDatabase) -> None:
        body = "重复的内容。".encode() * 10_000
        store.put(fetched(body=body), reading())
        store.put(fetched(body=body, url="https://example.com/other"), reading())
        kept = list(database["raw_bodies"].find({}))
        assert len(kept) == 1
        assert len(kept[0]["data"]) < len(body) / 100
        assert list(database["raw_bodies_parts"].find({})) == []

    def test_a_missing_part_of_a_long_value_is_damage_and_not_absence(
        self, store: MongoPageStore, database: MongoDatabase
    ) -> None:
        long = random.Random(1).randbytes(PART_BYTES + 1)
        store.put(fetched(body=long), reading())
        assert store.raw(digest(long)) == long
        assert database["raw_bodies_parts"].count_documents({}) == 2
        database["raw_bodies_parts"].delete_one({"_id": f"{digest(long)}/0001"})
        with pytest.raises(BrokenInvariant, match="damaged"):
            store.raw(digest(long))

    def test_what_earlier_releases_kept_in_parts_is_read_and_not_written_again(
        self, store: MongoPageStore, database: MongoDatabase
    ) -> None:
        body = b"<p>an old one</p>"
        Blobs(database, "raw_bodies").put(digest(body), body)
        assert database["raw_bodies_parts"].count_documents({}) == 1
        store.put(fetched(body=body), reading())
        assert store.raw(digest(body)) == body
        assert "data" not in (database["raw_bodies"].find_one({"_id": digest(body)}) or {})

    def test_a_version_of_a_later_schema_is_refused(self, store: MongoPageStore, database: MongoDatabase) -> None:
        stored = store.put(fetched(), reading())
        database["page_versions"].update_one({"_id": stored.version_id}, {"$set": {"schema": 99}})
        with pytest.raises(BrokenInvariant, match="schema 99"):
            store.version(stored.version_id)


class TestMongoWorkStore(WorkStoreContract):
    @pytest.fixture
    def store(self, database: MongoDatabase) -> MongoWorkStore:
        return MongoWorkStore(database)


class TestMongoFingerprintStore(FingerprintStoreContract):
    @pytest.fixture
    def store(self, database: MongoDatabase) -> MongoFingerprintStore:
        return MongoFingerprintStore(database)

    def test_nothing_of_a_removed_subject_stays_behind(
        self, store: MongoFingerprintStore, database: MongoDatabase
    ) -> None:
        store.put_many([StoredFingerprint("a" * 40, 1, b"\x01")])
        store.remove("a" * 40)
        assert list(database["fingerprints"].find({})) == []
        assert list(database["fingerprints_parts"].find({})) == []


@pytest.mark.usefixtures("processes")
def test_everything_acknowledged_outlives_kill_9(tmp_path: Path) -> None:
    server = EmbeddedMongo(tmp_path)
    server.start()
    acknowledged: list[str] = []
    began = threading.Event()

    def write() -> None:
        store = MongoWorkStore(connect(server.url("killed"), timeout_s=0.5))
        try:
            for number in range(1_000_000):
                acknowledged.append(store.put_text(f"第{number}段文字"))
                if number == 100:
                    began.set()
        except RetryLater:
            began.set()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert began.wait(30)
        server.kill()
        writer.join(30)
        assert len(acknowledged) > 100
        server.start()
        stored = {each.id for each in MongoWorkStore(connect(server.url("killed"))).texts()}
        assert set(acknowledged) <= stored
    finally:
        server.stop()


def test_a_store_that_cannot_write_now_is_retried_a_refused_operation_is_not(
    mongo_server: EmbeddedMongo, mongo_url: str
) -> None:
    database = connect(mongo_url)
    store = MongoPageStore(database)
    store.put(fetched(), reading())
    with closing(sqlite3.connect(mongo_server.folder / f"{database.name}.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")  # what a copy of the file by hand may do
        with pytest.raises(ServiceUnavailable, match=r"is not responding at .*; try: zhuiwen doctor"):
            MongoWorkStore(database).put_text("一段文字")
        other.execute("ROLLBACK")
    MongoWorkStore(database).put_text("一段文字")
    with pytest.raises(BrokenInvariant, match="rejects an operation"), translate_errors(database):
        list(database["pages"].aggregate([{"$nonsense": 1}]))


@pytest.mark.usefixtures("loopback")
def test_a_server_that_is_away_is_a_service_unavailable_that_names_its_address() -> None:
    port = free_port()
    database = connect(f"mongodb://someone:secret@127.0.0.1:{port}/x", timeout_s=0.2)
    with pytest.raises(ServiceUnavailable, match=f"127.0.0.1:{port}") as failure:
        MongoPageStore(database).put(fetched(), reading())
    assert "secret" not in str(failure.value)
    with pytest.raises(ServiceUnavailable):
        ping(database)


@pytest.mark.parametrize("url", ["http://x:secret@y", "mongodb://u:secret@h:99999999/", "mongodb://a:b:secret@c/"])
def test_a_url_that_cannot_be_names_the_variable_and_no_secret(url: str) -> None:
    with pytest.raises(BadConfiguration, match="ZHUIWEN_MONGO_URL") as failure:
        connect(url)
    assert "secret" not in str(failure.value)


FORKS = """
import os, sys
from pagestore.connection import connect, ping
database = connect(sys.argv[1])
if os.fork() == 0:
    ping(database)
    os._exit(0)
sys.exit(os.wait()[1])
"""


@pytest.mark.usefixtures("processes")
def test_a_process_may_fork_after_it_connected(mongo_url: str) -> None:
    command = [sys.executable, "-W", "error:MongoClient:UserWarning", "-c", FORKS, mongo_url]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_writes_wait_for_the_journal_unless_the_url_says_otherwise(mongo_url: str) -> None:
    assert connect(mongo_url).write_concern.document == {"w": "majority", "j": True}
    assert connect(mongo_url + "?w=1").write_concern.document == {"w": 1}
