"""Backups that somebody spoilt: each is one sentence, and nothing is restored of any."""

import gzip
import json
import os
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import bson
import pytest
from django.conf import settings as django_settings
from django.db import transaction

from core.errors import BadInput, ZhuiwenError
from core.ids import digest
from deploy.cli.restore import Wishes, review
from pagestore.mongo import MongoWorkStore
from pagestore.objects.folder import FolderObjects
from tests.support import admin_data
from tests.support.backed_up import Stored, unheard
from webadmin.backups.cli.backup import open_place
from webadmin.backups.services import sealing
from webadmin.backups.services.contents import read_documents
from webadmin.backups.services.format import (
    BackupPiece,
    Manifest,
    compress_piece,
    encode_backup,
    keys_bytes,
    list_backups,
    load_backup,
    object_key,
    put_manifest,
    put_object,
    read_content,
)
from webadmin.backups.services.restoring import restore
from webadmin.backups.services.writing import BackupSource, make

pytestmark = pytest.mark.django_db(transaction=True)

PHRASE = "correct horse battery staple"
SEALED = Wishes(passphrase=PHRASE, with_settings=False)
UNSEALED = Wishes(is_unsealed=True, with_settings=True)
FILES = {"settings.toml": b'workers = 3\nchromium = "/bin/evil"\n'}


@pytest.fixture
def quick_seals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "N", 2)


@pytest.fixture
def place(stored: Stored, tmp_path: Path, quick_seals: None) -> Path:
    """The folder of a sealed backup of an installation that is destroyed."""
    folder = tmp_path / "place"
    stored.backed_up(FolderObjects(folder), PHRASE, b'smtp_sender = "a@example.com"\n', **FILES)
    stored.destroy()
    return folder


