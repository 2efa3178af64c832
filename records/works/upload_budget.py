"""What the files of one request may cost: what containers unpack to, what is read, and how much text comes of it."""

import zipfile
from pathlib import Path, PurePosixPath

from core.errors import UnreadableFile
from intake import READERS, Intake, ReadFile

TEXT_MEMBERS = frozenset({*READERS, ".xml", ".opf", ".ncx", ".toml"})
_COMPRESSED = frozenset({".epub", ".docx", ".zip"})


class Budget:
    """What is left for the files of one request. A file that is read twice is charged twice.

    most_bytes: of all .zip files, before they are unpacked, and again of all files that are read, unpacked; no reader
    unpacks more than a container declares. most_chars, most_texts: of all texts and chapters that come of it.
    """

    def __init__(self, most_bytes: int, most_chars: int, most_texts: int) -> None:
        self._megabytes = most_bytes // (1024 * 1024)
        self._unpacked_bytes = self._read_bytes = most_bytes
        self._chars, self._texts = most_chars, most_texts

    def unpack(self, path: Path) -> None:
        """Charge a .zip file. Raises UnreadableFile for one whose texts are beyond what is left."""
        needed = declared_bytes(path)
        if needed > self._unpacked_bytes:
            raise self._too_large(path)
        self._unpacked_bytes -= needed

    def reading(self, read_file: ReadFile) -> ReadFile:
        """`read_file` at the expense of this budget; raises UnreadableFile beyond it."""

        def read(path: Path) -> Intake:
            self._require_bytes(path)
            intake = read_file(path)
            self._require_text(path, intake)
            return intake

        return read

    def _require_bytes(self, path: Path) -> None:
        needed = declared_bytes(path)
        if needed > self._read_bytes:
            raise self._too_large(path)
        self._read_bytes -= needed

    def _require_text(self, path: Path, intake: Intake) -> None:
        """What is beyond the budget is not charged: the next file may be small enough."""
        chapters = [chapter for work in intake.works for chapter in work.file.chapters]
        chars = sum(len(chapter.text) for chapter in chapters)
        if chars > self._chars:
            raise UnreadableFile(path, "intake.upload-chars")
        if len(chapters) > self._texts:
            raise UnreadableFile(path, "intake.upload-chapters")
        self._chars -= chars
        self._texts -= len(chapters)

    def _too_large(self, path: Path) -> UnreadableFile:
        return UnreadableFile(path, "intake.upload-unpacks", most=self._megabytes)


def is_text(name: str) -> bool:
    """Whether a member of a container is one that readers look at."""
    return PurePosixPath(name).suffix.lower() in TEXT_MEMBERS


def declared_bytes(path: Path) -> int:
    """What is held in memory of a file: its size, or what a container unpacks to; 0 for one that its reader refuses."""
    suffix = path.suffix.lower()
    try:
        if suffix not in _COMPRESSED:
            return path.stat().st_size
        with zipfile.ZipFile(path) as container:
            # A .docx is read whole, pictures too; of the others only the texts are looked at.
            return sum(each.file_size for each in container.infolist() if suffix == ".docx" or is_text(each.filename))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0
