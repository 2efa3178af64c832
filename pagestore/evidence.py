"""Evidence bundles by their digest: kept once, never written over, removed by nothing but retention, which is logged.

Three places, one contract (core.ports.EvidenceStore): the page store's database, a folder, memory. Bytes are kept as
they are, not compressed, so that every single one counts: a changed bit in them never reads as the same bundle.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pymongo.errors import DuplicateKeyError

from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable
from core.evidence import Removal
from core.ids import Digest, digest
from core.ports import EvidenceStore
from core.wording import Message
from pagestore.blobs import BATCH_IDS, PART_BYTES
from pagestore.connection import MongoDatabase, connect, translated
from pagestore.documents import microseconds, moment

FILE_SCHEME = "file://"
SUFFIX = ".wacz"
REMOVALS = "removals.jsonl"


def open_evidence(url: str, mongo_url: str) -> EvidenceStore:
    """The store that ZHUIWEN_EVIDENCE_URL names: the page store where it is empty, a folder for file://, or a MongoDB.

    Raises BadConfiguration.
    """
    if url.startswith(FILE_SCHEME):
        return FolderEvidenceStore(Path(url.removeprefix(FILE_SCHEME)))
    if url and not url.startswith("mongodb"):
        raise BadConfiguration(
            "store.no-url", variable="ZHUIWEN_EVIDENCE_URL", allowed=["file:///FOLDER", "mongodb://HOST/DATABASE"]
        )
    return MongoEvidenceStore(connect(url or mongo_url))


class MongoEvidenceStore:
    """Bundles in MongoDB: parts first, the head last; every write is an insertion."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database
        self._heads, self._parts = database["evidence"], database["evidence_parts"]
        self._removals = database["evidence_removals"]

    def put(self, name: Digest, content: bytes) -> bool:
        pieces = [content[start : start + PART_BYTES] for start in range(0, len(content), PART_BYTES)]
        with translated(self._database):
            if self._removals.find_one({"_id": name}) is not None:
                raise BrokenInvariant("store.bundle-removed", name=name)
            head = self._heads.find_one({"_id": name})
            if head is None:
                for number, piece in enumerate(pieces):
                    _insert(self._parts, {"_id": _part_key(name, number), "data": piece}, name)
                head = {"_id": name, "sha256": digest(content), "bytes": len(content), "parts": len(pieces)}
                return _insert(self._heads, head, name)
        _same(head["sha256"], content, name)
        return False

    def get(self, name: Digest) -> bytes | None:
        with translated(self._database):
            head = self._heads.find_one({"_id": name})
            if head is None:
                return None
            keys = [_part_key(name, number) for number in range(min(int(head["parts"]), 10_000))]
            found = {part["_id"]: part["data"] for part in self._parts.find({"_id": {"$in": keys}})}
        content = b"".join(found.get(key, b"") for key in keys)
        return _checked(content, head["sha256"], name)

    def digests(self) -> Iterator[Digest]:
        after = ""
        while True:
            with translated(self._database):
                found = list(self._heads.find({"_id": {"$gt": after}}, {"_id": 1}).sort("_id", 1).limit(BATCH_IDS))
            yield from (Digest(head["_id"]) for head in found)
            if len(found) < BATCH_IDS:
                return
            after = found[-1]["_id"]

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        with translated(self._database):
            head = self._heads.find_one({"_id": name})
            if head is None:
                return
        self.note_removal(Removal(name, head["bytes"], at, reason))
        with translated(self._database):
            self._heads.delete_one({"_id": name})
            self._parts.delete_many({"_id": {"$gte": f"{name}/", "$lt": f"{name}0"}})

    def removals(self) -> list[Removal]:
        with translated(self._database):
            found = list(self._removals.find({"_id": {"$gte": ""}}).sort("_id", 1))
        entries = [Removal(Digest(e["_id"]), e["bytes"], moment(e["removed_at"]), e["reason"]) for e in found]
        return sorted(entries, key=lambda entry: (entry.removed_at, entry.digest))

    def note_removal(self, removal: Removal) -> None:
        at = microseconds(removal.removed_at)
        entry = {"_id": removal.digest, "bytes": removal.bytes, "removed_at": at, "reason": removal.reason}
        with translated(self._database):
            _insert(self._removals, entry, removal.digest)


