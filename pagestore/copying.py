"""Reads all contents of a store as records, for backups and moves, and writes records into another store.

A record is a document with its key under `_id`. For bytes by key it is `{"_id": key, "data": bytes}`, uncompressed and
verified by digest when read. All other documents are unchanged.
"""

from collections.abc import Sequence
from typing import Protocol

from pymongo.errors import BulkWriteError

from core.batches import batches
from core.errors import BrokenInvariant
from core.ids import Digest, digest
from core.ports import EvidenceStore
from pagestore.blobs import BATCH_KEYS, INLINE_BYTES, Blobs, is_duplicates_alone, iterate_ids
from pagestore.connection import MongoDatabase, translate_errors
from pagestore.documents import Document
from pagestore.mongo_history import RAW_BODIES
from pagestore.raw_bodies import RawBodies

INSERTED = 500  # documents in one request

PAGES = "pages"
EVIDENCE = "evidence"
DOCUMENTS = ("page_versions", "page_absences")
BLOBS = {  # by collection: the bytes stored in the small document, as in the stores
    RAW_BODIES: INLINE_BYTES,
    "page_texts": INLINE_BYTES,
    "captures": INLINE_BYTES,
    "certificates": INLINE_BYTES,
    "work_texts": 0,
    "fingerprints": INLINE_BYTES,
}
# Collections whose keys are the SHA-256 of their bytes.
BY_DIGEST = frozenset({RAW_BODIES, "page_texts", "captures", "certificates"})


class Collection(Protocol):
    """Reads and writes records of one kind by key. The methods raise ServiceUnavailable if the store is down."""

    @property
    def name(self) -> str: ...

    def keys(self) -> list[str]:
        """Return all keys, in order."""
        ...

    def read_records(self, keys: Sequence[str]) -> list[Document]:
        """Return the records of those `keys` that exist. Raises BrokenInvariant if one is damaged."""
        ...

    def write_records(self, records: Sequence[Document]) -> None:
        """Store new records. Existing records are neither changed nor compared with them."""
        ...

    def put_back(self, records: Sequence[Document]) -> None:
        """Store records in place of damaged or missing ones."""
        ...


class DocumentCollection:
    """A `Collection` of the documents in a collection of the database, which are copied unchanged."""

    def __init__(self, database: MongoDatabase, name: str) -> None:
        self.name = name
        self._database, self._collection = database, database[name]

    def keys(self) -> list[str]:
        return list(iterate_ids(self._database, self.name))

    def read_records(self, keys: Sequence[str]) -> list[Document]:
        with translate_errors(self._database):
            found = (self._collection.find({"_id": {"$in": batch}}) for batch in batches(keys, BATCH_KEYS))
            return [document for batch in found for document in batch]

    def write_records(self, records: Sequence[Document]) -> None:
        with translate_errors(self._database):
            for start in range(0, len(records), INSERTED):
                try:
                    self._collection.insert_many([dict(each) for each in records[start : start + INSERTED]], False)
                except BulkWriteError as error:
                    if not is_duplicates_alone(error):
                        raise

    def put_back(self, records: Sequence[Document]) -> None:
        with translate_errors(self._database):
            for each in records:
                self._collection.replace_one({"_id": each["_id"]}, dict(each), upsert=True)


class BytesCollection:
    """A `Collection` of bytes by key, which may be stored outside of the database."""

    def __init__(self, name: str, blobs: RawBodies) -> None:
        self.name, self._blobs = name, blobs

    def keys(self) -> list[str]:
        return sorted(self._blobs.keys())

    def read_records(self, keys: Sequence[str]) -> list[Document]:
        return [{"_id": key, "data": data} for key, data in self._blobs.get_many(keys).items()]

    def write_records(self, records: Sequence[Document]) -> None:
        self._blobs.put_many({each["_id"]: each["data"] for each in records})

    def put_back(self, records: Sequence[Document]) -> None:
        self._blobs.put_back({each["_id"]: each["data"] for each in records})


class EvidenceCollection:
    """A `Collection` of the bundles and archived files in an evidence store."""

    name = EVIDENCE

    def __init__(self, store: EvidenceStore) -> None:
        self._store = store

    def keys(self) -> list[str]:
        return sorted(self._store.digests())

    def read_records(self, keys: Sequence[str]) -> list[Document]:
        found = ((key, self._store.get(Digest(key))) for key in keys)
        return [{"_id": key, "data": content} for key, content in found if content is not None]

    def write_records(self, records: Sequence[Document]) -> None:
        for each in records:
            self._store.put(Digest(each["_id"]), each["data"])

    def put_back(self, records: Sequence[Document]) -> None:
        for each in records:
            self._store.put_back(Digest(each["_id"]), each["data"])


def page_collections(database: MongoDatabase, raw: RawBodies | None) -> list[Collection]:
    """Return all collections of the page store except `pages`, in an order in which references follow their targets.

    raw: the store of response bodies if they are not in the database.
    """
    blobs: dict[str, RawBodies] = {name: Blobs(database, name, inline) for name, inline in BLOBS.items()}
    if raw is not None:
        blobs[RAW_BODIES] = raw
    documents = (DocumentCollection(database, name) for name in DOCUMENTS)
    return [*(BytesCollection(name, each) for name, each in blobs.items()), *documents]


def pages(database: MongoDatabase) -> DocumentCollection:
    """Return the collection of page documents, which change when a page is seen again."""
    return DocumentCollection(database, PAGES)


def readable(collection: Collection, keys: Sequence[str]) -> tuple[list[Document], list[str]]:
    """Return the records of those `keys` that can be read, and the keys of damaged records."""
    try:
        return collection.read_records(keys), []
    except BrokenInvariant:
        if len(keys) == 1:
            return [], list(keys)
    readable_records, damaged = [], []
    for key in keys:
        records, damaged_keys = readable(collection, [key])
        readable_records += records
        damaged += damaged_keys
    return readable_records, damaged


def is_whole(name: str, record: Document) -> bool:
    """Return whether the bytes of a record match its key. Records whose keys are not digests are not checked.

    name: the collection of the record.
    """
    return name not in BY_DIGEST or digest(record["data"]) == record["_id"]
