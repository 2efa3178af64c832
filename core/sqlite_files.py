"""The file of an SQLite database: opened for one question, asked whether it is whole."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

WAIT_S = 30.0
STEPS_BETWEEN_LOOKS = 10_000  # of SQLite's machine, at the clock: some ms
# SQLITE_CORRUPT, its kind of an index, and SQLITE_NOTADB. Source: sqlite3ErrStr of SQLite 3.40.
_OF_DAMAGE = ("database disk image is malformed", "malformed database schema", "file is not a database")

# What a disk itself says that cannot give back what it holds; the other faults of input and output are of writing.
_OF_READING = {
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
    sqlite3.SQLITE_IOERR_DATA,
}


def says_damage(fault: str) -> bool:
    """Whether the words of a fault are those by which SQLite says that a file is damaged.

    >>> says_damage("database disk image is malformed"), says_damage("database or disk is full")
    (True, False)
    """
    return any(words in fault for words in _OF_DAMAGE)


def integrity_faults(path: Path, most: int = 100, seconds: float | None = None) -> list[str]:
    """What SQLite itself finds wrong in a file, [] where it is whole. What it cannot open is a fault, too.

    seconds: look no longer than that, and not at what indexes say of rows; what was not looked at is no fault.
    """
    end = time.monotonic() + seconds if seconds is not None else 0.0
    try:
        with closing(opened(path, read_only=True)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            if seconds is not None:
                connection.set_progress_handler(lambda: int(time.monotonic() > end), STEPS_BETWEEN_LOOKS)
            check = "integrity_check" if seconds is None else "quick_check"
            said = [line for (line,) in connection.execute(f"PRAGMA {check}({most})")]
    except sqlite3.OperationalError as error:
        return [] if _says_nothing_of_the_file(error) else [str(error)]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if said == ["ok"] else said


def _says_nothing_of_the_file(error: sqlite3.OperationalError) -> bool:
    """Whether a look ended early or could not be taken: SQLite may have to write beside a file that has a log."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # Python's own faults have none
    kind = code & 0xFF
    is_of_writing = kind == sqlite3.SQLITE_FULL or (kind == sqlite3.SQLITE_IOERR and code not in _OF_READING)
    return is_of_writing or kind in (sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def opened(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection to a file that is there, without transactions of its own. Raises sqlite3.Error."""
    mode = "ro" if read_only else "rw"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=WAIT_S, isolation_level=None)
