"""The format of a backup: pieces of records, named by their digest, and a manifest that lists them.

    objects/ab/ab12…                  a piece: gzipped JSON lines (rows) or BSON documents (records); or a file
    backups/MOMENT-DIGEST.json        the manifest of a backup, named by its SHA-256, written last; and its seal

Nothing is overwritten: backups of one installation share unchanged pieces. Backups are untrusted input: reads are
limited to the sizes in the manifest and checked by digest. See docs/backup-format.md.
"""

import gzip
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC
from functools import cache
from itertools import islice
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, TypeAdapter
from pydantic_core import from_json

from core.errors import BadInput, BrokenInvariant
from core.ids import Digest, digest
from core.ports import MAX_OBJECT_BYTES, ObjectStore
from core.unpacking import gunzip
from webadmin.backups.services.sealing import open_seal, seal

FORMAT = 2  # incremented when the meaning changes
OBJECTS, BACKUPS = "objects/", "backups/"
MOMENT = "%Y%m%dT%H%M%S%fZ"  # Times are to the microsecond, so that names sort by time.
# On 200 MB of raw pages, gzip -6 gave 19 % at 41 MB/s, -1 23 % at 83 MB/s, -9 19 % at 17 MB/s (2026-11).
LEVEL = 6
MAX_MANIFEST_BYTES = 64 * 2**20  # a piece takes 350 bytes, so this suffices for some ten million pages
MAX_BACKUPS = 100_000  # backups at one destination; the limit of `backup --keep`
# gzip can compress repetitive data to a thousandth. Content larger than four full pieces is limited to this expansion,
# so that a small object never takes gigabytes of memory.
FREE_BYTES, MAX_EXPANSION = 64 * 2**20, 100
KEY_BYTES = 256  # bytes of the key of one record, including the line break

_KEY = re.compile(rf"{BACKUPS}[0-9]{{8}}T[0-9]{{12}}Z-[0-9a-f]{{64}}\.json")

Hex = Annotated[Digest, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**53)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,100}$")]
FileName = Annotated[str, Field(pattern=r"^(settings\.toml|authorities/[A-Za-z0-9_-][A-Za-z0-9._-]{0,200}\.pem)$")]


@dataclass(frozen=True, slots=True)
class BackupPiece:
    """A stored object. name: SHA-256 of the object. content: SHA-256 of its decompressed content."""

    name: Hex
    size_bytes: Annotated[int, Field(ge=0, le=MAX_OBJECT_BYTES)]
    content: Hex
    content_bytes: Count
    records: Count
    keys: Hex | None = None  # the object with the keys of a piece of records, one on each line


