"""The files of an export while it is made: on disk, so that of hundreds of bundles one at a time is in memory."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from bundles import container
from bundles.digests import sha256
from bundles.statements import ListedFile
from core.ids import Digest


class Spool(Mapping[str, bytes]):
    """Files by name in a folder that is there and empty. Raises OSError where the disk does not take them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}
        self._bytes = 0
        self.listed: dict[str, ListedFile] = {}

    def put(self, name: str, content: bytes) -> Digest:
        """Keep a file, in place of one of the same name; its SHA-256.

        Raises DoesNotHold where no export can be so large.
        """
        self._bytes += len(content)
        if self._bytes > container.MAX_BYTES or len(self.listed) >= container.MAX_FILES:
            raise container.too_large()
        path = self._paths.setdefault(name, self._folder / str(len(self._paths)))
        path.write_bytes(content)
        self.listed[name] = ListedFile(sha256(content), len(content))
        return self.listed[name].sha256

    def drop(self, name: str) -> None:
        """Forget a file that is there; its place on the disk goes with the folder."""
        del self.listed[name]

    def __getitem__(self, name: str) -> bytes:
        if name not in self.listed:
            raise KeyError(name)
        return self._paths[name].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)
