"""Makes a backup while the services run.

Records that can be removed (texts of works, evidence) are copied first, then a snapshot of the admin database, then the
stores. The stores write a record before others refer to it, and the backup reads in reverse order: rows, pages,
versions, captures, texts, bodies. Therefore, every reference in a backup can be resolved, even if data is written
meanwhile.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import bson

from core.clock import SystemClock
from core.errors import BadInput
from core.evidence import BundleRemoval
from core.ids import digest
from core.ports import EvidenceStore, ObjectStore
from core.program import code_version
from pagestore.connection import MongoDatabase
from pagestore.copying import (
    EVIDENCE,
    Collection,
    EvidenceCollection,
    page_collections,
    pages,
    readable,
)
from pagestore.evidence import removal_document
from pagestore.raw_bodies import RawBodies
from webadmin.backups.services import tables
from webadmin.backups.services.contents import REMOVALS, read_documents
from webadmin.backups.services.format import (
    OBJECTS,
    Backup,
    BackupPart,
    BackupPiece,
    DamagedBackup,
    Manifest,
    compress_piece,
    encode_backup,
    keys_bytes,
    list_backups,
    load_backup,
    object_key,
    put_manifest,
    put_object,
    read_keys,
)
from webadmin.backups.services.references import Named
from webadmin.backups.services.sealing import WrongPassphrase
from webadmin.database import refresh_connections

REMOVABLE = frozenset({"work_texts", EVIDENCE})
PIECE_BYTES = 16 * 1024 * 1024  # bytes of records before compression; a larger record becomes its own piece
READ_KEYS = 200  # records read at once while a piece is filled; pages have 30 kB, bundles up to 1 MB
READ_BUNDLES = 10
PAGES_A_PIECE = 4_096  # documents of 500 bytes; each crawl changes many

Progress = Callable[[str, int, int], None]  # part, records done, records in total


@dataclass(frozen=True, slots=True)
class BackupSource:
    """The stores and files that a backup copies in addition to the admin database.

    installation: the key of the installation. files: contents by name. raw: the store of response bodies, or None if it
    is the page store. passphrase: opens the seal, which contains `secrets`; without a passphrase, there is no seal.
    """

    installation: str
    database: MongoDatabase
    evidence: EvidenceStore
    files: Mapping[str, bytes]
    raw: RawBodies | None = None
    secrets: bytes = field(default=b"", repr=False)
    passphrase: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Made:
    """A finished backup. new_bytes: bytes written to the destination. bytes: total size of the backup there."""

    backup: Backup
    records: int
    bytes: int
    new_bytes: int


def make(source: BackupSource, destination: ObjectStore, on_progress: Progress) -> Made:
    """Write one backup. It is complete only once its manifest is written.

    on_progress: called with the part, the records done and the total. Raises BadInput if the destination contains
    another installation's backups, ServiceUnavailable if a store is unreachable.
    """
    return _BackupWriter(source, destination, _last_manifest(destination, source), on_progress).make()


def _last_manifest(destination: ObjectStore, source: BackupSource) -> Manifest | None:
    """Return the newest manifest, whose pieces need not be written again, or None if there is none.

    With a passphrase, only manifests sealed with it count, so that a seal never covers pieces that others wrote.
    """
    for key in reversed(list_backups(destination)):
        try:
            backup = load_backup(destination, key)
            manifest = backup.manifest
            if manifest.installation != source.installation:
                its, ours = manifest.installation, source.installation
                raise BadInput("backup.other-installation", key=key, its=its, ours=ours)
            if source.passphrase:
                backup.open_seal(source.passphrase)
        except (DamagedBackup, WrongPassphrase):
            continue
        return manifest
    return None


class _BackupWriter:
    def __init__(
        self, source: BackupSource, destination: ObjectStore, before: Manifest | None, on_progress: Progress
    ) -> None:
        self._source, self._destination, self._on_progress = source, destination, on_progress
        self._before = {part.name: part for part in (*before.tables, *before.collections)} if before else {}
        self._pieces = _PieceWriter(destination)
        self._lacking: dict[str, None] = {}  # damaged records in the order of detection
        self._held: dict[str, set[str]] = {}

    def make(self) -> Made:
        clock = SystemClock()
        begun_at = clock.now()
        collections = [
            *page_collections(self._source.database, self._source.raw),
            EvidenceCollection(self._source.evidence),
        ]
        early = {each.name: self._write_packs(each) for each in collections if each.name in REMOVABLE}
        named = Named()
        refresh_connections()  # Copying may have taken hours, so that the database may have closed the connection.
        with tables.snapshot_transaction():
            snapshot_at = clock.now()
            kept_tables = tuple(self._write_table(model, named) for model in tables.tables())
        removals = [each for each in self._source.evidence.removals() if each.removed_at < snapshot_at]
        # Bundles that retention removed after the snapshot of the rows were copied before, and the rows refer to them.
        gone = {each.digest for each in removals} - named.keys.get(EVIDENCE, set())
        of_pages = self._write_documents(pages(self._source.database), named)
        read = {each.name: self._write_packs(each, early.get(each.name), gone) for each in reversed(collections)}
        parts = [*(read[each.name] for each in collections), of_pages, self._write_removals(removals)]
        self._lacking |= dict.fromkeys(named.lacking(self._held))
        manifest = Manifest(
            installation=self._source.installation,
            program=code_version(),
            schema=tables.schema_digest(),
            begun_at=begun_at,
            snapshot_at=snapshot_at,
            ended_at=clock.now(),
            tables=kept_tables,
            collections=tuple(parts),
            files={name: self._pieces.piece(content, 0, None) for name, content in sorted(self._source.files.items())},
            lacking=tuple(self._lacking),
        )
        return self._write_manifest(manifest)

    def _write_manifest(self, manifest: Manifest) -> Made:
        backup = encode_backup(manifest, self._source.secrets, self._source.passphrase)
        written = put_manifest(self._destination, backup)
        sizes = {piece.name: piece.size_bytes for piece in manifest.pieces}
        records = sum(part.records for part in manifest.parts)
        return Made(backup, records, sum(sizes.values()) + written, self._pieces.new_bytes + written)

    def _write_table(self, model: Any, named: Named) -> BackupPart:
        name, columns = model._meta.db_table, tables.table_columns(model)
        total, done = tables.row_count(model), 0
        made = []
        for content, rows in tables.table_pieces(model):
            named.note(model, rows, columns)
            made.append(self._pieces.piece(content, len(rows), self._before.get(name)))
            done += len(rows)
            self._on_progress(name, done, total)
        return BackupPart(name, tuple(made), columns)

    def _write_documents(self, collection: Collection, named: Named) -> BackupPart:
        """Write documents that change, sorted by key, so that a piece without changes is the same."""
        keys = collection.keys()
        made = []
        for start in range(0, len(keys), PAGES_A_PIECE):
            batch = keys[start : start + PAGES_A_PIECE]
            found, damaged = readable(collection, batch)
            self._note_damage(collection.name, damaged)
            for each in found:
                named.note_record(collection.name, each)
            content = _encode_documents(sorted(found, key=lambda each: each["_id"]))
            made.append(self._pieces.piece(content, len(found), self._before.get(collection.name)))
            self._on_progress(collection.name, start + len(batch), len(keys))
        self._held[collection.name] = set(keys)
        return BackupPart(collection.name, tuple(made))

    def _write_removals(self, removals: Iterable[BundleRemoval]) -> BackupPart:
        rows = [removal_document(each) for each in removals]
        made = [self._pieces.piece(_encode_documents(rows), len(rows), self._before.get(REMOVALS))] if rows else []
        return BackupPart(REMOVALS, tuple(made))

    def _write_packs(
        self, collection: Collection, early: BackupPart | None = None, gone: Iterable[str] = ()
    ) -> BackupPart:
        """Write records that never change. Pieces of the last backup whose records all still exist are reused.

        early: the part of these records written before the snapshot, if any. gone: the keys of records removed before
        the snapshot.
        """
        living = set(collection.keys())
        if early is not None:
            living |= {key for piece in early.pieces for key in read_keys(self._destination, piece)} - set(gone)
        kept, salvaged = self._reuse_pieces(early or self._before.get(collection.name), living)
        held = {key for keys in kept.values() for key in keys}
        made = [*kept, *self._pieces.write_packed_records(salvaged, held)]
        new = sorted(living - held)
        made += self._pieces.write_packed_records(self._read_records(collection, new, len(living)), held)
        self._held[collection.name] = held
        return BackupPart(collection.name, tuple(made))

    def _reuse_pieces(
        self, part: BackupPart | None, living: set[str]
    ) -> tuple[dict[BackupPiece, list[str]], Iterator[dict[str, Any]]]:
        """Return the pieces whose records all still exist, with their keys.

        Also returns the existing records of other pieces.
        """
        kept: dict[BackupPiece, list[str]] = {}
        others: list[BackupPiece] = []
        for piece in part.pieces if part else ():
            if not self._pieces.is_there(piece):
                continue
            try:
                keys = read_keys(self._destination, piece)
            except DamagedBackup:
                continue  # its records are read again
            if living.issuperset(keys):
                kept[piece] = keys
            elif not living.isdisjoint(keys):
                others.append(piece)
        return kept, self._salvage_records(part, others, living) if part else iter(())

    def _salvage_records(
        self, part: BackupPart, pieces: Sequence[BackupPiece], living: set[str]
    ) -> Iterator[dict[str, Any]]:
        for piece in pieces:
            with suppress(DamagedBackup):  # its records are read again
                yield from (each for each in read_documents(self._destination, part, piece) if each["_id"] in living)

    def _read_records(self, collection: Collection, keys: Sequence[str], total: int) -> Iterator[dict[str, Any]]:
        size = READ_BUNDLES if collection.name == EVIDENCE else READ_KEYS
        done = total - len(keys)
        for start in range(0, len(keys), size):
            batch = keys[start : start + size]
            found, damaged = readable(collection, batch)
            self._note_damage(collection.name, damaged)
            yield from found
            self._on_progress(collection.name, done + start + len(batch), total)

    def _note_damage(self, name: str, keys: Iterable[str]) -> None:
        self._lacking |= dict.fromkeys(f"{name}/{key}" for key in keys)


class _PieceWriter:
    """Writes pieces to the destination, each once. new_bytes: the number of bytes that were not there before."""

    def __init__(self, destination: ObjectStore) -> None:
        self._destination = destination
        self._there = set(destination.keys(OBJECTS))
        self.new_bytes = 0

    def is_there(self, piece: BackupPiece) -> bool:
        return all(object_key(name) in self._there for name in (piece.name, piece.keys) if name)

    def write_packed_records(self, records: Iterable[dict[str, Any]], held: set[str]) -> Iterator[BackupPiece]:
        """Write records in pieces and yield the pieces. The keys of written records are added to `held`."""
        encoded: list[bytes] = []
        keys: list[str] = []
        size = 0
        for record in records:
            encoded.append(bson.encode(record))
            keys.append(record["_id"])
            size += len(encoded[-1])
            if size >= PIECE_BYTES:
                yield self._write_pack(encoded, keys)
                held.update(keys)
                encoded, keys, size = [], [], 0
        if keys:
            yield self._write_pack(encoded, keys)
            held.update(keys)

    def _write_pack(self, encoded: Sequence[bytes], keys: Sequence[str]) -> BackupPiece:
        content = b"".join(encoded)
        written = compress_piece(content)
        listed = self._put_new(keys_bytes(keys))
        return BackupPiece(self._put_new(written), len(written), digest(content), len(content), len(keys), listed)

    def piece(self, content: bytes, records: int, before: BackupPart | None) -> BackupPiece:
        """Return the piece of the last backup with the same content, or write a new piece and return it.

        before: the part in the last backup, or None.
        """
        named = digest(content)
        for piece in before.pieces if before else ():
            if piece.content == named and self.is_there(piece):
                return piece
        written = compress_piece(content)
        return BackupPiece(self._put_new(written), len(written), named, len(content), records)

    def _put_new(self, written: bytes) -> Any:
        name = put_object(self._destination, written)
        key = object_key(name)
        if key not in self._there:
            self._there.add(key)
            self.new_bytes += len(written)
        return name


def _encode_documents(documents: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(bson.encode(each) for each in documents)
