"""Stores the files of an export in progress on disk, so that only one of hundreds of bundles is in memory."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from bundles import container
from bundles.canonical import sha256
from bundles.statements import ListedFile
from core.ids import Digest


class Spool(Mapping[str, bytes]):
    """A mapping of names to files in an existing empty folder. Raises OSError if the disk fails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}
        self._bytes = 0
        self.listed: dict[str, ListedFile] = {}

    def put(self, name: str, content: bytes) -> Digest:
        """Store a file, replacing a file with the same name, and return its SHA-256.

        Raises DoesNotHold if the export would be too large.
        """
        self._bytes += len(content)
        if self._bytes > container.MAX_BYTES or len(self.listed) >= container.MAX_FILES:
            raise container.too_large()
        path = self._paths.setdefault(name, self._folder / str(len(self._paths)))
        path.write_bytes(content)
        self.listed[name] = ListedFile(sha256(content), len(content))
        return self.listed[name].sha256

    def drop(self, name: str) -> None:
        """Remove a file from the export. It stays on disk until the folder is deleted."""
        del self.listed[name]

    def __getitem__(self, name: str) -> bytes:
        if name not in self.listed:
            raise KeyError(name)
        return self._paths[name].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)
