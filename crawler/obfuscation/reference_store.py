"""The drawn references on disk: drawn once on a machine, memory-mapped by every process that compares glyphs.

The references are drawn anew where a file is damaged, and not kept where the folder cannot be written, which one line
of the log says.
"""

import fcntl
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from crawler.obfuscation.glyph_shapes import FEATURES, KEPT, GlyphModel

_PREFIX = "references-"
# Of 49 MB with three faces. One is in use; an upgrade of the product or of the faces leaves one behind.
_FILES_KEPT = 4
_log = logging.getLogger(__name__)


class ReferenceStore:
    """Keeps what was learned of references in `folder`, which need not exist yet. Safe for several processes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str, faces: int, chars: int, draw: Callable[[], GlyphModel]) -> GlyphModel:
        """Return the references under `key`; else draw and keep them.

        key: a digest of all that the result of `draw` depends on. Shared, read-only pages of memory where it is kept.
        """
        path = self._folder / f"{_PREFIX}{key}.npy"
        kept = read_numbers(path, faces, chars)
        drawn: GlyphModel | None = None
        try:
            if kept is None:
                with self._alone():
                    kept = read_numbers(path, faces, chars)
                    if kept is None:
                        drawn = draw()
                        self._write(path, drawn)
                        kept = read_numbers(path, faces, chars)
        except OSError as error:
            _log.warning("drawn references are not kept in %s: %s", self._folder, error.strerror or error)
        return kept or drawn or draw()

    def _write(self, path: Path, drawn: GlyphModel) -> None:
        """Write the whole file or none. Raises OSError."""
        fresh = path.with_suffix(".new")
        try:
            with fresh.open("wb") as file:
                write_numbers(file, drawn)
            fresh.replace(path)
        except BaseException:
            fresh.unlink(missing_ok=True)
            raise
        by_age = sorted(self._folder.glob(f"{_PREFIX}*"), key=lambda each: each.stat().st_mtime)
        for old in by_age[:-_FILES_KEPT]:
            old.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lock the folder: one process draws at a time. Raises OSError if the folder takes no files."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / f"{_PREFIX[:-1]}.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(lock, fcntl.LOCK_UN)  # also for a process that was forked meanwhile and holds the file too


def write_numbers(file: IO[bytes], drawn: GlyphModel) -> None:
    """Write in NumPy's format of arrays. Raises OSError."""
    parts = (np.asarray(part, np.float32).ravel() for part in (drawn.center, drawn.axes, drawn.faces))
    np.save(file, np.concatenate(list(parts)), allow_pickle=False)


def read_numbers(source: Path | IO[bytes], faces: int, chars: int) -> GlyphModel | None:
    """Read what `write_numbers` wrote, a file memory-mapped; None if it is missing, or of another size."""
    try:
        numbers: NDArray[np.float32] = np.load(source, mmap_mode="r" if isinstance(source, Path) else None)
    except (OSError, ValueError, EOFError):
        return None
    if numbers.dtype != np.float32 or numbers.shape != (FEATURES + FEATURES * KEPT + faces * chars * KEPT,):
        return None
    center, axes, rest = np.split(numbers.view(np.ndarray), [FEATURES, FEATURES + FEATURES * KEPT])
    return GlyphModel(center, axes.reshape(FEATURES, KEPT), rest.reshape(faces, chars, KEPT))
