"""Files that a person sends with the browser -> works. Read under limits; nothing of them stays on disk."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from core.errors import BadInput, UnreadableFile
from webadmin.intake import READERS, Intake, read_works
from webadmin.intake.archive import Archive

# Of all files of one request together. A whole long novel has 20 MB. 32 MB of UTF-8 are 11 million characters; as 3,600
# chapters they took 10 s to read and store, unchanged ones 4 s (two busy cores, November 2026). Beyond that a request
# outlives the patience of people and proxies, and `zhuiwen work add` has no such limit.
MAX_UPLOAD_BYTES = 32 * 1024 * 1024
MAX_FILES = 100  # Django itself takes no more in one request
# Of all that the .epub, .docx and .zip files of a request unpack to, pictures aside: text shrinks to a third or less.
MAX_UNPACKED_BYTES = 4 * MAX_UPLOAD_BYTES
TEXT_MEMBERS = frozenset({*READERS, ".xml", ".opf", ".ncx", ".toml"})
MAX_NAME_BYTES = 200  # file systems take 255, and an ending is kept
_COMPRESSED = frozenset({".epub", ".docx", ".zip"})


def too_large() -> str:
    """Say what a request may carry, and what to do with more."""
    most = MAX_UPLOAD_BYTES // (1024 * 1024)
    return _("All files together may have %(most)d MB; send them in parts, or use zhuiwen work add on the server.") % {
        "most": most
    }


@dataclass(slots=True)
class Upload:
    """One file as its sender called it, and what was in it. `faults`: one sentence each."""

    name: str
    intake: Intake = field(default_factory=Intake)
    faults: list[str] = field(default_factory=list)


class _Budget:
    """What the containers of one request may still unpack to. No reader unpacks more than a container declares."""

    def __init__(self, most_bytes: int) -> None:
        self._left_bytes = most_bytes

    def require(self, path: Path) -> None:
        """Raises UnreadableFile for a container whose texts are beyond what is left."""
        needed = _declared_bytes(path)
        if needed > self._left_bytes:
            megabytes = MAX_UNPACKED_BYTES // (1024 * 1024)
            raise UnreadableFile(path, f"unpacks to more than {megabytes} MB of text; use zhuiwen work add for it")
        self._left_bytes -= needed


def read_uploads(files: Sequence[UploadedFile]) -> list[Upload]:
    """What is in each file, in order; what cannot be read is a fault of that file, and the others are read."""
    budget = _Budget(MAX_UNPACKED_BYTES)
    with tempfile.TemporaryDirectory(prefix="zhuiwen-upload-") as folder:
        return [_read(file, Path(folder) / str(number), budget) for number, file in enumerate(files)]


def _read(file: UploadedFile, folder: Path, budget: _Budget) -> Upload:
    upload = Upload(Path(file.name or "").name)
    folder.mkdir()
    path = folder / _short_name(upload.name)
    try:
        with path.open("wb") as kept:
            shutil.copyfileobj(file, kept)
        budget.require(path)
        upload.intake = read_works(_unpacked(path, budget) if path.suffix.lower() == ".zip" else path)
        faults: Iterable[BadInput] = upload.intake.faults
    except BadInput as fault:
        faults = [fault]
    # The sender knows the file by its name; where it lay for a moment is nobody's business.
    upload.faults = [str(fault).replace(f"{folder}/", "") for fault in faults]
    return upload


def _declared_bytes(path: Path) -> int:
    """What the texts in a container unpack to; 0 for what is none, or one that its reader will refuse."""
    if path.suffix.lower() not in _COMPRESSED:
        return 0
    try:
        with zipfile.ZipFile(path) as container:
            return sum(each.file_size for each in container.infolist() if _is_text(each.filename))
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return 0


def _is_text(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in TEXT_MEMBERS


def _unpacked(path: Path, budget: _Budget) -> Path:
    """The folder beside a .zip file with its chapters and manifests; everything else in it is passed over."""
    folder = path.with_suffix("")
    folder.mkdir()
    with Archive(path) as archive:
        for name, inside in _chapter_names(archive.names):
            target = folder / inside
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
            except (OSError, ValueError) as error:
                raise UnreadableFile(path, f"its part {inside} cannot be unpacked; give it a plain name") from error
            budget.require(target)
    if not any(folder.iterdir()):
        raise UnreadableFile(path, "holds no chapter files; put .txt, .md, .html or .docx files into it")
    return folder


def _chapter_names(names: Iterable[str]) -> Iterator[tuple[str, PurePosixPath]]:
    """The members to unpack, and where to: never outside the folder, whatever a name says."""
    for name in sorted(names):
        inside = PurePosixPath(_decoded(name).replace("\\", "/"))
        parts = [_short_name(part) for part in inside.parts]
        is_inside = bool(parts) and not inside.is_absolute() and ".." not in parts and ":" not in parts[0]
        is_hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
        if is_inside and not is_hidden and _is_text(inside.name) and not name.endswith("/"):
            yield name, PurePosixPath(*parts)


def _decoded(name: str) -> str:
    """A member's name as it was meant: Windows writes GBK, and the format reads it as code page 437."""
    try:
        data = name.encode("cp437")
    except UnicodeEncodeError:
        return name  # it was marked as UTF-8
    for encoding in ("utf-8", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name


def _short_name(name: str) -> str:
    """A name that every file system takes, with its ending."""
    name = name.replace("\x00", "")
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 10:
        stem, dot, ending = name, "", ""
    most = MAX_NAME_BYTES - len(ending.encode())
    return stem.encode("utf-8", "replace")[:most].decode("utf-8", "ignore") + dot + ending
