"""A short look at the files of the embedded databases, for who starts or shows an installation: whole or not.

All of it is read by `zhuiwen check-stores`; this look is bounded and finds what keeps a file from being read.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.settings import Settings
from core.sqlite_files import integrity_faults
from core.wording import Message

MAGIC = b"SQLite format 3\0"
HEADER_BYTES = 100
LOOK_S = 0.5  # at each file; SQLite reads some 400 MB that are in memory in it (docs/figures.md)
MAX_REASON_CHARS = 200


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A database file that is not whole. is_header: SQLite does not even take it for one of its own.

    is_refused: this user may not read it, and nothing is said of what stands in it.
    """

    path: Path
    reason: str
    is_header: bool
    is_refused: bool = False

    @property
    def problem(self) -> Message:
        code = "start.file-refused" if self.is_refused else "start.damaged-file"
        return Message(code, path=self.path, reason=self.reason)

    @property
    def remedy(self) -> Message:
        return Message("start.file-refused-remedy" if self.is_refused else "start.damaged-remedy")

    @property
    def sentence(self) -> Message:
        """What is wrong, and what to do."""
        return Message("start.problem-and-remedy", problem=self.problem, remedy=self.remedy)


def damaged_files(settings: Settings, seconds: float = LOOK_S) -> list[DamagedFile]:
    """Those of an installation whose stores are embedded."""
    found = (_look(path, seconds) for path in _files(settings))
    return [each for each in found if each is not None]


def _files(settings: Settings) -> Iterator[Path]:
    if not settings.services.database_url:
        yield settings.sqlite_path
    if settings.services.embeds_mongo:
        yield from sorted((settings.home / "mongo").glob("*.db"))


def _look(path: Path, seconds: float) -> DamagedFile | None:
    try:
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
    except FileNotFoundError:
        return None
    except PermissionError as error:
        return DamagedFile(path, error.strerror or str(error), is_header=True, is_refused=True)
    except OSError as error:
        return DamagedFile(path, error.strerror or str(error), is_header=True)
    if not head:
        return None  # nothing was stored in it yet
    if not head.startswith(MAGIC) or len(head) < HEADER_BYTES:
        return DamagedFile(path, "file is not a database", is_header=True)
    faults = integrity_faults(path, most=1, seconds=seconds)
    reason = " ".join(" ".join(faults).split())[:MAX_REASON_CHARS]
    return DamagedFile(path, reason, is_header="not a database" in reason) if faults else None
