"""Stores evidence bundles by their digest. Nothing is overwritten, and only retention removes bundles and records this.

Two implementations of core.ports.EvidenceStore: the page store's database, and objects in a folder or an S3-compatible
store. Bytes are stored uncompressed, so that a single changed bit is detected.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from pymongo.errors import DuplicateKeyError

from core.errors import BadConfiguration, BrokenInvariant
from core.evidence import BundleRemoval
from core.ids import Digest, digest
from core.ports import EvidenceStore, ObjectStore
from core.wording import Message
from pagestore.blobs import PART_BYTES, iterate_ids
from pagestore.connection import MongoDatabase, connect, translate_errors
from pagestore.documents import Document, microseconds, moment, pack_text, text_bytes, text_from_bytes, unpack_text
from pagestore.objects.opening import ALLOWED, FILE_SCHEME, open_objects
from pagestore.objects.s3_client import S3Access

VARIABLE = "ZHUIWEN_EVIDENCE_URL"
SUFFIX = ".wacz"
REMOVALS_PREFIX = "removals/"


def open_evidence(url: str, mongo_url: str, access: S3Access) -> EvidenceStore:
    """Return the evidence store at a URL: a folder, an S3 store or a MongoDB.

    url: the setting `evidence_url`; if it is empty, evidence is stored in the database at `mongo_url`. access:
    `Settings.s3`. Raises BadConfiguration if the URL has another form.
    """
    if url.startswith((FILE_SCHEME, "s3:")):
        return ObjectEvidenceStore(open_objects(url, access, VARIABLE, Message("service.evidence-folder")))
    if url and not url.startswith("mongodb"):
        allowed = (*ALLOWED, "mongodb://HOST/DATABASE")
        raise BadConfiguration("store.no-url", variable=VARIABLE, allowed=allowed)
    return MongoEvidenceStore(connect(url or mongo_url))


class MongoEvidenceStore:
    """An `EvidenceStore` in MongoDB. The parts of a bundle are inserted first, its head last; nothing is updated."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database
        self._heads, self._parts = database["evidence"], database["evidence_parts"]
        self._removals = database["evidence_removals"]

    def put(self, name: Digest, content: bytes) -> bool:
        pieces = [content[start : start + PART_BYTES] for start in range(0, len(content), PART_BYTES)]
        with translate_errors(self._database):
            if self._removals.find_one({"_id": name}) is not None:
                raise BrokenInvariant("store.bundle-removed", name=name)
            head = self._heads.find_one({"_id": name})
            if head is None:
                for number, piece in enumerate(pieces):
                    _insert_document(self._parts, {"_id": _part_key(name, number), "data": piece}, name)
                return _insert_document(self._heads, _bundle_head(name, content), name)
        _require_same(head["sha256"], content, name)
        return False

    def get(self, name: Digest) -> bytes | None:
        with translate_errors(self._database):
            head = self._heads.find_one({"_id": name})
            if head is None:
                return None
            keys = [_part_key(name, number) for number in range(min(int(head["parts"]), 10_000))]
            data_by_key = {part["_id"]: part["data"] for part in self._parts.find({"_id": {"$in": keys}})}
        content = b"".join(data_by_key.get(key, b"") for key in keys)
        return _require_digest(content, head["sha256"], name)

    def digests(self) -> Iterator[Digest]:
        yield from map(Digest, iterate_ids(self._database, self._heads.name))

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        with translate_errors(self._database):
            head = self._heads.find_one({"_id": name})
            if head is None:
                return
        self.note_removal(BundleRemoval(name, head["bytes"], at, reason))
        with translate_errors(self._database):
            self._heads.delete_one({"_id": name})
            self._parts.delete_many({"_id": {"$gte": f"{name}/", "$lt": f"{name}0"}})

    def removals(self) -> list[BundleRemoval]:
        with translate_errors(self._database):
            documents = list(self._removals.find({"_id": {"$gte": ""}}).sort("_id", 1))
        entries = map(read_removal, documents)
        return sorted(entries, key=lambda entry: (entry.removed_at, entry.digest))

    def put_back(self, name: Digest, content: bytes) -> None:
        with translate_errors(self._database):
            head = self._heads.find_one({"_id": name})
            if head is not None:
                _require_same(head["sha256"], content, name)
                self._heads.delete_one({"_id": name})
            self._parts.delete_many({"_id": {"$gte": f"{name}/", "$lt": f"{name}0"}})
        self.put(name, content)

    def note_removal(self, removal: BundleRemoval) -> None:
        with translate_errors(self._database):
            _insert_document(self._removals, removal_document(removal), removal.digest)


