"""The file of an SQLite database: whether SQLite itself finds it whole."""

import sqlite3
from contextlib import closing
from pathlib import Path

WAIT_S = 30.0
MAX_FAULTS = 20  # of one file: more say no more
# SQLITE_CORRUPT, its kind of an index, and SQLITE_NOTADB. Source: sqlite3ErrStr of SQLite 3.40.
_DAMAGE_SENTENCES = ("database disk image is malformed", "malformed database schema", "file is not a database")
_PASSING_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL}


def says_damage(fault: str) -> bool:
    """Return whether SQLite's words say that a file is damaged.

    >>> says_damage("database disk image is malformed"), says_damage("database or disk is full")
    (True, False)
    """
    return any(words in fault for words in _DAMAGE_SENTENCES)


def find_faults(path: Path) -> list[str]:
    """Return what `PRAGMA quick_check` finds wrong in a file, [] where it is whole, not there, empty or busy.

    A file that cannot be opened or read is a fault, too.
    """
    if not path.exists():
        return []
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=WAIT_S)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            lines = [line for (line,) in connection.execute(f"PRAGMA quick_check({MAX_FAULTS})")]
    except sqlite3.DatabaseError as error:
        is_passing = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF in _PASSING_CODES
        return [] if is_passing else [str(error)]
    return [] if lines == ["ok"] else lines