class Spoilt:
    """A copy of a backup that may be changed file by file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, FolderObjects(folder)
        self.manifest_path = next((folder / "backups").iterdir())

    @property
    def objects(self) -> list[Path]:
        return sorted(path for path in (self.folder / "objects").rglob("*") if path.is_file())

    def rewrite(self, path: Path, content: bytes) -> None:
        path.unlink(missing_ok=True)
        path.write_bytes(content)

    def change(self, path: Path, change: Callable[[bytes], bytes]) -> None:
        self.rewrite(path, change(path.read_bytes()))

    def write_manifest(self, content: bytes) -> None:
        """With the name that its digest gives it, as somebody would who knows the format."""
        self.manifest_path.unlink()
        moment = self.manifest_path.name.partition("-")[0]
        self.rewrite(self.manifest_path.with_name(f"{moment}-{digest(content)}.json"), content)

    def forge(self, change: Callable[[Manifest], Manifest]) -> None:
        """Another manifest without a seal, in which every digest is right."""
        backup = load_backup(self.store, list_backups(self.store)[0])
        self.manifest_path.unlink()
        put_manifest(self.store, encode_backup(change(backup.manifest)))

    def forge_content(self, part: str, change: Callable[[bytes], bytes]) -> None:
        """Other content in the first piece of a part, with a manifest that says so."""
        self.forge(lambda manifest: with_piece(manifest, part, lambda piece: self.changed(piece, change)))

    def changed(self, piece: BackupPiece, change: Callable[[bytes], bytes]) -> BackupPiece:
        content = change(read_content(self.store, piece))
        written = compress_piece(content)
        size, name = len(written), put_object(self.store, written)
        return replace(piece, name=name, size_bytes=size, content=digest(content), content_bytes=len(content))


def with_piece(manifest: Manifest, part: str, change: Callable[[BackupPiece], BackupPiece]) -> Manifest:
    def changed(parts: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            replace(each, pieces=(change(each.pieces[0]), *each.pieces[1:])) if each.name == part else each
            for each in parts
        )

    return replace(manifest, tables=changed(manifest.tables), collections=changed(manifest.collections))


def each_document(change: Callable[[dict[str, Any]], object]) -> Callable[[bytes], bytes]:
    """Changes every document of a piece in place."""

    def changed(content: bytes) -> bytes:
        documents = bson.decode_all(content)
        for each in documents:
            change(each)
        return b"".join(map(bson.encode, documents))

    return changed


def each_row(change: Callable[[list[Any]], object]) -> Callable[[bytes], bytes]:
    """Changes every row of a piece in place."""

    def changed(content: bytes) -> bytes:
        rows = [json.loads(line) for line in content.splitlines()]
        for row in rows:
            change(row)
        return b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    return changed


def flipped(content: bytes, at: int | None = None) -> bytes:
    at = len(content) // 2 if at is None else at
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


def flipped_anywhere(content: bytes, chance: random.Random) -> bytes:
    return flipped(content, chance.randrange(len(content)))


def cut_anywhere(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def value_changed(content: bytes, chance: random.Random) -> bytes:
    """One value by another, of lines of JSON or of documents."""
    values: list[Any] = [None, -1, 2**70, 1e400, True, "x" * 300, "\0", [], {}, [[]], "2026-13-01", "9" * 5_000]
    if not content.startswith(b"["):
        documents = bson.decode_all(content)
        document = chance.choice(documents)
        document[chance.choice(list(document))] = chance.choice([each for each in values if each != 2**70])
        return b"".join(map(bson.encode, documents))
    rows = [json.loads(line) for line in content.splitlines()]
    row = chance.choice(rows)
    row[chance.randrange(len(row))] = chance.choice(values)
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def link_away(spoilt: Spoilt) -> None:
    target = spoilt.objects[0].rename(spoilt.folder.parent / "elsewhere")
    spoilt.objects[0].with_name(target.name)
    (spoilt.folder / object_key(digest(target.read_bytes()))).symlink_to(target)


def replace_by(make_file: Callable[[Path], object]) -> Callable[[Spoilt], None]:
    def spoil(spoilt: Spoilt) -> None:
        path = spoilt.objects[0]
        path.unlink()
        make_file(path)

    return spoil


def add_line(spoilt: Spoilt) -> None:
    spoilt.change(spoilt.manifest_path, lambda written: written + b"x")


def keep_seal(change: Callable[[bytes], bytes]) -> Callable[[Spoilt], None]:
    """Another first line, under the seal of the old one."""

    def spoil(spoilt: Spoilt) -> None:
        line, _, seal = spoilt.manifest_path.read_bytes().partition(b"\n")
        spoilt.write_manifest(change(line) + b"\n" + seal)

    return spoil


def seal_anew(spoilt: Spoilt) -> None:
    """By somebody who does not know the passphrase."""
    backup = load_backup(spoilt.store, list_backups(spoilt.store)[0])
    spoilt.manifest_path.unlink()
    put_manifest(spoilt.store, encode_backup(backup.manifest, b"", "another passphrase of theirs"))


def expand(spoilt: Spoilt) -> None:
    """A small object that unpacks to 200 MB, as a manifest says that is right in all else."""

    def expanding(piece: BackupPiece) -> BackupPiece:
        content = bytes(200 * 2**20)
        written = gzip.compress(content, 1, mtime=0)
        name = put_object(spoilt.store, written)
        return replace(piece, name=name, size_bytes=len(written), content=digest(content), content_bytes=len(content))

    spoilt.forge(lambda manifest: with_piece(manifest, "work_texts", expanding))


def twice(spoilt: Spoilt) -> None:
    def doubled(manifest: Manifest) -> Manifest:
        texts = manifest.part("work_texts")
        parts = tuple(replace(texts, pieces=texts.pieces * 2) if p is texts else p for p in manifest.collections)
        return replace(manifest, collections=parts)

    spoilt.forge(doubled)


def with_key(key: Any) -> Callable[[Spoilt], None]:
    """Bytes under another key, with a list of keys that says so."""

    def spoil(spoilt: Spoilt) -> None:
        def changed(piece: BackupPiece) -> BackupPiece:
            made = spoilt.changed(piece, each_document(lambda each: each.update(_id=key)))
            return replace(made, keys=put_object(spoilt.store, keys_bytes([str(key)] * piece.records)))

        spoilt.forge(lambda manifest: with_piece(manifest, "work_texts", changed))

    return spoil


def file_of(name: str, content: bytes) -> Callable[[Spoilt], None]:
    def spoil(spoilt: Spoilt) -> None:
        def with_file(manifest: Manifest) -> Manifest:
            piece = spoilt.changed(manifest.files["settings.toml"], lambda _: content)
            return replace(manifest, files={name: piece})

        spoilt.forge(with_file)

    return spoil


def named(manifest: bytes, name: str) -> bytes:
    return manifest.replace(b'"settings.toml":', f'"{name}":'.encode())


def at(column: int, value: Any) -> Callable[[bytes], bytes]:
    return each_row(lambda row: row.__setitem__(column, value))


# name: what is done to the backup, what the restorer says, and a word of the sentence
SPOILT: dict[str, tuple[Callable[[Spoilt], object], Wishes, str]] = {
    "an object flipped": (lambda s: s.change(s.objects[3], flipped), SEALED, "is damaged"),
    "an object empty": (lambda s: s.rewrite(s.objects[6], b""), SEALED, "is damaged"),
    "an object missing": (lambda s: s.objects[7].unlink(), SEALED, "is missing"),
    "an object is a link": (link_away, SEALED, "is not a regular file"),
    "an object is a pipe": (replace_by(os.mkfifo), SEALED, "is not a regular file"),
    "a manifest longer": (add_line, SEALED, "its digest does not match"),
    "a manifest of no JSON": (lambda s: s.write_manifest(b"{"), SEALED, "is not the manifest"),
    "a manifest of depth": (lambda s: s.write_manifest(b"[" * 200_000), SEALED, "is not the manifest"),
    "a later format": (lambda s: s.write_manifest(b'{"format":99}'), SEALED, "has format 99"),
    "no manifest": (lambda s: s.manifest_path.unlink(), SEALED, "no complete backup at this destination"),
    "no backup": (
        lambda s: (shutil.rmtree(s.folder), s.folder.mkdir(), (s.folder / "novel.txt").write_text("第一章")),
        SEALED,
        "no complete backup at this destination",
    ),
    "a wrong passphrase": (lambda _: None, replace(SEALED, passphrase=PHRASE + "!"), "wrong passphrase for"),
    "no passphrase": (lambda _: None, Wishes(), "provide its passphrase"),
    "the seal taken off": (lambda s: s.forge(lambda m: m), SEALED, "has no seal"),
    "another seal": (seal_anew, SEALED, "wrong passphrase for this backup"),
    "a seal of no sense": (keep_seal(lambda line: line + b"\n{}"), SEALED, "its seal is invalid"),
    "a manifest changed under its seal": (
        keep_seal(lambda line: line.replace(b'"records":2', b'"records":3')),
        SEALED,
        "its seal is invalid",
    ),
    "a path that escapes": (keep_seal(lambda line: named(line, "../../etc/cron.d/x")), UNSEALED, "is not the manifest"),
    "a negative size": (
        keep_seal(lambda line: line.replace(b'"size_bytes":', b'"size_bytes":-')),
        UNSEALED,
        "is not the manifest",
    ),
    "another size": (
        lambda s: s.forge(lambda m: with_piece(m, "pages", lambda p: replace(p, size_bytes=p.size_bytes - 1))),
        UNSEALED,
        "is larger than",
    ),
    "an object that expands": (expand, UNSEALED, "exceeds the size limit"),
    "a table missing": (
        lambda s: s.forge(lambda m: replace(m, tables=m.tables[1:])),
        UNSEALED,
        "unexpected tables or collections",
    ),
    "a collection missing": (
        lambda s: s.forge(lambda m: replace(m, collections=m.collections[:-1])),
        UNSEALED,
        "unexpected tables or collections",
    ),
    "other tables": (
        lambda s: s.forge(lambda m: replace(m, schema=digest(b"other"))),
        UNSEALED,
        "whose tables differ from those of this version",
    ),
    "a piece twice": (twice, UNSEALED, "contains a duplicate record"),
    "a page of no BSON": (lambda s: s.forge_content("pages", lambda _: b"\x07\0\0\0abc"), UNSEALED, "no records"),
    "a page without a key": (
        lambda s: s.forge_content("pages", each_document(lambda each: each.pop("_id"))),
        UNSEALED,
        "an invalid key",
    ),
    "a key that escapes": (with_key("../../etc/x"), UNSEALED, "an invalid key"),
    "a body that its key does not say": (
        lambda s: s.forge_content("raw_bodies", each_document(lambda each: each.update(data=b"forged"))),
        UNSEALED,
        "does not match its key",
    ),
    "a version that names a list": (
        lambda s: s.forge_content("page_versions", each_document(lambda each: each.update(text=["a"]))),
        UNSEALED,
        "does not match its key",
    ),
    "a version that names what is not there": (
        lambda s: s.forge_content("page_versions", each_document(lambda each: each.update(text="a"))),
        UNSEALED,
        "is listed but missing from the backup",
    ),
    "rows of no JSON": (lambda s: s.forge_content("works_work", lambda b: b[:-9] + b"\n"), UNSEALED, "is not a row"),
    "rows of depth": (lambda s: s.forge_content("works_work", lambda _: b"[" * 99_999), UNSEALED, "is not a row"),
    "a row that is no date": (lambda s: s.forge_content("cases_case", at(1, "x" * 99)), UNSEALED, ""),
    "settings of no TOML": (file_of("settings.toml", b"= ="), UNSEALED, "settings.toml in the backup has invalid"),
    "settings without an end": (file_of("settings.toml", b"#" * 2**21), UNSEALED, "settings.toml in the backup"),
    "a root that is none": (file_of("authorities/a.pem", b"hello"), UNSEALED, "authorities/a.pem in the backup"),
}  # fmt: skip


def restored(folder: Path, home: Path, wishes: Wishes, stored: Stored) -> None:
    """All that `zhuiwen restore` does with a backup, but for starting services."""
    store = open_place(str(folder), django_settings.ZHUIWEN)
    reviewed = review(store, home, wishes)
    restore(reviewed.backup.manifest, store, stored.target, unheard)


def test_a_spoilt_backup_is_one_sentence_and_restores_nothing(place: Path, stored: Stored, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.toml").write_text("workers = 2\n")
    before = stored.rows(), stored.documents()
    wrong = []
    for name, (spoil, wishes, words) in SPOILT.items():
        folder = tmp_path / "spoilt" / "place"
        shutil.copytree(place, folder)
        spoil(Spoilt(folder))
        try:
            restored(folder, home, wishes, stored)
            said = "restored"
        except ZhuiwenError as error:
            said = str(error)
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        if words not in said or "\n" in said or len(said) > 600 or said == "restored":
            wrong.append((name, said))
        shutil.rmtree(tmp_path / "spoilt")
    assert not wrong, "\n".join(map(str, wrong))
    assert (stored.rows(), stored.documents()) == before
    assert [path.name for path in home.iterdir()] == ["settings.toml"]
    restored(place, home, SEALED, stored)
    assert stored.rows() != before[0]


def test_any_changed_byte_is_noticed_without_an_internal_error(place: Path, stored: Stored, tmp_path: Path) -> None:
    """Files as they lie there, then contents under digests that are right: of these, what can be restored is."""
    chance = random.Random(41)
    spoilt, passed = Spoilt(place), 0
    for _ in range(15):
        path = chance.choice([*spoilt.objects, spoilt.manifest_path])
        whole = path.read_bytes()
        spoilt.rewrite(path, flipped(whole, chance.randrange(len(whole))))
        with pytest.raises(BadInput):
            review(spoilt.store, tmp_path, SEALED)
        spoilt.rewrite(path, whole)
    manifest = load_backup(spoilt.store, list_backups(spoilt.store)[0]).manifest
    spoilt.manifest_path.unlink()
    for _ in range(25):
        part = chance.choice([part for part in manifest.parts if part.records])
        change = chance.choice([flipped_anywhere, cut_anywhere, value_changed])
        forged = with_piece(manifest, part.name, lambda piece: spoilt.changed(piece, lambda c: change(c, chance)))  # noqa: B023
        put_manifest(spoilt.store, backup := encode_backup(forged))
        with suppress(BadInput):
            reviewed = review(spoilt.store, tmp_path, UNSEALED)
            with transaction.atomic(), suppress(BadInput):
                restore(reviewed.backup.manifest, spoilt.store, stored.target, unheard)
            passed += 1
            stored.destroy()
        spoilt.store.remove(backup.key)
    assert passed < 20


def test_what_somebody_put_at_the_place_is_never_taken_into_a_sealed_backup(place: Path, stored: Stored) -> None:
    spoilt = Spoilt(place)
    spoilt.forge_content("work_texts", each_document(lambda each: each.update(data="偷换的正文".encode())))
    store = FolderObjects(place)
    kept = MongoWorkStore(stored.mongo).put_text(admin_data.WORK_TEXT)
    source = BackupSource("a" * 32, stored.mongo, stored.evidence, {})
    forged = load_backup(store, list_backups(store)[0]).manifest
    made = make(replace(source, installation=forged.installation, passphrase=PHRASE), store, unheard).backup
    assert made.open_seal(PHRASE) == b""
    texts = made.manifest.part("work_texts")
    assert [read_documents(store, texts, piece) for piece in texts.pieces] == [
        [{"_id": kept, "data": admin_data.WORK_TEXT.encode()}]
    ]
