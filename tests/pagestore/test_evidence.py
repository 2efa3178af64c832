"""Every evidence store: what is kept comes back to the byte or not at all, and nothing takes its place."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadConfiguration, BrokenInvariant
from core.evidence import BundleRemoval
from core.ids import Digest, digest
from core.ports import EvidenceStore
from core.settings import S3Settings
from pagestore.connection import connect
from pagestore.evidence import (
    MongoEvidenceStore,
    ObjectEvidenceStore,
    open_evidence,
)
from pagestore.objects.folder import FolderObjects
from tests.pagestore.contracts import HOSTILE_TEXTS
from tests.support.s3_server import S3Server

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NAME, OTHER = Digest("a" * 64), Digest("b" * 64)


class EvidenceStoreContract:
    """Subclasses give `store` and `change_byte`."""

    def change_byte(self, store: Any, name: Digest, place: int) -> None:
        raise AssertionError("the subclass says how")

    @pytest.mark.parametrize("length", [0, 1, 9 * 1024 * 1024])
    def test_a_bundle_comes_back_byte_for_byte(self, store: EvidenceStore, length: int) -> None:
        content = random.Random(length).randbytes(length)
        assert store.put(NAME, content)
        assert not store.put(NAME, content)
        assert store.get(NAME) == content
        assert list(store.digests()) == [NAME]

    def test_what_was_never_put_is_none(self, store: EvidenceStore) -> None:
        assert store.get(NAME) is None
        assert list(store.digests()) == []
        assert store.removals() == []

    def test_nothing_is_written_over(self, store: EvidenceStore) -> None:
        store.put(NAME, b"as it was")
        with pytest.raises(BrokenInvariant, match="never overwritten"):
            store.put(NAME, b"otherwise")
        assert store.get(NAME) == b"as it was"

    @pytest.mark.parametrize("place", [0, 999])
    def test_one_changed_byte_is_noticed_and_healed_only_where_a_copy_is_put_back(
        self, store: EvidenceStore, place: int
    ) -> None:
        content = random.Random(7).randbytes(1_000)
        store.put(NAME, content)
        self.change_byte(store, NAME, place)
        with pytest.raises(BrokenInvariant, match=NAME):
            store.get(NAME)
        assert not store.put(NAME, content)
        with pytest.raises(BrokenInvariant):
            store.get(NAME)
        with pytest.raises(BrokenInvariant, match="never overwritten"):
            store.put_back(NAME, b"otherwise")
        store.put_back(NAME, content)
        assert store.get(NAME) == content

    def test_a_removal_elsewhere_is_noted_once_and_keeps_the_bundle_out(self, store: EvidenceStore) -> None:
        removal = BundleRemoval(NAME, 7, datetime(2026, 11, 1, tzinfo=UTC), "older than 10 years")
        store.note_removal(removal)
        store.note_removal(removal)
        assert store.removals() == [removal]
        with pytest.raises(BrokenInvariant):
            store.put(NAME, b"removed")

    def test_digests_come_in_order(self, store: EvidenceStore) -> None:
        names = sorted(digest(str(number).encode()) for number in range(30))
        for name in reversed(names):
            store.put(name, name.encode())
        assert list(store.digests()) == names

    def test_a_removal_is_logged_and_final(self, store: EvidenceStore) -> None:
        store.put(NAME, b"old")
        store.put(OTHER, b"young")
        store.remove(NAME, "older than 10 years", NOON)
        store.remove(NAME, "again", NOON + timedelta(days=1))
        assert store.get(NAME) is None
        assert store.get(OTHER) == b"young"
        [entry] = store.removals()
        assert (entry.digest, entry.bytes, entry.removed_at, entry.reason) == (NAME, 3, NOON, "older than 10 years")
        with pytest.raises(BrokenInvariant, match="removed by retention"):
            store.put(NAME, b"old")

    def test_hostile_characters_of_a_reason_come_back_as_they_were(self, store: EvidenceStore) -> None:
        reasons = {digest(bytes([number])): reason for number, reason in enumerate(HOSTILE_TEXTS)}
        for name, reason in reasons.items():
            store.put(name, b"old")
            store.remove(name, reason, NOON)
        assert {entry.digest: entry.reason for entry in store.removals()} == reasons


class TestObjectEvidenceStoreInFolder(EvidenceStoreContract):
    folder: Path

    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectEvidenceStore:
        self.folder = tmp_path / "evidence"
        return ObjectEvidenceStore(FolderObjects(self.folder))

    def change_byte(self, store: Any, name: Digest, place: int) -> None:
        [path] = self.folder.glob(f"??/{name}.*")
        path.chmod(0o600)
        path.write_bytes(changed(path.read_bytes(), place))

    def test_files_can_only_be_read(self, store: ObjectEvidenceStore, tmp_path: Path) -> None:
        store.put(NAME, b"content")
        [path] = (tmp_path / "evidence").glob("??/*")
        assert path.stat().st_mode & 0o777 == 0o400


class TestMongoEvidenceStore(EvidenceStoreContract):
    @pytest.fixture
    def store(self, mongo_url: str) -> Iterator[MongoEvidenceStore]:
        handle = connect(mongo_url)
        yield MongoEvidenceStore(handle)
        handle.client.close()

    def change_byte(self, store: Any, name: Digest, place: int) -> None:
        key = f"{name}/0000"
        content = store._parts.find_one({"_id": key})["data"]
        store._parts.update_one({"_id": key}, {"$set": {"data": changed(content, place)}})

    def test_a_put_that_died_half_way_is_finished_by_the_next(self, store: MongoEvidenceStore) -> None:
        content = random.Random(1).randbytes(9 * 1024 * 1024)
        store.put(NAME, content)
        store._heads.delete_one({"_id": NAME})
        store._parts.delete_one({"_id": f"{NAME}/0001"})
        assert store.get(NAME) is None
        assert store.put(NAME, content)
        assert store.get(NAME) == content


class TestObjectEvidenceStore(EvidenceStoreContract):
    @pytest.fixture
    def store(self, s3_url: str, s3_server: S3Server, mongo_url: str) -> EvidenceStore:
        return open_evidence(s3_url, mongo_url, s3_server.access())

    @pytest.fixture(autouse=True)
    def server(self, s3_url: str, s3_server: S3Server) -> None:
        self.bucket, self.s3 = s3_url.split("/")[2], s3_server

    def names(self) -> list[str]:
        return [each["Key"] for each in self.s3.client.list_objects_v2(Bucket=self.bucket).get("Contents", ())]

    def change_byte(self, store: Any, name: Digest, place: int) -> None:
        [key] = [each for each in self.names() if name in each]
        content = self.s3.client.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        self.s3.client.put_object(Bucket=self.bucket, Key=key, Body=changed(content, place))

    def test_bundles_stand_under_their_names_as_in_a_folder(self, store: EvidenceStore) -> None:
        store.put(NAME, b"old")
        assert f"zhuiwen/aa/{NAME}.{digest(b'old')}.wacz" in self.names()

    def test_a_removal_that_died_before_the_bundle_went_is_finished_by_the_next(self, store: EvidenceStore) -> None:
        store.put(NAME, b"old")
        self.s3.fault = lambda environ: ("403 No", "AccessDenied") if environ["REQUEST_METHOD"] == "DELETE" else None
        with pytest.raises(BadConfiguration, match="AccessDenied"):
            store.remove(NAME, "older than 10 years", NOON)
        self.s3.fault = None
        store.remove(NAME, "again", NOON + timedelta(days=1))
        assert store.get(NAME) is None
        assert [entry.reason for entry in store.removals()] == ["older than 10 years"]

    def test_of_two_that_writers_kept_at_once_under_one_name_neither_is_taken_for_it(
        self, store: EvidenceStore
    ) -> None:
        store.put(NAME, b"one")
        other = f"zhuiwen/aa/{NAME}.{digest(b'two')}.wacz"
        self.s3.client.put_object(Bucket=self.bucket, Key=other, Body=b"two")
        with pytest.raises(BrokenInvariant, match=NAME):
            store.get(NAME)

    def test_a_bucket_whose_objects_are_locked_takes_evidence_and_its_removal(
        self, store: EvidenceStore, mongo_url: str
    ) -> None:
        """Retention leaves the locked version where it is, below a mark that it is deleted."""
        self.s3.client.create_bucket(Bucket=f"{self.bucket}-locked", ObjectLockEnabledForBucket=True)
        rule = {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 3650}}
        self.s3.client.put_object_lock_configuration(
            Bucket=f"{self.bucket}-locked", ObjectLockConfiguration={"ObjectLockEnabled": "Enabled", "Rule": rule}
        )
        locked = open_evidence(f"s3://{self.bucket}-locked", mongo_url, self.s3.access())
        assert locked.put(NAME, b"old")
        locked.remove(NAME, "older than 10 years", NOON)
        assert locked.get(NAME) is None
        versions = self.s3.client.list_object_versions(Bucket=f"{self.bucket}-locked", Prefix="aa/")
        assert [each["Size"] for each in versions["Versions"]] == [3]


def test_a_url_chooses_the_store(tmp_path: Path, mongo_url: str) -> None:
    assert isinstance(open_evidence("", mongo_url, S3Settings()), MongoEvidenceStore)
    assert isinstance(open_evidence(f"file://{tmp_path}", mongo_url, S3Settings()), ObjectEvidenceStore)
    assert isinstance(open_evidence("s3://bucket", mongo_url, S3Settings()), ObjectEvidenceStore)
    for url in ("s3://key:hush@bucket", "ftp://bucket"):
        with pytest.raises(BadConfiguration, match="ZHUIWEN_EVIDENCE_URL"):
            open_evidence(url, mongo_url, S3Settings())


def changed(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
