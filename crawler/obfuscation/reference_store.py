"""The drawn references on disk: drawn once on a machine, mapped by every process that compares glyphs with them.

A file holds numbers and nothing else: magic, SHA-256 of key and numbers, numbers. Whatever is wrong with one, the
references are drawn anew; whatever is wrong with the folder, they are not kept, and one line of the log says so.
"""

import fcntl
import hashlib
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from crawler.obfuscation.glyph_shapes import FEATURES, KEPT, Learned

_MAGIC = b"zhuiwen references, version 1\n".ljust(32, b"\0")
_HEAD_BYTES = len(_MAGIC) + hashlib.sha256().digest_size  # a multiple of a number's size
_NUMBER = np.dtype("<f4")
_PREFIX, _UNFINISHED = "references-", ".part"
# Of 49 MB with three faces. One is in use; an upgrade of the product or of the faces leaves one behind.
_FILES_KEPT = 4
# For another process that draws the same: three times what that takes while the machine is busy (2026-11). The reading
# process may be silent for two minutes.
_MAX_WAIT_S = 60.0
_log = logging.getLogger(__name__)


class ReferenceStore:
    """Keeps what was learned of references in `folder`, which need not exist yet. Safe for several processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str, faces: int, chars: int, draw: Callable[[], Learned]) -> Learned:
        """What is kept under `key`, else what `draw` gives, kept for the next.

        key: a digest of all that has a part in what `draw` gives. Shared, read-only pages of memory where it is kept.
        """
        path = self._folder / f"{_PREFIX}{key}"
        kept = _read(path, key, faces, chars)
        drawn: Learned | None = None
        try:
            if kept is None:
                with self._alone():
                    kept = _read(path, key, faces, chars)
                    if kept is None:
                        drawn = draw()
                        self._write(path, key, drawn)
                        kept = _read(path, key, faces, chars)
        except OSError as error:
            _log.warning("drawn references are not kept in %s: %s", self._folder, error.strerror or error)
        return kept or drawn or draw()

    def _write(self, path: Path, key: str, drawn: Learned) -> None:
        """Whole or not at all. Raises OSError."""
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_UNFINISHED, dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                write_numbers(file, key, drawn)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        with suppress(OSError):
            self._clear(path)

    def _clear(self, newest: Path) -> None:
        """Take away what was left unfinished by a process that was killed, and what nothing asks for any more."""
        files = [path for path in self._folder.glob(f"{_PREFIX}*") if path != newest]
        whole = sorted((path for path in files if path.suffix != _UNFINISHED), key=lambda each: each.stat().st_mtime)
        unfinished = [path for path in files if path.suffix == _UNFINISHED]
        for path in (*unfinished, *whole[: max(0, len(whole) + 1 - _FILES_KEPT)]):
            path.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """While nobody else draws here, or has drawn for too long. Raises OSError where the folder takes no files."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / f"{_PREFIX[:-1]}.lock").open("ab") as lock:
            _wait_for(lock)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # also for a process that was forked meanwhile and holds the file too


def _wait_for(lock: IO[bytes]) -> None:
    deadline = time.monotonic() + _MAX_WAIT_S
    while time.monotonic() < deadline:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.1)
        else:
            return


def write_numbers(file: IO[bytes], key: str, drawn: Learned) -> None:
    """In the format of a file. Raises OSError."""
    parts = [np.ascontiguousarray(part, _NUMBER).data.cast("B") for part in (drawn.center, drawn.axes, drawn.faces)]
    hasher = hashlib.sha256(key.encode())
    for part in parts:
        hasher.update(part)
    file.write(_MAGIC + hasher.digest())
    file.writelines(parts)


def unpacked(data: bytes, key: str, faces: int, chars: int) -> Learned | None:
    """What `write_numbers` wrote; None for anything else."""
    found = hashlib.sha256(key.encode())
    found.update(memoryview(data)[_HEAD_BYTES:])
    if data[:_HEAD_BYTES] != _MAGIC + found.digest() or len(data) != _bytes_of(faces, chars):
        return None
    return _parted(np.frombuffer(data, _NUMBER, offset=_HEAD_BYTES), faces, chars)


def _read(path: Path, key: str, faces: int, chars: int) -> Learned | None:
    """None where there is no such file, or it is not what was written."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != _bytes_of(faces, chars):
                return None
            head = file.read(_HEAD_BYTES)
            # Read before it is mapped: a disk that fails raises here, and would end the process there.
            found = hashlib.file_digest(file, lambda: hashlib.sha256(key.encode()))
            if head != _MAGIC + found.digest():
                return None
            numbers = np.memmap(file, _NUMBER, "r", _HEAD_BYTES).view(np.ndarray)
    except (OSError, ValueError):
        return None
    return _parted(numbers, faces, chars)


def _bytes_of(faces: int, chars: int) -> int:
    return _HEAD_BYTES + (FEATURES + FEATURES * KEPT + faces * chars * KEPT) * _NUMBER.itemsize


def _parted(numbers: NDArray[np.float32], faces: int, chars: int) -> Learned:
    center, axes, rest = np.split(numbers, [FEATURES, FEATURES + FEATURES * KEPT])
    return Learned(center, axes.reshape(FEATURES, KEPT), rest.reshape(faces, chars, KEPT))
