"""Stores objects as read-only files in a folder."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from core.errors import BrokenInvariant, ServiceUnavailable
from core.ports import MAX_OBJECT_BYTES
from core.wording import Message
from pagestore.objects.names import key_named, stored_name, stored_prefix


class FolderObjects:
    """core.ports.ObjectStore in a folder, which the first write creates. service: the name of the store in errors."""

    def __init__(self, folder: Path, service: Message | None = None) -> None:
        self._folder = folder
        self._service = service or Message("service.object-folder")

    def put_new(self, key: str, content: bytes) -> bool:
        target = self._key_path(key)
        with self.translate_errors():
            if not target.exists():
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                if _link_new(target, content):
                    return True
            if _read_regular_file(target, key, MAX_OBJECT_BYTES) != content:
                raise BrokenInvariant("store.object-differs", key=key)
            return False

    def get(self, key: str, most_bytes: int = MAX_OBJECT_BYTES) -> bytes | None:
        with self.translate_errors(), suppress(FileNotFoundError):
            return _read_regular_file(self._key_path(key), key, most_bytes)
        return None

    def size(self, key: str) -> int | None:
        with self.translate_errors(), suppress(FileNotFoundError):
            return self._key_path(key).stat().st_size
        return None

    def keys(self, prefix: str = "") -> Iterator[str]:
        start = stored_prefix(prefix)
        names = self._file_names(start.rpartition("/")[0], start)
        yield from (key for name in names if (key := key_named(name)) is not None)

    def remove(self, key: str) -> None:
        with self.translate_errors():
            self._key_path(key).unlink(missing_ok=True)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Convert errors of the file system to ServiceUnavailable."""
        try:
            yield
        except OSError as fault:
            raise ServiceUnavailable(self._service, str(self._folder), Message("service.make-writable")) from fault

    def _key_path(self, key: str) -> Path:
        return self._folder / stored_name(key)

    def _file_names(self, subfolder: str, start: str) -> Iterator[str]:
        """Yield the names of the files in a folder that begin with `start`, in order.

        Folders are sorted by their names with a trailing slash.
        """
        entries: list[str] = []
        with self.translate_errors(), suppress(FileNotFoundError), os.scandir(self._folder / subfolder) as scanned:
            entries = sorted(
                f"{subfolder}{'/' if subfolder else ''}{entry.name}{'/' if entry.is_dir() else ''}" for entry in scanned
            )
        for name in entries:
            if name.endswith("/") and (name.startswith(start) or start.startswith(name)):
                yield from self._file_names(name[:-1], start)
            elif name.startswith(start):
                yield name


def _read_regular_file(path: Path, key: str, most_bytes: int) -> bytes:
    """Return the content of a regular file.

    Raises BrokenInvariant if it has more than `most_bytes`, or if it is a link, a device or a pipe, which may be
    endless.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise BrokenInvariant("store.object-no-file", key=key) from error
        raise
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise BrokenInvariant("store.object-no-file", key=key)
        if status.st_size > most_bytes:
            raise BrokenInvariant("store.object-too-large", key=key, most=most_bytes)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(status.st_size)
    finally:
        os.close(descriptor)


def _link_new(target: Path, content: bytes) -> bool:
    """Write a file atomically unless it exists, and return whether it was written."""
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=".writing-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o400)
        with suppress(FileExistsError):
            os.link(temporary, target)
            _sync_folder(target.parent)
            return True
        return False
    finally:
        Path(temporary).unlink()


def _sync_folder(folder: Path) -> None:
    """Sync the entries of a folder to disk, so that a power failure loses no file that was reported as stored."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