class FolderEvidenceStore:
    """Bundles as files, read-only, each named by its digest and the SHA-256 of its bytes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: Digest, content: bytes) -> bool:
        with _writable(self._folder):
            if any(entry.digest == name for entry in self.removals()):
                raise BrokenInvariant("store.bundle-removed", name=name)
            there = self._path(name)
            if there is not None:
                _same(_sha256_in(there), content, name)
                return False
            target = self._folder / name[:2] / f"{name}.{digest(content)}{SUFFIX}"
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return _link_new(target, content)

    def get(self, name: Digest) -> bytes | None:
        with _writable(self._folder):
            path = self._path(name)
            return None if path is None else _checked(path.read_bytes(), _sha256_in(path), name)

    def digests(self) -> Iterator[Digest]:
        with _writable(self._folder):
            names = sorted(path.name.partition(".")[0] for path in self._folder.glob(f"??/*{SUFFIX}"))
        yield from (Digest(name) for name in names)

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        with _writable(self._folder):
            path = self._path(name)
            if path is None:
                return
            self.note_removal(Removal(name, path.stat().st_size, at, reason))
            path.unlink()

    def removals(self) -> list[Removal]:
        log = self._folder / REMOVALS
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        entries = [json.loads(line) for line in lines]
        return [
            Removal(
                Digest(e["digest"]), e["bytes"], datetime.fromisoformat(e["removed_at"]).astimezone(UTC), e["reason"]
            )
            for e in entries
        ]

    def note_removal(self, removal: Removal) -> None:
        if any(entry.digest == removal.digest for entry in self.removals()):
            return
        at = removal.removed_at.isoformat()
        line = {"digest": removal.digest, "bytes": removal.bytes, "removed_at": at, "reason": removal.reason}
        with _writable(self._folder):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._folder / REMOVALS).open("a", encoding="utf-8") as log:
                log.write(json.dumps(line, ensure_ascii=False) + "\n")
                log.flush()
                os.fsync(log.fileno())

    def _path(self, name: Digest) -> Path | None:
        return next(iter((self._folder / name[:2]).glob(f"{name}.*{SUFFIX}")), None)


class MemoryEvidenceStore:
    """Bundles in memory."""

    def __init__(self) -> None:
        self._bundles: dict[Digest, tuple[str, bytes]] = {}
        self._removals: list[Removal] = []

    def put(self, name: Digest, content: bytes) -> bool:
        if any(entry.digest == name for entry in self._removals):
            raise BrokenInvariant("store.bundle-removed", name=name)
        if name in self._bundles:
            _same(self._bundles[name][0], content, name)
            return False
        self._bundles[name] = (digest(content), content)
        return True

    def get(self, name: Digest) -> bytes | None:
        if name not in self._bundles:
            return None
        sha256, content = self._bundles[name]
        return _checked(content, sha256, name)

    def digests(self) -> Iterator[Digest]:
        yield from sorted(self._bundles)

    def remove(self, name: Digest, reason: str, at: datetime) -> None:
        if name in self._bundles:
            self._removals.append(Removal(name, len(self._bundles.pop(name)[1]), at, reason))

    def removals(self) -> list[Removal]:
        return list(self._removals)

    def note_removal(self, removal: Removal) -> None:
        if all(entry.digest != removal.digest for entry in self._removals):
            self._removals.append(removal)


def _part_key(name: str, number: int) -> str:
    return f"{name}/{number:04d}"


def _insert(collection: Any, document: dict[str, Any], name: str) -> bool:
    """Whether it was not there. Raises BrokenInvariant where something else is."""
    try:
        collection.insert_one(document)
    except DuplicateKeyError:
        there = collection.find_one({"_id": document["_id"]})
        if there is not None and any(there.get(key) != document[key] for key in ("data", "sha256") if key in document):
            raise BrokenInvariant("store.bundle-differs", name=name) from None
        return False
    return True


def _same(sha256: str, content: bytes, name: str) -> None:
    if sha256 != digest(content):
        raise BrokenInvariant("store.bundle-differs", name=name)


def _checked(content: bytes, sha256: str, name: str) -> bytes:
    if digest(content) != sha256:
        raise BrokenInvariant("store.bundle-changed", name=name)
    return content


def _sha256_in(path: Path) -> str:
    return path.name.removesuffix(SUFFIX).partition(".")[2]


def _link_new(target: Path, content: bytes) -> bool:
    """Write a file that appears whole or not at all, and never in place of another."""
    descriptor, written = tempfile.mkstemp(dir=target.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(written).chmod(0o400)
        with suppress(FileExistsError):
            os.link(written, target)
            return True
        return False
    finally:
        Path(written).unlink()


class _writable:  # noqa: N801, reads as a statement
    """Turns what the file system raises into ServiceUnavailable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, OSError):
            service, remedy = Message("service.evidence-folder"), Message("service.make-writable")
            raise ServiceUnavailable(service, str(self._folder), remedy) from fault
