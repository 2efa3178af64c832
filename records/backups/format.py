"""What stands in a backup: pieces of records, named by their digest, and a manifest that lists them.

    objects/ab/ab12….gz               a piece: gzip of lines of JSON (rows) or of BSON documents (records); or a file
    backups/MOMENT-DIGEST.json        the manifest of one backup, named by its SHA-256, written last

Nothing is written over: backups of one installation share the pieces that did not change. docs/backup-format.md.
"""

import gzip
import json
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from core.errors import BadInput, BrokenInvariant
from core.ids import Digest, digest
from core.ports import ObjectStore

FORMAT = 1  # a change of meaning takes the next number
OBJECTS, BACKUPS = "objects/", "backups/"
MOMENT = "%Y%m%dT%H%M%S%fZ"  # to the microsecond: names sort as the backups were made
# Of 200 MB of pages as they came, gzip -6 made 19 % at 41 MB/s, -1 23 % at 83 MB/s, -9 19 % at 17 MB/s (2026-11).
LEVEL = 6


@dataclass(frozen=True, slots=True)
class Piece:
    """One object. name: SHA-256 of the object as it lies there; content: of what it holds, unpacked."""

    name: Digest
    size_bytes: int
    content: Digest
    records: int
    keys: Digest | None = None  # the object with the keys of a piece of records, a line each


@dataclass(frozen=True, slots=True)
class Part:
    """One table or collection. columns: of a table, in the order of its lines."""

    name: str
    pieces: tuple[Piece, ...]
    columns: tuple[str, ...] = ()

    @property
    def records(self) -> int:
        return sum(piece.records for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Manifest:
    """One backup."""

    installation: str
    program: str
    schema: Digest  # of all tables and columns
    begun_at: datetime
    snapshot_at: datetime  # what the admin database held then, it holds after a restore
    ended_at: datetime
    tables: tuple[Part, ...]
    collections: tuple[Part, ...]
    files: dict[str, Piece] = field(default_factory=dict)  # settings.toml; secrets.toml, encrypted
    lacking: tuple[str, ...] = ()  # what was damaged or missing when it was made: "collection/key"
    format: int = FORMAT

    @property
    def pieces(self) -> list[Piece]:
        """All pieces, in the order in which they are listed."""
        of_parts = [piece for part in (*self.tables, *self.collections) for piece in part.pieces]
        return [*of_parts, *self.files.values()]

    @property
    def objects(self) -> set[Digest]:
        """The names of all objects that it needs."""
        return {name for piece in self.pieces for name in (piece.name, piece.keys) if name}

    def part(self, name: str) -> Part:
        return next(part for part in (*self.tables, *self.collections) if part.name == name)


@dataclass(frozen=True, slots=True)
class Backup:
    """A manifest as it lies at a destination. key: its name there."""

    key: str
    manifest: Manifest

    @property
    def id(self) -> str:
        """How a person names it: its moment, and the beginning of its digest."""
        return self.key.removeprefix(BACKUPS).removesuffix(".json")[: len("20260101T000000Z-") + 12]


class DamagedBackup(BadInput):
    """A backup of which something is missing, or not what was written."""


def object_key(name: str) -> str:
    """Where an object lies."""
    return f"{OBJECTS}{name[:2]}/{name}"


def manifest_bytes(manifest: Manifest) -> bytes:
    """The manifest as it is written: JSON with sorted names, so that equal ones have equal bytes."""
    values = asdict(manifest) | {
        name: getattr(manifest, name).isoformat() for name in ("begun_at", "snapshot_at", "ended_at")
    }
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def manifest_key(manifest: Manifest, written: bytes) -> str:
    return f"{BACKUPS}{manifest.begun_at.astimezone(UTC).strftime(MOMENT)}-{digest(written)}.json"


def manifest_of(key: str, written: bytes) -> Manifest:
    """The manifest that was written under a key.

    Raises DamagedBackup where it is not what was written, BadInput for one of a later format.
    """
    named = key.removesuffix(".json").rpartition("-")[2]
    if digest(written) != named:
        raise DamagedBackup("backup.manifest-changed", key=key)
    values = json.loads(written)
    if values.get("format") != FORMAT:
        raise BadInput("backup.format", key=key, seen=values.get("format"), known=FORMAT)
    moments = {name: datetime.fromisoformat(values[name]) for name in ("begun_at", "snapshot_at", "ended_at")}
    return Manifest(
        **values
        | moments
        | {
            "tables": tuple(map(_part_of, values["tables"])),
            "collections": tuple(map(_part_of, values["collections"])),
            "files": {name: Piece(**piece) for name, piece in values["files"].items()},
            "lacking": tuple(values["lacking"]),
        }
    )


def packed(content: bytes) -> bytes:
    """A piece as it lies there; the same content gives the same bytes with the same zlib."""
    return gzip.compress(content, LEVEL, mtime=0)


def put_object(store: ObjectStore, written: bytes) -> Digest:
    """Keep an object, in place of one of its name whose bytes are damaged."""
    name = digest(written)
    try:
        store.put_new(object_key(name), written)
    except BrokenInvariant:
        store.remove(object_key(name))
        store.put_new(object_key(name), written)
    return name


def get_object(store: ObjectStore, name: str) -> bytes:
    """An object as it was written. Raises DamagedBackup."""
    try:
        written = store.get(object_key(name))
    except BrokenInvariant as error:
        raise DamagedBackup("backup.object-changed", key=object_key(name)) from error
    if written is None:
        raise DamagedBackup("backup.object-missing", key=object_key(name))
    if digest(written) != name:
        raise DamagedBackup("backup.object-changed", key=object_key(name))
    return written


def content_of(store: ObjectStore, piece: Piece) -> bytes:
    """What a piece holds, unpacked and checked. Raises DamagedBackup."""
    try:
        content = gzip.decompress(get_object(store, piece.name))
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedBackup("backup.object-changed", key=object_key(piece.name)) from error
    if digest(content) != piece.content:
        raise DamagedBackup("backup.object-changed", key=object_key(piece.name))
    return content


def keys_of(store: ObjectStore, piece: Piece) -> list[str]:
    """The keys of a piece of records. Raises DamagedBackup."""
    assert piece.keys is not None
    try:
        listed = gzip.decompress(get_object(store, piece.keys)).decode()
    except (OSError, EOFError, zlib.error, UnicodeError) as error:
        raise DamagedBackup("backup.object-changed", key=object_key(piece.keys)) from error
    return listed.splitlines()


def keys_bytes(keys: Iterable[str]) -> bytes:
    return packed("".join(f"{key}\n" for key in keys).encode())


def backups_at(store: ObjectStore) -> list[str]:
    """The keys of all manifests, the oldest first."""
    return [key for key in store.keys(BACKUPS) if key.endswith(".json")]


def load(store: ObjectStore, key: str) -> Backup:
    """Raises DamagedBackup, BadInput."""
    try:
        written = store.get(key)
    except BrokenInvariant as error:
        raise DamagedBackup("backup.manifest-changed", key=key) from error
    if written is None:
        raise DamagedBackup("backup.object-missing", key=key)
    return Backup(key, manifest_of(key, written))


def _part_of(values: dict[str, Any]) -> Part:
    return Part(values["name"], tuple(Piece(**each) for each in values["pieces"]), tuple(values["columns"]))
