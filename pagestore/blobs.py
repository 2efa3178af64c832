"""Stores bytes of any length in MongoDB: compressed, split into parts, and verified by digest when they are read.

`<name>` contains one small document for each key, `<name>_parts` the bytes. They are separate because the embedded
server reads whole documents for a query of a range of ids: 5,000 documents of 5 kB took 230 ms, small ones 20 ms. The
small document is written last, so its presence means that all parts exist. If no ranges are queried, short bytes are
stored in the small document itself: one durable write instead of two (docs/decisions/stores-and-backups.md).
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pymongo import UpdateOne
from pymongo.errors import BulkWriteError

from core.batches import batches
from core.errors import BrokenInvariant
from core.ids import digest
from pagestore.connection import MongoDatabase, translate_errors
from pagestore.documents import Document

PART_BYTES = 4 * 1024 * 1024  # MongoDB's limit is 16 MiB per document; the embedded server takes 0.9 s for one of 12 MB
BATCH_KEYS = 100  # documents per query
INLINE_BYTES = 64 * 1024  # compressed; nine of ten of 167 saved pages of all kinds are shorter (2026-11)
# Ids per query when all are listed. Each query costs the embedded server a full scan, whatever the limit: 8 s for
# 20,000 documents of 6 kB on a busy machine (2026-11). This number of ids takes 5 MB.
BATCH_IDS = 100_000

_DUPLICATE_KEY = 11000


class Blobs:
    """Stores bytes by key in a pair of collections.

    Bytes of up to `inline_bytes`, compressed, are stored in a single document.
    """

    def __init__(self, database: MongoDatabase, name: str, inline_bytes: int = 0) -> None:
        self._database = database
        self._heads = database[name]
        self._parts = database[f"{name}_parts"]
        self._inline_bytes = inline_bytes

    def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, replacing earlier data. Safe to repeat, also after a crash."""
        self.put_many({key: data})

    def put_many(self, blobs: Mapping[str, bytes]) -> None:
        """Store all `blobs`, like `put`, with one request for each collection.

        All of them are in memory at the same time.
        """
        digests = {key: digest(data) for key, data in blobs.items()}
        with translate_errors(self._database):
            known = {head["_id"]: head["digest"] for head in self._find_heads(list(blobs), {"digest": 1})}
            parts: list[UpdateOne] = []
            heads: list[UpdateOne] = []
            for key, data in blobs.items():
                if known.get(key) == digests[key]:
                    continue
                head: Document = {"codec": "zlib", "digest": digests[key]}
                packed = zlib.compress(data)
                if len(packed) <= self._inline_bytes:
                    heads.append(_upsert_change(key, head | {"data": packed, "parts": 0}))
                    continue
                pieces = _cut_data(packed)
                parts += [
                    _upsert_change(part_key, {"data": piece})
                    for part_key, piece in zip(_part_keys(key, len(pieces)), pieces, strict=True)
                ]
                heads.append(_upsert_change(key, head | {"parts": len(pieces)}))
            _write_changes(self._parts, parts)
            _write_changes(self._heads, heads)

    def get(self, key: str) -> bytes | None:
        """Return the bytes under `key`, or None if it does not exist. Raises BrokenInvariant if they were changed."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the bytes under those `keys` that exist. Raises BrokenInvariant if any of them were changed."""
        contents: dict[str, bytes] = {}
        with translate_errors(self._database):
            for batch in batches(keys, BATCH_KEYS):
                heads = {head["_id"]: head for head in self._find_heads(batch)}
                pieces = self._load_pieces(heads)
                contents.update((key, _join_parts(head, pieces)) for key, head in heads.items())
        return contents

    def find_existing(self, keys: Sequence[str]) -> set[str]:
        """Return those `keys` that exist, without reading their bytes."""
        with translate_errors(self._database):
            return {head["_id"] for head in self._find_heads(keys, {"_id": 1})}

    def keys(self) -> Iterator[str]:
        """Yield all keys, in order."""
        return iterate_ids(self._database, self._heads.name)

    def remove(self, key: str) -> None:
        """Remove the bytes under `key`, if it exists."""
        with translate_errors(self._database):
            self._heads.delete_one({"_id": key})
            self._parts.delete_many(_key_range(f"{key}/", f"{key}0"))

    def put_back(self, blobs: Mapping[str, bytes]) -> None:
        """Replace damaged bytes by copies. `put` would skip them, because their digest is stored."""
        for key in blobs:
            self.remove(key)
        self.put_many(blobs)

    def remove_range(self, first: str, end: str) -> None:
        """Remove all keys in the range [first, end)."""
        with translate_errors(self._database):
            self._heads.delete_many(_key_range(first, end))
            self._parts.delete_many(_key_range(first, end))

    def _find_heads(self, keys: Sequence[str], fields: Document | None = None) -> Iterator[Document]:
        for batch in batches(keys, BATCH_KEYS):
            yield from self._heads.find({"_id": {"$in": batch}}, fields)

    def _load_pieces(self, heads: dict[str, Document]) -> dict[str, bytes]:
        part_keys = [part for key, head in heads.items() for part in _part_keys(key, head["parts"])]
        return (
            {part["_id"]: part["data"] for part in self._parts.find({"_id": {"$in": part_keys}})} if part_keys else {}
        )


def iterate_ids(database: MongoDatabase, name: str) -> Iterator[str]:
    """Yield the ids of all documents in a collection, in order; ids that are not strings are skipped."""
    collection: Any = database[name]
    after = ""
    while True:
        with translate_errors(database):
            documents = collection.find({"_id": {"$gt": after}}, {"_id": 1}).sort("_id", 1).limit(BATCH_IDS)
            ids = [document["_id"] for document in documents if isinstance(document.get("_id"), str)]
        yield from ids
        if len(ids) < BATCH_IDS:
            return
        after = ids[-1]


def _cut_data(data: bytes) -> list[bytes]:
    return [data[start : start + PART_BYTES] for start in range(0, len(data), PART_BYTES)]


def _part_keys(key: str, count: int) -> list[str]:
    return [f"{key}/{number:04d}" for number in range(count)]


def _key_range(first: str, end: str) -> Document:
    return {"_id": {"$gte": first, "$lt": end}}


def _upsert_change(key: str, fields: Document) -> UpdateOne:
    return UpdateOne({"_id": key}, {"$set": fields}, upsert=True)


def _write_changes(collection: Any, changes: list[UpdateOne]) -> None:
    if not changes:
        return
    try:
        collection.bulk_write(changes, ordered=False)
    except BulkWriteError as error:
        faults = error.details["writeErrors"]
        if not is_duplicates_alone(error):
            raise
        # MongoDB raises this if two writers insert the same key at once. Now the document exists and can be updated.
        collection.bulk_write([changes[fault["index"]] for fault in faults], ordered=False)


def is_duplicates_alone(error: BulkWriteError) -> bool:
    """Return whether all errors of a bulk write are duplicate keys."""
    faults = error.details.get("writeErrors", [])
    return bool(faults) and all(fault["code"] == _DUPLICATE_KEY for fault in faults)


def _join_parts(head: Document, pieces: dict[str, bytes]) -> bytes:
    key = head["_id"]
    try:
        packed = b"".join(pieces[part] for part in _part_keys(key, head["parts"])) if head["parts"] else head["data"]
        data = zlib.decompress(packed)
    except (KeyError, zlib.error) as error:
        raise BrokenInvariant("store.damaged", key=key) from error
    if digest(data) != head["digest"]:
        raise BrokenInvariant("store.changed", key=key)
    return data
