"""Restores a verified backup: writes the database rows and the stores in one step, then reads everything back.

A restore that was killed can be repeated, because the records already in the stores are the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import DatabaseError, DataError, IntegrityError, ProgrammingError, connection, transaction

from core.errors import BadInput
from core.ids import digest
from core.ports import EvidenceStore, ObjectStore
from core.wording import Message
from pagestore.connection import MongoDatabase
from pagestore.copying import EVIDENCE, Collection, EvidenceCollection, page_collections, pages
from pagestore.evidence import read_removal
from pagestore.raw_bodies import RawBodies
from webadmin.backups.models import BackupPlan, BackupRun
from webadmin.backups.services import tables
from webadmin.backups.services.contents import REMOVALS, read_documents, read_rows
from webadmin.backups.services.format import Backup, BackupPart, DamagedBackup, Manifest
from webadmin.backups.services.runs import is_unfinished
from webadmin.backups.services.verification import verify
from webadmin.backups.services.writing import Progress

WRITTEN, READ_BACK = 200, 200  # records written and read back at once; bundles are read back one by one
# The errors of a database or its driver for a rejected value: too long, too large, of a wrong type.
UNTAKEN = (DataError, IntegrityError, ProgrammingError, ValueError, TypeError, OverflowError)


@dataclass(frozen=True, slots=True)
class RestoreTarget:
    """The stores to write to, in addition to Django's admin database. raw: as in `BackupSource`."""

    database: MongoDatabase
    evidence: EvidenceStore
    raw: RawBodies | None = None


def require_whole(manifest: Manifest, source: ObjectStore, on_progress: Callable[[int, int], None]) -> None:
    """Verify a whole backup before a restore writes anything.

    on_progress: called with the pieces read and in total. Raises DamagedBackup if a part is missing or damaged,
    BadInput if the tables differ.
    """
    faults = verify(manifest, source, on_progress).faults
    if faults:
        raise DamagedBackup("backup.not-whole", fault=faults[0], count=len(faults))


def require_no_rows() -> None:
    """Raise BadInput if the admin database has rows. A database without tables passes."""
    try:
        there = tables.filled_tables()
    except DatabaseError:
        return
    if there:
        raise BadInput("backup.not-empty", there=there[:5])


def require_empty(target: RestoreTarget) -> None:
    """Raise BadInput if the admin database or a store contains data."""
    there = tables.filled_tables()
    for collection in target_collections(target):
        if count := len(collection.keys()):
            there.append(Message("backup.rows", table=collection.name, count=count))
    if there:
        raise BadInput("backup.not-empty", there=there[:5])


def restore(manifest: Manifest, source: ObjectStore, target: RestoreTarget, on_progress: Progress) -> int:
    """Write a backup that passed `require_whole`, read it back, and return the number of records.

    The rows are rolled back if they are inconsistent or if writing to the stores fails. Raises DamagedBackup if the
    backup is damaged or the data read back differ, ServiceUnavailable if a store is unreachable.
    """
    parts = {part.name: part for part in manifest.collections}
    collections = target_collections(target)
    with tables.replace_tables():
        _write_tables(manifest.tables, source, on_progress)
        for collection in collections:
            _write_part(parts[collection.name], source, collection, on_progress)
        _write_removals(parts[REMOVALS], source, target.evidence)
    for collection in collections:
        _read_back(parts[collection.name], source, collection, on_progress)
    _read_tables_back(manifest.tables, on_progress)
    return sum(part.records for part in manifest.parts)


def settle(backup: Backup) -> bool:
    """Disable the backup schedule, which the old installation may still run, and return whether it was enabled.

    It also marks the run that made the backup as ended, because the backup contains it as unfinished.
    """
    ended = [run.pk for run in BackupRun.objects.filter(fault__isnull=False) if is_unfinished(run)]
    ended_at = backup.manifest.ended_at
    BackupRun.objects.filter(pk__in=ended).update(fault=None, backup_id=backup.id, ended_at=ended_at)
    return bool(BackupPlan.objects.filter(is_on=True).update(is_on=False))


def target_collections(target: RestoreTarget) -> list[Collection]:
    """Return the collections in writing order: referenced records before the records that refer to them."""
    return [*page_collections(target.database, target.raw), EvidenceCollection(target.evidence), pages(target.database)]


def _write_part(part: BackupPart, source: ObjectStore, collection: Collection, on_progress: Progress) -> None:
    done = 0
    there = set(collection.keys())
    for piece in part.pieces:
        new = [record for record in read_documents(source, part, piece) if record["_id"] not in there]
        for start in range(0, len(new), WRITTEN):
            collection.write_records(new[start : start + WRITTEN])
        done += piece.records
        on_progress(part.name, done, part.records)


def _write_removals(part: BackupPart, source: ObjectStore, evidence: EvidenceStore) -> None:
    for piece in part.pieces:
        for each in read_documents(source, part, piece):
            evidence.note_removal(read_removal(each))


def _write_tables(parts: Sequence[BackupPart], source: ObjectStore, on_progress: Progress) -> None:
    for part in parts:
        done = 0
        for piece in part.pieces:
            rows = read_rows(source, part, piece)
            _insert_rows(part, rows)
            done += len(rows)
            on_progress(part.name, done, part.records)
    try:
        connection.check_constraints()
    except IntegrityError as error:
        raise DamagedBackup("backup.rows-unfit", reason=_first_line(error)) from error


def _insert_rows(part: BackupPart, rows: Sequence[tables.Row]) -> None:
    """Insert the rows of a piece. Raises DamagedBackup that names the row that the database rejects."""
    model = tables.find_model(part.name)
    try:
        with transaction.atomic():
            tables.insert_rows(model, part.columns, rows)
    except UNTAKEN as error:
        if len(rows) > 1:
            for row in rows:
                _insert_rows(part, [row])
        key = rows[0][part.columns.index(model._meta.pk.column)]
        raise DamagedBackup("backup.row-unfit", table=part.name, key=key, reason=_first_line(error)) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _read_back(part: BackupPart, source: ObjectStore, collection: Collection, on_progress: Progress) -> None:
    keys = set(collection.keys())
    if len(keys) != part.records:
        raise DamagedBackup("backup.read-back-count", part=part.name, seen=len(keys), count=part.records)
    done = 0
    size = 1 if part.name == EVIDENCE else READ_BACK
    for piece in part.pieces:
        records = read_documents(source, part, piece)
        for start in range(0, len(records), size):
            wanted = {record["_id"]: record for record in records[start : start + size]}
            found = {record["_id"]: record for record in collection.read_records(list(wanted))}
            for key, record in wanted.items():
                if found.get(key) != record:
                    raise DamagedBackup("backup.read-back", part=part.name, key=key)
        done += piece.records
        on_progress(part.name, done, part.records)


def _read_tables_back(parts: Sequence[BackupPart], on_progress: Progress) -> None:
    for part in parts:
        wanted = [piece.content for piece in part.pieces]
        seen = [digest(content) for content, _ in tables.table_pieces(tables.find_model(part.name))]
        if seen != wanted:
            raise DamagedBackup("backup.read-back-table", part=part.name)
        on_progress(part.name, part.records, part.records)