@dataclass(frozen=True, slots=True)
class BackupPart:
    """A table or collection. columns: a table's columns, in the order of the values in its lines."""

    name: Name
    pieces: tuple[BackupPiece, ...]
    columns: tuple[Name, ...] = ()

    @property
    def records(self) -> int:
        return sum(piece.records for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The list of all pieces of a backup."""

    installation: Annotated[str, Field(pattern=r"^[0-9a-z-]{1,64}$")]
    program: Annotated[str, Field(max_length=100)]
    schema: Hex  # digest of all tables and columns
    begun_at: AwareDatetime
    snapshot_at: AwareDatetime  # the time of the admin database's state that a restore returns to
    ended_at: AwareDatetime
    tables: tuple[BackupPart, ...]
    collections: tuple[BackupPart, ...]
    files: dict[FileName, BackupPiece] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()  # records damaged or missing when the backup was made: "collection/key"
    format: int = FORMAT

    @property
    def parts(self) -> tuple[BackupPart, ...]:
        return (*self.tables, *self.collections)

    @property
    def pieces(self) -> list[BackupPiece]:
        """The pieces in the order of the manifest."""
        return [*(piece for part in self.parts for piece in part.pieces), *self.files.values()]

    @property
    def objects(self) -> set[Digest]:
        """The names of the objects that the backup needs."""
        return {name for piece in self.pieces for name in (piece.name, piece.keys) if name}

    def part(self, name: str) -> BackupPart:
        return next(part for part in self.parts if part.name == name)


@dataclass(frozen=True, slots=True)
class Backup:
    """A stored manifest.

    key: its name at the destination. line: its first line. seal: its second line, or b"" without a passphrase.
    """

    key: str
    manifest: Manifest
    line: bytes = field(repr=False)
    seal: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """The name for people: the time and the beginning of the digest."""
        return self.key.removeprefix(BACKUPS).removesuffix(".json")[: len("20260101T000000Z-") + 12]

    def open_seal(self, passphrase: str) -> bytes:
        """Return the secrets in the seal. This proves that the backup was written with the passphrase.

        Raises WrongPassphrase, and DamagedBackup if the manifest is not the sealed one.
        """
        try:
            return open_seal(self.seal, passphrase, self.line)
        except ValueError as error:
            raise DamagedBackup("backup.forged", backup=self.id) from error


class DamagedBackup(BadInput):
    """A part of a backup is missing or was changed."""


def object_key(name: str) -> str:
    """Return the key of the object with this name."""
    return f"{OBJECTS}{name[:2]}/{name}"


def encode_backup(manifest: Manifest, secrets: bytes = b"", passphrase: str = "") -> Backup:
    """Encode a manifest, with a seal if there is a passphrase. Equal manifests have equal first lines."""
    values = _manifests().dump_python(manifest, mode="json")
    line = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    sealed = seal(secrets, passphrase, line) if passphrase else b""
    moment = manifest.begun_at.astimezone(UTC).strftime(MOMENT)
    return Backup(f"{BACKUPS}{moment}-{digest(_sealed_bytes(line, sealed))}.json", manifest, line, sealed)


def put_manifest(store: ObjectStore, backup: Backup) -> int:
    """Write the manifest of a backup and return its size in bytes."""
    written = _sealed_bytes(backup.line, backup.seal)
    store.put_new(backup.key, written)
    return len(written)


def load_backup(store: ObjectStore, key: str) -> Backup:
    """Return the backup whose manifest has this key.

    Raises DamagedBackup if it is missing or was changed, BadInput if it has another format.
    """
    try:
        written = store.get(key, MAX_MANIFEST_BYTES)
    except BrokenInvariant as error:
        raise DamagedBackup(error.message) from error
    if written is None:
        raise DamagedBackup("backup.object-missing", key=key)
    if digest(written) != key.removesuffix(".json").rpartition("-")[2]:
        raise DamagedBackup("backup.manifest-changed", key=key)
    line, _, rest = written.partition(b"\n")
    try:
        values = from_json(line)
        if (seen := values["format"]) != FORMAT:
            raise BadInput("backup.format", key=key, seen=seen, known=FORMAT)
        return Backup(key, _manifests().validate_json(line), line, rest.removesuffix(b"\n"))
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedBackup("backup.no-manifest", key=key) from error


def list_backups(store: ObjectStore) -> list[str]:
    """Return the keys of all manifests, the oldest first. Raises DamagedBackup for more than MAX_BACKUPS."""
    listed = list(islice(store.keys(BACKUPS), MAX_BACKUPS + 1))
    if len(listed) > MAX_BACKUPS:
        raise DamagedBackup("backup.too-many", most=MAX_BACKUPS)
    return sorted(key for key in listed if _KEY.fullmatch(key))


def compress_piece(content: bytes) -> bytes:
    """Compress a piece. The same content gives the same bytes with the same zlib."""
    written = gzip.compress(content, LEVEL, mtime=0)
    return written if len(content) <= _most_content(len(written)) else gzip.compress(content, 0, mtime=0)


def put_object(store: ObjectStore, written: bytes) -> Digest:
    """Store an object and return its name. A damaged object with the same name is replaced."""
    name = digest(written)
    try:
        store.put_new(object_key(name), written)
    except BrokenInvariant:
        store.remove(object_key(name))
        store.put_new(object_key(name), written)
    return name


def read_content(store: ObjectStore, piece: BackupPiece) -> bytes:
    """Read, decompress and check a piece, and return its content.

    Raises DamagedBackup if it is missing or was changed.
    """
    key = object_key(piece.name)
    if piece.content_bytes > _most_content(piece.size_bytes):
        raise DamagedBackup("backup.object-expands", key=key)
    written = _get_object(store, piece.name, piece.size_bytes)
    content = _decompress(written, key, piece.content_bytes)
    if len(written) != piece.size_bytes or len(content) != piece.content_bytes or digest(content) != piece.content:
        raise DamagedBackup("backup.object-changed", key=key)
    return content


def read_keys(store: ObjectStore, piece: BackupPiece) -> list[str]:
    """Return the keys of the records in a piece. Raises DamagedBackup if they are missing or were changed."""
    assert piece.keys is not None
    key, most = object_key(piece.keys), min(piece.records * KEY_BYTES, FREE_BYTES)
    listed = _decompress(_get_object(store, piece.keys, most + 1024), key, most)
    try:
        return listed.decode().splitlines()
    except UnicodeError as error:
        raise DamagedBackup("backup.object-changed", key=key) from error


def keys_bytes(keys: Iterable[str]) -> bytes:
    return compress_piece("".join(f"{key}\n" for key in keys).encode())


def _get_object(store: ObjectStore, name: str, most_bytes: int) -> bytes:
    """Return the bytes of an object. Raises DamagedBackup if it is missing, too large or was changed."""
    key = object_key(name)
    try:
        written = store.get(key, most_bytes)
    except BrokenInvariant as error:
        raise DamagedBackup(error.message) from error
    if written is None:
        raise DamagedBackup("backup.object-missing", key=key)
    if digest(written) != name:
        raise DamagedBackup("backup.object-changed", key=key)
    return written


def _decompress(written: bytes, key: str, most_bytes: int) -> bytes:
    try:
        return gunzip(written, most_bytes)
    except ValueError as error:
        raise DamagedBackup("backup.object-changed", key=key) from error


def _most_content(size_bytes: int) -> int:
    return max(FREE_BYTES, MAX_EXPANSION * size_bytes)


def _sealed_bytes(line: bytes, seal: bytes) -> bytes:
    return line + b"\n" + (seal + b"\n" if seal else b"")


@cache
def _manifests() -> TypeAdapter[Any]:
    return TypeAdapter(Manifest)
