"""Saved web pages with their text as marked by a person, read from an archive or a folder."""

import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from core.errors import UnreadableFile

ARCHIVE = "webpages_dev.tar.gz"
MANIFEST = "manifest.jsonl"
NO_REFERENCE = "none"


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A saved page. kind: how the reference was made. text: the reference, "" if there is none.

    encoding: of the bytes. page_kind: news, blog, thread …, "" if not labelled. zones: texts of comments and teasers,
    if labelled.
    """

    name: str
    body: bytes
    encoding: str
    kind: str
    text: str
    title: str = ""
    author: str = ""
    date: str = ""
    page_kind: str = ""
    zones: Mapping[str, str] = field(default_factory=dict)

    @property
    def markup(self) -> str:
        """The page decoded as its manifest specifies."""
        return self.body.decode(self.encoding, "replace")


def saved_pages(path: Path) -> list[SavedPage]:
    """Return the pages of a manifest, in its order. Raises UnreadableFile."""
    files = _of_folder(path) if path.is_dir() else _of_archive(path)
    manifest = next((data for name, data in files.items() if PurePosixPath(name).name == MANIFEST), None)
    if manifest is None:
        raise UnreadableFile(path, "laboratory.no-manifest", manifest=MANIFEST)
    root = next(name for name in files if PurePosixPath(name).name == MANIFEST)
    try:
        records = [json.loads(line) for line in manifest.decode("utf-8").splitlines() if line.strip()]
        return [_page(record, files[str(PurePosixPath(root).parent / record["file"])]) for record in records]
    except (ValueError, TypeError, KeyError) as error:
        raise UnreadableFile(path, "laboratory.wrong-manifest", manifest=MANIFEST, error=error) from error


def _page(record: Mapping[str, Any], body: bytes) -> SavedPage:
    encoding = str(record["encoding"]).split()[0]
    body.decode(encoding, "replace")
    return SavedPage(
        name=record["file"],
        body=body,
        encoding=encoding,
        kind=_kind(str(record.get("text_kind", ""))),
        text=str(record.get("text") or ""),
        title=str(record.get("title") or ""),
        author=str(record.get("author") or ""),
        date=str(record.get("date") or ""),
        page_kind=str(record.get("page_kind") or ""),
        zones={str(zone): str(text) for zone, text in (record.get("zones") or {}).items()},
    )


def _kind(stated: str) -> str:
    """Return the kind without the path of the element that contained the text."""
    return "site container" if stated.startswith("site container") else stated or NO_REFERENCE


def _of_folder(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _of_archive(path: Path) -> dict[str, bytes]:
    """Return the files of an archive. Reads it in memory, without writing to the disk."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            return {
                member.name: handle.read()
                for member in archive
                if member.isfile() and (handle := archive.extractfile(member)) is not None
            }
    except FileNotFoundError as error:
        raise UnreadableFile(path, "laboratory.no-pages") from error
    except (OSError, EOFError, tarfile.TarError) as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error) from error
