"""Checks the file of an SQLite database with SQLite's own check."""

import sqlite3
from contextlib import closing
from pathlib import Path

WAIT_S = 30.0
MAX_FAULTS = 20  # reported for one file
# The messages of SQLITE_CORRUPT, of a corrupt schema, and of SQLITE_NOTADB. Source: sqlite3ErrStr of SQLite 3.40.
_DAMAGE_SENTENCES = ("database disk image is malformed", "malformed database schema", "file is not a database")
_PASSING_CODES = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL}


def says_damage(fault: str) -> bool:
    """Return whether an SQLite message reports a damaged file.

    >>> says_damage("database disk image is malformed"), says_damage("database or disk is full")
    (True, False)
    """
    return any(words in fault for words in _DAMAGE_SENTENCES)


def find_faults(path: Path) -> list[str]:
    """Return the errors that `PRAGMA quick_check` finds in a file; none if the file is intact, missing, empty or busy.

    It is also an error if the file cannot be opened or read.
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
