"""What the product can read in a database file: the row of each key, so that two states of a file can be compared."""

import hashlib
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.ledger_notes import PREFIX
from core.sqlite_files import integrity_faults

UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Contents:
    """The digest of each row by table and key, and whether SQLite finds the file whole."""

    rows: Mapping[tuple[str, str], str]
    is_whole: bool

    def differing(self, other: "Contents") -> set[tuple[str, str]]:
        """The rows that both do not have alike."""
        keys = self.rows.keys() | other.rows.keys()
        return {key for key in keys if self.rows.get(key) != other.rows.get(key)}

    def gone(self, other: "Contents") -> set[tuple[str, str]]:
        """The rows that are here and not there."""
        return set(self.rows.keys() - other.rows.keys())


def contents_of(path: Path) -> Contents:
    """Read every row that can be, table by table, by no index. Tables of the account of rows are left out."""
    rows: dict[tuple[str, str], str] = {}
    is_whole = not integrity_faults(path, most=1)
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            listed = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in listed:
                _read(connection, name.decode("utf-8", "replace"), rows)
    except sqlite3.DatabaseError:
        return Contents(rows, is_whole=False)
    return Contents(rows, is_whole)


def _read(connection: sqlite3.Connection, table: str, rows: dict[tuple[str, str], str]) -> None:
    if table.startswith((PREFIX, "sqlite_", "_neosqlite")):
        return
    columns = [column[1].decode() for column in connection.execute(f'PRAGMA table_info("{table}")')]
    keys = [column[1].decode() for column in connection.execute(f'PRAGMA table_info("{table}")') if column[5]]
    key = "_id" if "_id" in columns else keys[0] if len(keys) == 1 else "rowid"
    try:
        for named, *values in connection.execute(f'SELECT "{key}", * FROM "{table}" NOT INDEXED'):
            text = named.decode("utf-8", "replace").strip('"') if isinstance(named, bytes) else str(named)
            rows[table, text] = hashlib.sha256(repr(values).encode()).hexdigest()
    except sqlite3.DatabaseError:
        rows[table, UNREADABLE] = UNREADABLE
