"""An installation made of a backup: the stores first, then the admin database in one step, then all read back.

Killed in its midst, it is begun again: what is there already is the same.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bson
from django.db import DataError, IntegrityError, transaction

from core.errors import BadInput
from core.ids import digest
from core.ports import EvidenceStore, ObjectStore
from core.wording import Message
from pagestore.connection import MongoDatabase
from pagestore.copying import (
    EVIDENCE,
    Collection,
    EvidenceCollection,
    page_collections,
    pages,
)
from pagestore.evidence import removal_of
from pagestore.raw_bodies import RawBodies
from records.backups import tables
from records.backups.format import Backup, DamagedBackup, Manifest, Part, Piece, content_of
from records.backups.references import table_of
from records.backups.runs import has_not_ended
from records.backups.writing import REMOVALS, Progress
from records.models import BackupPlan, BackupRun

WRITTEN, READ_BACK = 200, 200  # records at once; of evidence one bundle after the other


@dataclass(frozen=True, slots=True)
class Target:
    """Where to, beside the admin database that Django is set to."""

    database: MongoDatabase
    evidence: EvidenceStore
    raw: RawBodies | None = None


def require_fitting(manifest: Manifest, program: str) -> None:
    """Raises BadInput where this program has other tables than the one that made the backup."""
    if manifest.schema != tables.schema_digest():
        raise BadInput("backup.other-tables", its=manifest.program, ours=program)


def require_empty(target: Target) -> None:
    """Raises BadInput where anything is there already."""
    there = tables.filled_tables()
    for collection in collections_of(target):
        if count := len(collection.keys()):
            there.append(Message("backup.rows", table=collection.name, count=count))
    if there:
        raise BadInput("backup.not-empty", there=there[:5])


def restore(manifest: Manifest, source: ObjectStore, target: Target, on_progress: Progress) -> int:
    """Write all of a backup and read it back; how many records. Raises DamagedBackup, ServiceUnavailable."""
    parts = {part.name: part for part in manifest.collections}
    collections = collections_of(target)
    for collection in collections:
        _write(parts[collection.name], source, collection, on_progress)
    _write_removals(parts[REMOVALS], source, target.evidence)
    _write_tables(manifest.tables, source, on_progress)
    for collection in collections:
        _read_back(parts[collection.name], source, collection, on_progress)
    _read_tables_back(manifest.tables, on_progress)
    return sum(part.records for part in (*manifest.tables, *manifest.collections))


def settle(backup: Backup) -> bool:
    """Switch off the schedule, which the old installation may still keep, at the same place; whether it was on.

    The run that made the backup is in it as one that did not end.
    """
    ended = [run.pk for run in BackupRun.objects.filter(fault__isnull=False) if has_not_ended(run)]
    ended_at = backup.manifest.ended_at
    BackupRun.objects.filter(pk__in=ended).update(fault=None, backup_id=backup.id, ended_at=ended_at)
    return bool(BackupPlan.objects.filter(is_on=True).update(is_on=False))


def collections_of(target: Target) -> list[Collection]:
    """In the order in which they are written: what is named before what names it."""
    return [*page_collections(target.database, target.raw), EvidenceCollection(target.evidence), pages(target.database)]


def _records(source: ObjectStore, piece: Piece) -> list[dict[str, Any]]:
    return list(bson.decode_all(content_of(source, piece)))


def _write(part: Part, source: ObjectStore, collection: Collection, on_progress: Progress) -> None:
    done = 0
    there = set(collection.keys())
    for piece in part.pieces:
        new = [record for record in _records(source, piece) if record["_id"] not in there]
        for start in range(0, len(new), WRITTEN):
            collection.write(new[start : start + WRITTEN])
        done += piece.records
        on_progress(part.name, done, part.records)


def _write_removals(part: Part, source: ObjectStore, evidence: EvidenceStore) -> None:
    for piece in part.pieces:
        for each in _records(source, piece):
            evidence.note_removal(removal_of(each))


def _write_tables(parts: Sequence[Part], source: ObjectStore, on_progress: Progress) -> None:
    try:
        with tables.replaced() as writing:
            for part in parts:
                model = table_of(part.name)
                assert model is not None  # the schema is the same
                done = 0
                for piece in part.pieces:
                    done += _inserted(writing, model, part, content_of(source, piece))
                    on_progress(part.name, done, part.records)
    except IntegrityError as error:
        raise DamagedBackup("backup.rows-unfit", reason=error) from error


def _inserted(writing: tables.Writing, model: Any, part: Part, content: bytes) -> int:
    """Write the rows of a piece. Raises DamagedBackup, which names the row that the database does not take."""
    try:
        with transaction.atomic():
            return writing.insert(model, part.columns, content)
    except DataError:
        at = part.columns.index(model._meta.pk.column)
        for line in content.splitlines():
            try:
                with transaction.atomic():
                    writing.insert(model, part.columns, line)
            except DataError as error:
                raise DamagedBackup(
                    "backup.row-unfit", table=part.name, key=json.loads(line)[at], reason=str(error).partition("\n")[0]
                ) from error
        raise


def _read_back(part: Part, source: ObjectStore, collection: Collection, on_progress: Progress) -> None:
    keys = set(collection.keys())
    if len(keys) != part.records:
        raise DamagedBackup("backup.read-back-count", part=part.name, seen=len(keys), count=part.records)
    done = 0
    size = 1 if part.name == EVIDENCE else READ_BACK
    for piece in part.pieces:
        records = _records(source, piece)
        for start in range(0, len(records), size):
            wanted = {record["_id"]: record for record in records[start : start + size]}
            found = {record["_id"]: record for record in collection.read(list(wanted))}
            for key, record in wanted.items():
                if found.get(key) != record:
                    raise DamagedBackup("backup.read-back", part=part.name, key=key)
        done += piece.records
        on_progress(part.name, done, part.records)


def _read_tables_back(parts: Sequence[Part], on_progress: Progress) -> None:
    for part in parts:
        model = table_of(part.name)
        assert model is not None
        wanted = [piece.content for piece in part.pieces]
        seen = [digest(content) for content, _ in tables.pieces(model)]
        if seen != wanted:
            raise DamagedBackup("backup.read-back-table", part=part.name)
        on_progress(part.name, part.records, part.records)