class ObjectEvidenceStore:
    """An `EvidenceStore` of objects, which are named by a bundle's digest and the SHA-256 of its bytes.

    Removals are objects, too.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def put(self, name: Digest, content: bytes) -> bool:
        if self._was_removed(name):
            raise BrokenInvariant("store.bundle-removed", name=name)
        existing = self._bundle_key(name)
        if existing is not None:
            _require_same(_key_sha256(existing), content, name)
            return False
        return self._objects.put_new(f"{name[:2]}/{name}.{digest(content)}{SUFFIX}", content)

    def get(self, name: Digest) -> bytes | None:
        key = self._bundle_key(name)
        content = None if key is None else self._objects.get(key)
        return None if key is None or content is None else _require_digest(content, _key_sha256(key), name)

    def digests(self) -> Iterator[Digest]:
        for key in self._objects.keys(""):
            if key.endswith(SUFFIX):
                yield Digest(key.rpartition("/")[2].partition(".")[0])

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        key = self._bundle_key(name)
        size = None if key is None else self._objects.size(key)
        if key is None or size is None:
            return
        self.note_removal(BundleRemoval(name, size, at, reason))
        self._objects.remove(key)

    def removals(self) -> list[BundleRemoval]:
        contents = (self._objects.get(key) for key in self._objects.keys(REMOVALS_PREFIX))
        entries = [_parse_removal(text_from_bytes(content)) for content in contents if content is not None]
        return sorted(entries, key=lambda entry: (entry.removed_at, entry.digest))

    def put_back(self, name: Digest, content: bytes) -> None:
        existing = self._bundle_key(name)
        if existing is not None:
            _require_same(_key_sha256(existing), content, name)
            self._objects.remove(existing)
        self.put(name, content)

    def note_removal(self, removal: BundleRemoval) -> None:
        if not self._was_removed(removal.digest):
            self._objects.put_new(_removal_key(removal.digest), text_bytes(_removal_line(removal)))

    def _was_removed(self, name: Digest) -> bool:
        return self._objects.size(_removal_key(name)) is not None

    def _bundle_key(self, name: Digest) -> str | None:
        """Return the key of a bundle. Raises BrokenInvariant if two concurrent writers stored different bundles."""
        keys = list(self._objects.keys(f"{name[:2]}/{name}."))
        if len(keys) > 1:
            raise BrokenInvariant("store.bundle-differs", name=name)
        return keys[0] if keys else None


def _bundle_head(name: str, content: bytes) -> Document:
    parts = -(-len(content) // PART_BYTES)
    return {"_id": name, "sha256": digest(content), "bytes": len(content), "parts": parts}


def removal_document(removal: BundleRemoval) -> Document:
    """Return the document of a removal, for the database and for backups."""
    at, reason = microseconds(removal.removed_at), pack_text(removal.reason)
    return {"_id": removal.digest, "bytes": removal.bytes, "removed_at": at, "reason": reason}


def read_removal(document: Document) -> BundleRemoval:
    """Return the removal in the output of `removal_document`."""
    at, reason = moment(document["removed_at"]), unpack_text(document["reason"])
    return BundleRemoval(Digest(document["_id"]), document["bytes"], at, reason)


def _part_key(name: str, number: int) -> str:
    return f"{name}/{number:04d}"


def _insert_document(collection: Any, document: dict[str, Any], name: str) -> bool:
    """Insert a document; return False if it already exists. Raises BrokenInvariant if a different document exists."""
    try:
        collection.insert_one(document)
    except DuplicateKeyError:
        existing = collection.find_one({"_id": document["_id"]})
        if existing is not None and any(
            existing.get(key) != document[key] for key in ("data", "sha256") if key in document
        ):
            raise BrokenInvariant("store.bundle-differs", name=name) from None
        return False
    return True


def _require_same(sha256: str, content: bytes, name: str) -> None:
    if sha256 != digest(content):
        raise BrokenInvariant("store.bundle-differs", name=name)


def _require_digest(content: bytes, sha256: str, name: str) -> bytes:
    if digest(content) != sha256:
        raise BrokenInvariant("store.bundle-changed", name=name)
    return content


def _key_sha256(key: str) -> str:
    return key.removesuffix(SUFFIX).rpartition(".")[2]


def _removal_key(name: Digest) -> str:
    return f"{REMOVALS_PREFIX}{name}.json"


def _removal_line(entry: BundleRemoval) -> str:
    line = {
        "digest": entry.digest,
        "bytes": entry.bytes,
        "removed_at": entry.removed_at.isoformat(),
        "reason": entry.reason,
    }
    return json.dumps(line, ensure_ascii=False)


def _parse_removal(line: str) -> BundleRemoval:
    entry = json.loads(line)
    at = datetime.fromisoformat(entry["removed_at"]).astimezone(UTC)
    return BundleRemoval(Digest(entry["digest"]), entry["bytes"], at, entry["reason"])
