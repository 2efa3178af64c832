"""ZIP containers (.epub, .docx) that may be hostile: opened under limits, read under limits."""

import os
import zipfile
import zlib
from pathlib import Path
from typing import BinaryIO

from core.errors import UnreadableFile

MAX_ARCHIVE_BYTES = 512 * 1024 * 1024  # illustrated books reach 200 MB
MAX_MEMBERS = 20_000
MAX_MEMBER_BYTES = 64 * 1024 * 1024  # of one unpacked text; a whole long novel in one file has 20 MB
MAX_UNPACKED_BYTES = 512 * 1024 * 1024  # of all members that are read
_FLAG_ENCRYPTED = 0x1


class Archive:
    """A ZIP file as a source of members. Names are looked up as they stand; nothing is ever written to disk.

    name: in messages; kind: the expected suffix, ".epub".
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
        """Check the stated sizes. Raises UnreadableFile if all members together unpack to more than the limit."""
        if sum(member.file_size for member in self._zip.infolist()) > MAX_UNPACKED_BYTES:
            raise self._too_large()

    def read_member(self, name: str) -> bytes:
        """Read one member. Raises UnreadableFile for one that is missing, damaged or unpacks beyond the limits."""
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
