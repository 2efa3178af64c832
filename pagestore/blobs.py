"""Bytes of any length in MongoDB: compressed, in parts, each checked against its digest when read.

`<name>` holds one small document for each key, `<name>_parts` the bytes. They are apart because the embedded server
reads whole documents to answer a range of ids: 5,000 documents of 5 kB took it 230 ms, small ones 20 ms.
The small document is written last: whoever finds it finds all parts.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pymongo.errors import DuplicateKeyError

from core.errors import BrokenInvariant
from core.ids import digest
from pagestore.connection import MongoDatabase, translated
from pagestore.documents import Document

PART_BYTES = 4 * 1024 * 1024  # MongoDB allows a document 16 MiB; the embedded server takes 0.9 s for one of 12 MB
BATCH_KEYS = 100  # documents asked for at once
BATCH_IDS = 10_000  # ids asked for at once while all are walked: each request costs the embedded server a whole scan


class Blobs:
    """Bytes by key, in one pair of collections."""

    def __init__(self, database: MongoDatabase, name: str) -> None:
        self._database = database
        self._heads = database[name]
        self._parts = database[f"{name}_parts"]

    def put(self, key: str, data: bytes) -> None:
        """Keep `data` under `key`, in place of what was there. Safe to call twice and to die in."""
        content_digest = digest(data)
        with translated(self._database):
            head = self._heads.find_one({"_id": key}, {"digest": 1})
            if head is not None and head["digest"] == content_digest:
                return
            pieces = _cut(zlib.compress(data))
            for part_key, piece in zip(_part_keys(key, len(pieces)), pieces, strict=True):
                _upsert(self._parts, part_key, {"data": piece})
            _upsert(self._heads, key, {"codec": "zlib", "parts": len(pieces), "digest": content_digest})

    def get(self, key: str) -> bytes | None:
        """What is kept under `key`. Raises BrokenInvariant when it is no longer what was put there."""
        return self.get_many([key]).get(key)

    def get_many(self, keys: Sequence[str]) -> dict[str, bytes]:
        """What is kept under those of `keys` that are there."""
        found: dict[str, bytes] = {}
        with translated(self._database):
            for batch in batches(keys, BATCH_KEYS):
                heads = {head["_id"]: head for head in self._heads.find({"_id": {"$in": batch}})}
                pieces = self._pieces(heads)
                found.update((key, _joined(head, pieces)) for key, head in heads.items())
        return found

    def known(self, keys: Sequence[str]) -> set[str]:
        """Those of `keys` that are there; no bytes are read."""
        found: set[str] = set()
        with translated(self._database):
            for batch in batches(keys, BATCH_KEYS):
                found.update(head["_id"] for head in self._heads.find({"_id": {"$in": batch}}, {"_id": 1}))
        return found

    def keys(self) -> Iterator[str]:
        """All keys, in order."""
        after = ""
        while True:
            with translated(self._database):
                found = list(self._heads.find({"_id": {"$gt": after}}, {"_id": 1}).sort("_id", 1).limit(BATCH_IDS))
            yield from (head["_id"] for head in found)
            if len(found) < BATCH_IDS:
                return
            after = found[-1]["_id"]

    def remove(self, key: str) -> None:
        """Forget what is kept under `key`, if anything is."""
        with translated(self._database):
            self._heads.delete_one({"_id": key})
            self._parts.delete_many(_from_to(f"{key}/", f"{key}0"))

    def remove_range(self, first: str, end: str) -> None:
        """Forget all keys from `first` on and before `end`."""
        with translated(self._database):
            self._heads.delete_many(_from_to(first, end))
            self._parts.delete_many(_from_to(first, end))

    def _pieces(self, heads: dict[str, Document]) -> dict[str, bytes]:
        wanted = [part for key, head in heads.items() for part in _part_keys(key, head["parts"])]
        return {part["_id"]: part["data"] for part in self._parts.find({"_id": {"$in": wanted}})} if wanted else {}


def batches(keys: Iterable[str], size: int) -> Iterator[list[str]]:
    """`keys` in lists of at most `size`.

    >>> list(batches("abc", 2))
    [['a', 'b'], ['c']]
    """
    batch: list[str] = []
    for key in keys:
        batch.append(key)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _cut(data: bytes) -> list[bytes]:
    return [data[start : start + PART_BYTES] for start in range(0, len(data), PART_BYTES)]


def _part_keys(key: str, count: int) -> list[str]:
    return [f"{key}/{number:04d}" for number in range(count)]


def _from_to(first: str, end: str) -> Document:
    return {"_id": {"$gte": first, "$lt": end}}


def _upsert(collection: Any, key: str, fields: Document) -> None:
    try:
        collection.update_one({"_id": key}, {"$set": fields}, upsert=True)
    except DuplicateKeyError:  # MongoDB says so when two writers insert the same key at once
        collection.update_one({"_id": key}, {"$set": fields}, upsert=True)


def _joined(head: Document, pieces: dict[str, bytes]) -> bytes:
    key = head["_id"]
    try:
        data = zlib.decompress(b"".join(pieces[part] for part in _part_keys(key, head["parts"])))
    except (KeyError, zlib.error) as error:
        raise BrokenInvariant(f"what the page store keeps under {key} is damaged") from error
    if digest(data) != head["digest"]:
        raise BrokenInvariant(f"what the page store keeps under {key} no longer has its digest")
    return data
