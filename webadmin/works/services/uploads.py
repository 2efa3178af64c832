"""Reads works from files uploaded in the browser, within limits. The files are deleted from the disk afterwards."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from core.errors import BadInput, UnreadableFile
from core.text import storable
from core.wording import Message
from crawler.formats.archive import Archive
from crawler.formats.zipped import decode_name
from webadmin.ui.services.upload_limits import MAX_UPLOAD_BYTES
from webadmin.works.services.intake.bounded import BoundedReader
from webadmin.works.services.intake.division import Intake
from webadmin.works.services.intake.files import READERS, read_works
from webadmin.works.services.intake.folder import ReadFile

TEXT_MEMBERS = frozenset({*READERS, ".xml", ".opf", ".ncx"})
_COMPRESSED = frozenset({".epub", ".docx", ".zip"})


class UploadBudget:
    """The remaining budget for the files of one request. A file that is read twice is charged twice.

    most_bytes: the limit for the unpacked .zip files, and separately for the unpacked files that are read; no reader
    unpacks more than a container declares. most_chars, most_texts: the limits for the characters and chapters read.
    """

    def __init__(self, most_bytes: int, most_chars: int, most_texts: int) -> None:
        self._megabytes = most_bytes // (1024 * 1024)
        self._unpacked_bytes = self._read_bytes = most_bytes
        self._chars, self._texts = most_chars, most_texts

    def unpack(self, path: Path) -> None:
        """Charge the unpacked size of the texts in a .zip file. Raises UnreadableFile if it exceeds the budget."""
        self._unpacked_bytes = self._charge_bytes(path, self._unpacked_bytes)

    def reading(self, read_file: ReadFile) -> ReadFile:
        """Return `read_file` with a charge of this budget. It raises UnreadableFile if a file exceeds the budget."""

        def read(path: Path) -> Intake:
            self._read_bytes = self._charge_bytes(path, self._read_bytes)
            intake = read_file(path)
            self._require_text(path, intake)
            return intake

        return read

    def _charge_bytes(self, path: Path, left: int) -> int:
        """Return the rest of the bytes in `left` after a file. Raises UnreadableFile if the file exceeds them."""
        needed = declared_bytes(path)
        if needed > left:
            raise UnreadableFile(path, "intake.upload-unpacks", most=self._megabytes)
        return left - needed

    def _require_text(self, path: Path, intake: Intake) -> None:
        """Charge the texts of a file. If they exceed the budget, raises UnreadableFile without a charge."""
        chapters = [chapter for work in intake.works for chapter in work.file.chapters]
        chars = sum(len(chapter.text) for chapter in chapters)
        if chars > self._chars:
            raise UnreadableFile(path, "intake.upload-chars")
        if len(chapters) > self._texts:
            raise UnreadableFile(path, "intake.upload-chapters")
        self._chars -= chars
        self._texts -= len(chapters)


def is_text(name: str) -> bool:
    """Return True if readers use the member `name` of a container."""
    return PurePosixPath(name).suffix.lower() in TEXT_MEMBERS


def declared_bytes(path: Path) -> int:
    """Return the number of bytes that reading a file takes: its size, or the declared size of the texts in a container.

    Returns 0 for a file that its reader rejects.
    """
    suffix = path.suffix.lower()
    try:
        if suffix not in _COMPRESSED:
            return path.stat().st_size
        with zipfile.ZipFile(path) as container:
            # A .docx is read completely, with images; from other containers, only texts are read.
            return sum(each.file_size for each in container.infolist() if suffix == ".docx" or is_text(each.filename))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0


MAX_SECONDS = 20.0  # time to unpack one file; proxies give up a request after 60 s, and each file is tried twice
MAX_FILES = 100  # Django's limit for one request
# The limit for a request's unpacked .zip files, and for all files read. Text compresses to a third or less, but
# MAX_CHARS characters never take more than this, including markup.
MAX_UNPACKED_BYTES = 2 * MAX_UPLOAD_BYTES
MAX_CHARS = MAX_UPLOAD_BYTES // 2  # as many as uncompressed GB18030 of MAX_UPLOAD_BYTES contains
MAX_TEXTS = 20_000  # chapters and works in one request; the longest novels have some 10,000 chapters
MAX_FAULTS = 100  # faults reported for one file; nobody reads more
MAX_NAME_BYTES = 200  # file systems allow 255, and the extension is kept
_UNPACKED = "unpacked"


@dataclass(slots=True)
class Upload:
    """An uploaded file: the uploader's name of it, the works read from it, and a message for each error."""

    name: str
    intake: Intake = field(default_factory=Intake)
    faults: list[Message] = field(default_factory=list)


