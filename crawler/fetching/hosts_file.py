"""The hosts file of the machine: its lines for a name, and its digest. It is read again after a change."""

from pathlib import Path

from core.ids import Digest, digest

HOSTS_FILE = Path("/etc/hosts")
MAX_BYTES = 8 * 2**20  # lists against advertisements have up to 5 MB
MAX_LINES, MAX_LINE_CHARS = 8, 200  # of one name; one or two stand there as a rule


class HostsFile:
    """The file that the system's resolver reads before it queries a name server."""

    def __init__(self, path: Path = HOSTS_FILE) -> None:
        self._path = path
        self._state: tuple[int, int] | None = None  # when it was changed, and its size
        self._by_name: dict[str, list[str]] = {}
        self.digest: Digest | None = None
        self.bytes: int | None = None
        self.refresh()

    def refresh(self) -> None:
        """Read the file if it has changed; `digest` and `bytes` are None if it cannot be read."""
        try:
            stat = self._path.stat()
            if (stat.st_mtime_ns, stat.st_size) == self._state:
                return
            content = self._path.read_bytes()
        except OSError:
            self._state, self._by_name, self.digest, self.bytes = None, {}, None, None
            return
        self._state, self.digest, self.bytes = (stat.st_mtime_ns, stat.st_size), digest(content), len(content)
        self._by_name = _parse_lines(content[:MAX_BYTES].decode("utf-8", "replace"))

    def host_lines(self, name: str) -> tuple[str, ...]:
        """Return the lines that name a host, in their order."""
        self.refresh()
        return tuple(self._by_name.get(name.lower(), ())[:MAX_LINES])


def _parse_lines(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        for name in dict.fromkeys(word.lower() for word in words[1:]):
            found.setdefault(name, []).append(" ".join(words)[:MAX_LINE_CHARS])
    return found
