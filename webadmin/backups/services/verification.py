"""Verifies a backup: reads every object, computes every digest, checks every record, finds every reference."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.errors import BadInput
from core.ports import ObjectStore
from core.program import code_version
from core.wording import Message
from webadmin.backups.services import tables
from webadmin.backups.services.contents import read_documents, read_rows, require_complete
from webadmin.backups.services.format import BackupPart, BackupPiece, DamagedBackup, Manifest, read_content
from webadmin.backups.services.references import Named


@dataclass(frozen=True, slots=True)
class Verified:
    """The result of reading a backup. lacking: records that were missing when the backup was made."""

    records: int
    bytes: int
    faults: tuple[Message, ...]
    lacking: tuple[str, ...]


def require_compatible_manifest(manifest: Manifest) -> None:
    """Raise BadInput if the tables of this program differ from those in the backup.

    Raises DamagedBackup if the manifest lacks parts.
    """
    if manifest.schema != tables.schema_digest():
        raise BadInput("backup.other-tables", its=manifest.program, ours=code_version())
    require_complete(manifest)


def verify(manifest: Manifest, store: ObjectStore, on_progress: Callable[[int, int], None]) -> Verified:
    """Read a whole backup, and return the result with all errors.

    on_progress: called with the pieces read and in total. Raises BadInput if the tables differ.
    """
    require_compatible_manifest(manifest)
    return _Verifying(manifest, store, on_progress).verify()


class _Verifying:
    def __init__(self, manifest: Manifest, store: ObjectStore, on_progress: Callable[[int, int], None]) -> None:
        self._manifest, self._store, self._on_progress = manifest, store, on_progress
        self._done, self._total = 0, len(manifest.pieces)
        self._faults: list[Message] = []
        self._records = self._bytes = 0
        self._held: dict[str, set[str]] = {}
        self._named = Named()

    def verify(self) -> Verified:
        for part in self._manifest.collections:
            self._held[part.name] = set()
            for piece in part.pieces:
                self._read_piece(piece, partial(self._read_documents, part))
            if not self._faults and len(self._held[part.name]) != part.records:
                self._faults.append(Message("backup.twice", part=part.name))
        for part in self._manifest.tables:
            for piece in part.pieces:
                self._read_piece(piece, partial(self._read_rows, part))
        for piece in self._manifest.files.values():
            self._read_piece(piece, partial(read_content, self._store))
        lacking = set(self._manifest.lacking)
        self._faults += [
            Message("backup.not-in-it", key=each) for each in self._named.lacking(self._held) if each not in lacking
        ]
        return Verified(self._records, self._bytes, tuple(self._faults), self._manifest.lacking)

    def _read_piece(self, piece: BackupPiece, read: Callable[[BackupPiece], object]) -> None:
        self._done += 1
        self._on_progress(self._done, self._total)
        try:
            read(piece)
        except DamagedBackup as fault:
            self._faults.append(fault.message)
            return
        self._records += piece.records
        self._bytes += piece.size_bytes

    def _read_documents(self, part: BackupPart, piece: BackupPiece) -> None:
        for document in read_documents(self._store, part, piece):
            self._held[part.name].add(document["_id"])
            self._named.note_record(part.name, document)

    def _read_rows(self, part: BackupPart, piece: BackupPiece) -> None:
        self._named.note(tables.find_model(part.name), read_rows(self._store, part, piece), part.columns)
