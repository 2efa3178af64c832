"""Reads the records in the pieces of a backup as untrusted input, and checks each for its collection or table."""

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import bson
from bson.errors import BSONError
from django.core.exceptions import ValidationError

from core.errors import BrokenInvariant
from core.ports import ObjectStore
from pagestore.captures import named_bodies, named_certificates
from pagestore.copying import BLOBS, BY_DIGEST, DOCUMENTS, EVIDENCE, PAGES, is_whole
from pagestore.documents import Document, required_portable
from pagestore.evidence import read_removal
from webadmin.backups.services import tables
from webadmin.backups.services.format import BackupPart, BackupPiece, DamagedBackup, Manifest, read_content, read_keys

REMOVALS = "evidence_removals"
COLLECTIONS = (*BLOBS, *DOCUMENTS, EVIDENCE, PAGES, REMOVALS)  # the collections in the order of a manifest
BYTES = frozenset({*BLOBS, EVIDENCE})  # Their records are a key and bytes. Their pieces list the keys.

# The errors of reading a value of an unexpected type.
UNREADABLE = (ValueError, TypeError, ArithmeticError, RecursionError)

_KEY = re.compile(r"[0-9A-Za-z:._-]{1,200}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DIGESTS_AS_KEYS = BY_DIGEST | {EVIDENCE, REMOVALS}

Names = dict[str, set[str]]  # keys that a record refers to, by collection
T = TypeVar("T")


def require_complete(manifest: Manifest) -> None:
    """Raise DamagedBackup unless the manifest contains exactly the collections and the tables of this program."""
    fitting = {model._meta.db_table: sorted(tables.table_columns(model)) for model in tables.tables()}
    listed = {part.name: sorted(part.columns) for part in manifest.tables}
    collections = tuple(part.name for part in manifest.collections)
    if listed != fitting or len(manifest.tables) != len(fitting) or collections != COLLECTIONS:
        raise DamagedBackup("backup.other-parts")


def read_documents(store: ObjectStore, part: BackupPart, piece: BackupPiece) -> list[Document]:
    """Return the records in a piece of a collection. Raises DamagedBackup if they are damaged or malformed."""
    content = read_content(store, piece)
    try:
        documents: list[Document] = bson.decode_all(content)
    except (*UNREADABLE, BSONError) as error:
        raise DamagedBackup("backup.no-records", part=part.name, name=piece.name) from error
    for each in documents:
        _require_record(part.name, each)
    keys = [each["_id"] for each in documents]
    if len(keys) != piece.records or (piece.keys is not None and read_keys(store, piece) != keys):
        raise DamagedBackup("backup.other-records", part=part.name, name=piece.name)
    return documents


def referenced_names(collection: str, document: Document) -> Names:
    """Return the keys that a page, a version, an absence or a capture refers to, by collection.

    Raises DamagedBackup if a key is malformed.
    """
    names = _read_valid(_NAMES.get(collection, lambda _: {}), collection, document)
    if not all(isinstance(key, str) for keys in names.values() for key in keys):
        raise DamagedBackup("backup.record-changed", part=collection, key=document["_id"])
    return names


def read_rows(store: ObjectStore, part: BackupPart, piece: BackupPiece) -> list[tables.Row]:
    """Return the rows in a piece of a table, with values for its columns.

    Raises DamagedBackup if they are damaged or malformed.
    """
    model = tables.find_model(part.name)
    rows = []
    for number, line in enumerate(read_content(store, piece).splitlines(), 1):
        try:
            rows.append(tables.parse_row(model, part.columns, json.loads(line)))
        except (*UNREADABLE, ValidationError) as error:
            raise DamagedBackup("backup.no-row", table=part.name, number=number, name=piece.name) from error
    if len(rows) != piece.records:
        raise DamagedBackup("backup.other-records", part=part.name, name=piece.name)
    return rows


def _require_record(collection: str, document: Document) -> None:
    key = document.get("_id")
    pattern = _DIGEST if collection in _DIGESTS_AS_KEYS else _KEY
    if not isinstance(key, str) or not pattern.fullmatch(key):
        raise DamagedBackup("backup.no-key", part=collection)
    if collection in BYTES and (document.keys() != {"_id", "data"} or not isinstance(document["data"], bytes)):
        raise DamagedBackup("backup.record-changed", part=collection, key=key)
    if not is_whole(collection, document):
        raise DamagedBackup("backup.record-changed", part=collection, key=key)
    _read_valid(required_portable, collection, document)
    if collection == REMOVALS:
        _read_valid(read_removal, collection, document)


def _read_valid(read: Callable[[Document], T], collection: str, document: Document) -> T:
    try:
        return read(document)
    except (*UNREADABLE, LookupError, AttributeError, BrokenInvariant) as error:
        raise DamagedBackup("backup.record-changed", part=collection, key=document["_id"]) from error


def _names_in_page(page: Document) -> Names:
    return {"page_versions": set(page.get("versions", ())), "page_absences": set(page.get("absences", ()))}


def _names_in_capture(capture: Document) -> Names:
    return {"raw_bodies": set(named_bodies(capture["data"])), "certificates": set(named_certificates(capture["data"]))}


def _names_in_version(version: Document) -> Names:
    readings: Sequence[Document] = [version, *version.get("parts", ())]
    texts = {version.get(each) for each in ("text", "raw_text", "beside", "marks")}
    captures = {each.get("capture") for each in readings}
    return {
        "raw_bodies": {each["raw"] for each in readings},
        "captures": {each for each in captures if each},
        "page_texts": {each for each in texts if each},
    }


_NAMES: dict[str, Callable[[Document], Names]] = {
    PAGES: _names_in_page,
    "captures": _names_in_capture,
    **dict.fromkeys(DOCUMENTS, _names_in_version),
}
