"""Whether a backup holds: every object read, every digest computed, every name found."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import bson
from bson.errors import BSONError

from core.ports import ObjectStore
from core.wording import Message
from pagestore.captures import named_bodies, named_certificates
from pagestore.copying import DOCUMENTS, PAGES, is_whole
from records.backups.format import DamagedBackup, Manifest, Part, Piece, content_of, keys_of
from records.backups.references import Named, table_of


@dataclass(frozen=True, slots=True)
class Verified:
    """What was read. lacking: was not there when the backup was made."""

    records: int
    bytes: int
    faults: tuple[Message, ...]
    lacking: tuple[str, ...]


def verify(manifest: Manifest, store: ObjectStore, on_progress: Callable[[int, int], None]) -> Verified:
    """Read all of a backup. on_progress: pieces read, and how many there are."""
    return _Verifying(manifest, store, on_progress).verified()


class _Verifying:
    def __init__(self, manifest: Manifest, store: ObjectStore, on_progress: Callable[[int, int], None]) -> None:
        self._manifest, self._store, self._on_progress = manifest, store, on_progress
        self._done, self._total = 0, len(manifest.pieces)
        self._faults: list[Message] = []
        self._records = self._bytes = 0
        self._held: dict[str, set[str]] = {}
        self._named = Named()

    def verified(self) -> Verified:
        for part in self._manifest.collections:
            self._held[part.name] = set()
            for name, record in self._documents(part):
                self._note_names(name, record)
        for part in self._manifest.tables:
            self._read_table(part)
        for piece in self._manifest.files.values():
            self._content(piece)
        lacking = set(self._manifest.lacking)
        self._faults += [
            Message("backup.not-in-it", key=each) for each in self._named.lacking(self._held) if each not in lacking
        ]
        return Verified(self._records, self._bytes, tuple(self._faults), self._manifest.lacking)

    def _documents(self, part: Part) -> Iterator[tuple[str, dict[str, Any]]]:
        for piece in part.pieces:
            content = self._content(piece)
            if content is None:
                continue
            try:
                records = bson.decode_all(content)
            except BSONError:
                self._faults.append(Message("backup.no-records", part=part.name, name=piece.name))
                continue
            keys = [record["_id"] for record in records]
            if len(records) != piece.records or (piece.keys is not None and self._keys(piece) != keys):
                self._faults.append(Message("backup.other-records", part=part.name, name=piece.name))
            self._held[part.name].update(keys)
            self._records += len(keys)
            for record in records:
                if not is_whole(part.name, record):
                    self._faults.append(Message("backup.record-changed", part=part.name, key=record["_id"]))
                yield part.name, record

    def _keys(self, piece: Piece) -> list[str] | None:
        try:
            return keys_of(self._store, piece)
        except DamagedBackup as fault:
            self._faults.append(fault.message)
            return None

    def _content(self, piece: Piece) -> bytes | None:
        self._done += 1
        self._on_progress(self._done, self._total)
        try:
            content = content_of(self._store, piece)
        except DamagedBackup as fault:
            self._faults.append(fault.message)
            return None
        self._bytes += piece.size_bytes
        return content

    def _note_names(self, name: str, record: dict[str, Any]) -> None:
        """What a page, a capture, a version or an absence names."""
        wanted = self._named.keys
        if name == PAGES:
            self._named.note_page(record)
        if name == "captures":
            wanted.setdefault("raw_bodies", set()).update(named_bodies(record["data"]))
            wanted.setdefault("certificates", set()).update(named_certificates(record["data"]))
        if name not in DOCUMENTS:
            return
        raw = [record["raw"], *(part["raw"] for part in record.get("parts", ()))]
        wanted.setdefault("raw_bodies", set()).update(raw)
        captures = [record.get("capture"), *(part.get("capture") for part in record.get("parts", ()))]
        wanted.setdefault("captures", set()).update(each for each in captures if each)
        texts = [record.get(each) for each in ("text", "raw_text", "beside", "marks")]
        wanted.setdefault("page_texts", set()).update(each for each in texts if each)

    def _read_table(self, part: Part) -> None:
        model = table_of(part.name)
        for piece in part.pieces:
            content = self._content(piece)
            if content is None:
                continue
            rows = [tuple(json.loads(line)) for line in content.splitlines()]
            self._records += len(rows)
            if len(rows) != piece.records:
                self._faults.append(Message("backup.other-records", part=part.name, name=piece.name))
            if model is not None:
                self._named.note(model, rows, part.columns)
