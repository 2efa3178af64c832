"""Opens and reads untrusted ZIP containers (.epub, .docx) within limits."""

import io
import os
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from core.errors import UnreadableFile

MAX_ARCHIVE_BYTES = 512 * 1024 * 1024  # illustrated books reach 200 MB
MAX_MEMBERS = 20_000
MAX_MEMBER_BYTES = 64 * 1024 * 1024  # for one unpacked member; a long novel in one file has 20 MB
MAX_UNPACKED_BYTES = 512 * 1024 * 1024  # for all members that are read
_FLAG_ENCRYPTED = 0x1


class Archive:
    """An untrusted ZIP file and its members. Names are used exactly as stored; nothing is written to disk.

    name: the file's name for messages. kind: the expected suffix, such as ".epub"
    """

    def __init__(self, file: BinaryIO, name: Path | str, kind: str = ".zip") -> None:
        self.name = name
        self._left_bytes = MAX_UNPACKED_BYTES
        try:
            if file.seek(0, os.SEEK_END) > MAX_ARCHIVE_BYTES:
                raise UnreadableFile(name, "intake.archive-too-large", most=MAX_ARCHIVE_BYTES // (1024 * 1024))
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise UnreadableFile(name, "intake.damaged", kind=kind) from error
        members = self._zip.infolist()
        if len(members) > MAX_MEMBERS:
            raise UnreadableFile(name, "intake.too-many-files", most=MAX_MEMBERS)
        if any(member.flag_bits & _FLAG_ENCRYPTED for member in members):
            raise UnreadableFile(name, "intake.password")
        self.names = frozenset(member.filename for member in members)

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def require_modest(self) -> None:
        """Raise UnreadableFile if the members would exceed the limit in total, by their declared sizes."""
        if sum(member.file_size for member in self._zip.infolist()) > MAX_UNPACKED_BYTES:
            raise self._too_large()

    def read_member(self, name: str) -> bytes:
        """Return the bytes of one member.

        Raises UnreadableFile if it is missing, damaged or unpacks beyond the limits.
        """
        limit = min(MAX_MEMBER_BYTES, self._left_bytes)
        try:
            with self._zip.open(name) as member:
                data = member.read(limit + 1)
        except KeyError as error:
            raise UnreadableFile(self.name, "intake.part-missing", part=name) from error
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
            raise UnreadableFile(self.name, "intake.part-damaged", part=name) from error
        if len(data) > limit:
            raise self._too_large()
        self._left_bytes -= len(data)
        return data

    def _too_large(self) -> UnreadableFile:
        return UnreadableFile(self.name, "intake.unpacks-too-large", most=MAX_UNPACKED_BYTES // (1024 * 1024))


# Detects the kind of a file by its content, because file names and content types are often wrong.

PDF, EPUB, WORD, ZIP, JSON = "pdf", "epub", "docx", "zip", "json"
_MAX_LEADING_BYTES = 1_024  # before the header of a PDF file; PDF readers skip them
_ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_PDF_MARK = b"%PDF-"
_BLANKS = b"\xef\xbb\xbf \t\r\n\x00"


def detect_kind(body: bytes) -> str:
    """Return PDF, EPUB, WORD, ZIP or JSON, or "" for another kind. A ZIP file that cannot be opened counts as ZIP.

    >>> detect_kind(b"%PDF-1.7"), detect_kind(b'{"text": 1}'), detect_kind(b"<html>")
    ('pdf', 'json', '')
    """
    if body.startswith(_ZIP_MARKS):
        return _container_kind(body)
    head = body[:_MAX_LEADING_BYTES].lstrip(_BLANKS)
    if head.startswith(_PDF_MARK):
        return PDF
    return JSON if head.startswith((b"{", b"[")) and body.rstrip(_BLANKS).endswith((b"}", b"]")) else ""


def is_container(body: bytes) -> bool:
    """Return True if a body begins like a PDF or ZIP file, which need a parser."""
    return body.startswith(_ZIP_MARKS) or body[:_MAX_LEADING_BYTES].lstrip(_BLANKS).startswith(_PDF_MARK)


def _container_kind(body: bytes) -> str:
    try:
        with Archive(io.BytesIO(body), "") as archive:
            names = archive.names
    except UnreadableFile:
        return ZIP  # the reader of ZIP files reports the damage
    if "META-INF/container.xml" in names:
        return EPUB
    return WORD if "word/document.xml" in names else ZIP
