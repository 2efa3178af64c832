"""Raw responses as objects: what the page store promises of them over a folder and a real S3 server."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import BrokenInvariant, ServiceUnavailable
from core.ids import digest
from core.settings import S3Settings
from pagestore.mongo import MongoDatabase, MongoPageStore, connect
from pagestore.opening import open_page_store
from pagestore.raw_bodies import ObjectBodies
from tests.pagestore.contracts import CAPTURE, RawBodiesContract, fetched, reading
from tests.support.memory_objects import MemoryObjects
from tests.support.s3_server import S3Server


@pytest.fixture
def database(mongo_url: str) -> Iterator[MongoDatabase]:
    handle = connect(mongo_url)
    yield handle
    handle.client.close()


class TestRawBodiesInAFolder(RawBodiesContract):
    @pytest.fixture
    def store(self, database: MongoDatabase, tmp_path: Path) -> MongoPageStore:
        self.folder = tmp_path
        return open_page_store(database, f"file://{tmp_path}", S3Settings())

    def damage_raw(self, store: Any, body: bytes) -> None:
        path = self.folder / digest(body)[:2] / f"{digest(body)}.gz"
        path.chmod(0o600)
        path.write_bytes(path.read_bytes()[:-3])

    def test_nothing_of_them_is_in_the_database(self, store: MongoPageStore, database: MongoDatabase) -> None:
        body = "重复的内容。".encode() * 10_000
        store.put(fetched(body=body, capture=CAPTURE), reading())
        store.put(fetched(body=body, url="https://example.com/other"), reading())
        assert database["raw_bodies"].count_documents({}) == 0
        packed = (self.folder / digest(body)[:2] / f"{digest(body)}.gz").read_bytes()
        assert gzip.decompress(packed) == body
        assert len(packed) < len(body) / 100

    def test_those_from_before_the_setting_are_found_where_they_are(
        self, store: MongoPageStore, database: MongoDatabase
    ) -> None:
        earlier = MongoPageStore(database)
        stored = earlier.put(fetched(body=b"earlier", capture=CAPTURE), reading())
        assert store.raw(digest(b"earlier")) == b"earlier"
        version = store.version(stored.version_id)
        assert version.capture_digest is not None
        assert store.capture(version.capture_digest) == CAPTURE


class TestRawBodiesInS3(RawBodiesContract):
    @pytest.fixture
    def store(self, database: MongoDatabase, s3_url: str, s3_server: S3Server) -> MongoPageStore:
        self.bucket, self.s3 = s3_url.split("/")[2], s3_server
        return open_page_store(database, s3_url, s3_server.access())

    def damage_raw(self, store: Any, body: bytes) -> None:
        key = f"zhuiwen/{digest(body)[:2]}/{digest(body)}.gz"
        self.s3.client.put_object(Bucket=self.bucket, Key=key, Body=gzip.compress(b"other"))

    def test_a_page_is_not_there_before_its_raw_response(
        self, database: MongoDatabase, s3_url: str, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = open_page_store(database, s3_url, s3_server.impatient(monkeypatch))
        s3_server.fault = lambda _: ("503 Slow Down", "SlowDown")
        with pytest.raises(ServiceUnavailable, match="the S3 store"):
            store.put(fetched(), reading())
        assert store.pages(None, 10) == []
        s3_server.fault = None
        stored = store.put(fetched(), reading())
        assert store.page(stored.page_id) is not None
        assert store.raw(digest(fetched().body)) == fetched().body


def test_a_body_that_another_zlib_packed_is_the_same_and_another_body_is_not() -> None:
    objects = MemoryObjects()
    body, other = b"as it was" * 100, b"not that one"
    objects.put_new(key(body), gzip.compress(body, compresslevel=1, mtime=7))
    ObjectBodies(objects).put_many({digest(body): body})
    assert ObjectBodies(objects).get_many([digest(body)]) == {digest(body): body}
    objects.put_new(key(other), gzip.compress(body))
    with pytest.raises(BrokenInvariant, match=digest(other)):
        ObjectBodies(objects).put_many({digest(other): other})
    with pytest.raises(BrokenInvariant, match=digest(other)):
        ObjectBodies(objects).get_many([digest(other)])


def key(body: bytes) -> str:
    return f"{digest(body)[:2]}/{digest(body)}.gz"
