"""Restores lost and damaged records of a running installation from its backup. Intact records are not changed.

Rows are not restored, because later decisions would be lost. Neither are records that were removed intentionally.
"""

from dataclasses import dataclass
from typing import Any

from core.errors import BadInput
from core.ports import ObjectStore
from pagestore.copying import EVIDENCE, PAGES, Collection, readable
from webadmin.backups.services.contents import read_documents
from webadmin.backups.services.format import BackupPart, Manifest
from webadmin.backups.services.references import named_keys
from webadmin.backups.services.restoring import RestoreTarget, target_collections
from webadmin.backups.services.verification import require_compatible_manifest
from webadmin.backups.services.writing import Progress

# Collections whose missing records were removed or are rebuilt, so that only damaged records are restored.
MADE_ANEW = frozenset({"fingerprints"})
BY_NAME = frozenset({"work_texts", EVIDENCE})
ASKED, ASKED_BUNDLES = 200, 10  # records in memory at once


@dataclass(frozen=True, slots=True)
class RepairResult:
    """The result of a repair.

    put_back: the restored records as "collection/key". looked_at: the number of checked records.
    """

    put_back: tuple[str, ...]
    looked_at: int


def repair_stores(
    manifest: Manifest, source: ObjectStore, target: RestoreTarget, installation: str, on_progress: Progress
) -> RepairResult:
    """Restore lost and damaged records of the stores from a backup.

    on_progress: called with the part, the records checked and the total. Raises BadInput if the backup is from another
    installation, DamagedBackup if it is damaged, ServiceUnavailable if a store is unreachable.
    """
    if manifest.installation != installation:
        raise BadInput("backup.of-another", its=manifest.installation, ours=installation)
    require_compatible_manifest(manifest)
    put_back: list[str] = []
    looked_at = 0
    for collection in target_collections(target):
        part = manifest.part(collection.name)
        put_back += _mend_part(part, source, collection, on_progress)
        looked_at += part.records
    return RepairResult(tuple(put_back), looked_at)


def _mend_part(part: BackupPart, source: ObjectStore, collection: Collection, on_progress: Progress) -> list[str]:
    put_back: list[str] = []
    named = named_keys(part.name) if part.name in BY_NAME else set()
    done = 0
    size = ASKED_BUNDLES if part.name == EVIDENCE else ASKED
    for piece in part.pieces:
        records = read_documents(source, part, piece)
        for start in range(0, len(records), size):
            kept = {each["_id"]: each for each in records[start : start + size]}
            faulty = _faulty_keys(collection, kept, named)
            collection.put_back([kept[key] for key in faulty])
            put_back += [f"{part.name}/{key}" for key in faulty]
        done += piece.records
        on_progress(part.name, done, part.records)
    return put_back


def _faulty_keys(collection: Collection, kept: dict[str, dict[str, Any]], named: set[str]) -> list[str]:
    """Return the keys of the backup's records that differ in the store or are missing from it.

    kept: the backup's records by key. named: the keys that rows refer to.
    """
    found, damaged = readable(collection, list(kept))
    seen = {each["_id"]: each for each in found}
    missing = [key for key in kept if key not in seen and key not in damaged]
    if collection.name in BY_NAME:
        missing = [key for key in missing if key in named]
        damaged = [key for key in damaged if key in named]
    if collection.name in MADE_ANEW:
        missing = []
    # A page's document changes with each visit. Other records never change.
    other = [key for key, each in seen.items() if each != kept[key]] if collection.name != PAGES else []
    return sorted({*damaged, *missing, *other})