def read_uploads(files: Sequence[UploadedFile]) -> list[Upload]:
    """Read the files in order, and return one Upload for each. Errors are recorded in it, not raised."""
    budget = UploadBudget(MAX_UNPACKED_BYTES, MAX_CHARS, MAX_TEXTS)
    with tempfile.TemporaryDirectory(prefix="zhuiwen-upload-") as folder, BoundedReader(MAX_SECONDS) as reader:
        read_file = budget.reading(reader.read_file)
        return [_read_upload(file, Path(folder) / str(number), budget, read_file) for number, file in enumerate(files)]


def _read_upload(file: UploadedFile, folder: Path, budget: UploadBudget, read_file: ReadFile) -> Upload:
    upload = Upload(storable(Path(file.name or "").name))
    path = folder / short_name(upload.name)
    try:
        folder.mkdir()
        with path.open("wb") as kept:
            shutil.copyfileobj(file, kept)
        upload.intake = read_works(_path_to_read(path, budget), read_file)
        faults: Sequence[BadInput] = upload.intake.faults
    except BadInput as fault:
        faults = [fault]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        faults = [UnreadableFile(path, "intake.upload-not-kept", error=reason)]
    upload.faults = [_replace_paths(fault.message, folder, upload.name) for fault in faults[:MAX_FAULTS]]
    if len(faults) > MAX_FAULTS:
        unlisted = Message("intake.upload-more-faults", count=len(faults) - MAX_FAULTS)
        upload.faults.append(Message("core.unreadable", path=upload.name, reason=unlisted))
    return upload


def _replace_paths(message: Message, folder: Path, name: str) -> Message:
    """Return a message with temporary paths replaced by `name`, the uploader's file name, or by paths inside it."""

    def without_paths(value: Any) -> Any:
        if isinstance(value, Message):
            return _replace_paths(value, folder, name)
        if isinstance(value, tuple):
            return tuple(without_paths(each) for each in value)
        if isinstance(value, str):
            return value.replace(f"{folder}/{_UNPACKED}/", "").replace(f"{folder}/", "").replace(str(folder), name)
        return value

    return Message(message.code, **{each: without_paths(value) for each, value in message.params.items()})


def _path_to_read(path: Path, budget: UploadBudget) -> Path:
    """Return the path to read: the uploaded file itself, or the folder into which it is unpacked."""
    if path.suffix.lower() != ".zip":
        return path
    budget.unpack(path)
    return _unpack_zip(path)


def _unpack_zip(path: Path) -> Path:
    """Unpack the chapters of a .zip file into a folder named after it, and return the folder."""
    folder = path.parent / _UNPACKED / short_name(path.stem)
    folder.mkdir(parents=True)
    with path.open("rb") as file, Archive(file, path) as archive:
        for name, inside in _chapter_names(archive.names):
            target = folder / inside
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("xb") as kept:
                    kept.write(archive.read_member(name))
            except (OSError, ValueError) as error:
                raise UnreadableFile(path, "intake.upload-part", part=inside) from error
    if not any(folder.iterdir()):
        raise UnreadableFile(path, "intake.upload-no-chapters")
    return folder


def _chapter_names(names: Iterable[str]) -> Iterator[tuple[str, PurePosixPath]]:
    """Yield the members of a .zip file to unpack, each with a relative path that is always inside the folder."""
    for name in sorted(names):
        inside = PurePosixPath(decode_name(name).replace("\\", "/"))
        parts = inside.parts
        is_hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
        is_inside = bool(parts) and not inside.is_absolute() and ".." not in parts and ":" not in parts[0]
        if is_inside and not is_hidden and is_text(inside.name) and not name.endswith("/"):
            yield name, PurePosixPath(*(short_name(part) for part in parts))


def short_name(name: str) -> str:
    """Return a file name that every file system accepts, with the extension of `name`.

    >>> short_name("..zip"), short_name("a/b.txt"), short_name("..")
    ('unnamed.zip', 'ab.txt', 'unnamed')
    """
    name = storable(name).replace("/", "")
    stem, dot, ending = name.rpartition(".")
    if not ending or not dot or len(ending) > 10:
        stem, dot, ending = name, "", ""
    most = MAX_NAME_BYTES - len(ending.encode())
    kept = stem.encode()[:most].decode("utf-8", "ignore")
    return (kept if kept.strip(". ") else "unnamed") + dot + ending
