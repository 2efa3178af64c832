"""That the product writes to an SQLite file, noted by blocks of rows, for the account of them (core.ledger).

ledger_tables  name, layout: the tables that are taken in, each with the statement that made it
ledger_blocks  key `table:block`, sums: the key and digest of each row, and a digest of all of them
ledger_marks   key `table:block`: written since it was read; its rows are taken in as they are when it is next read
"""

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.sqlite_files import opened

PREFIX = "_neosqlite_ledger_"  # which the embedded page store takes for no collection
TABLES, BLOCKS, MARKS = f"{PREFIX}tables", f"{PREFIX}blocks", f"{PREFIX}marks"
ROWS_OF_BLOCK = 128  # of whole numbers; chosen: a block of digests is 2 kB, and a row that is written frees 127 others
CHARS_OF_BLOCK = 3  # of keys that are hexadecimal digests: 4,096 blocks

_MADE = f"""
CREATE TABLE IF NOT EXISTS {TABLES} (name TEXT PRIMARY KEY, layout TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS {BLOCKS} (key TEXT PRIMARY KEY, sums BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS {MARKS} (key TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_WRITES = re.compile(
    r"\s*(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+[\"`\[]?(\w+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is kept account of. key: its column of primary keys; is_numbered: these are whole numbers.

    label: a column by which a row is better known, "" for none: the page store numbers what has ids of its own.
    """

    name: str
    key: str
    is_numbered: bool
    layout: str
    label: str = ""

    def key_of(self, row: tuple[Any, ...]) -> str:
        """What a row is called, of which key and label come first."""
        return f"{text_of(row[0])} {text_of(row[1])}" if self.label else text_of(row[0])

    @property
    def named(self) -> str:
        """In SQL: the columns of `key_of`."""
        return f'"{self.key}", "{self.label or self.key}"'

    def block(self, row: str = "") -> str:
        """In SQL: the name of the block that a row stands in."""
        if self.is_numbered:
            return f"'{self.name}:' || ({row}\"{self.key}\" / {ROWS_OF_BLOCK})"
        return f"'{self.name}:' || substr({row}\"{self.key}\", 1, {CHARS_OF_BLOCK})"


def begin(path: Path) -> None:
    """Have the file of a database keep account from now on. Raises sqlite3.Error."""
    with closing(opened(path)) as connection:
        connection.executescript(_MADE)


def begin_on(connection: sqlite3.Connection) -> None:
    """The same over a connection that is open, within its transaction."""
    if not _first(connection, "SELECT count(*) FROM main.sqlite_master WHERE name = ?", (MARKS,)):
        for statement in _MADE.split(";"):
            connection.execute(statement)


def is_begun(path: Path) -> bool:
    """Whether a file keeps account of its rows. Raises sqlite3.Error."""
    with closing(opened(path, read_only=True)) as connection:
        return bool(_first(connection, "SELECT count(*) FROM main.sqlite_master WHERE name = ?", (MARKS,)))


def table_written(statement: str) -> str:
    """The table that a statement writes to, "" for none.

    >>> table_written('UPDATE "records_case" SET "state" = %s'), table_written("SELECT 1")
    ('records_case', '')
    """
    found = _WRITES.match(statement)
    return found[1] if found else ""


def note_writes(connection: sqlite3.Connection, name: str, *, begins: bool = False) -> None:
    """Have this connection note which blocks of a table it writes from now on, where the file keeps account.

    By triggers of the connection alone: another program's writes are not noted, and are found. Asked before each
    write, for a transaction that is rolled back takes the triggers away too. begins: have the file keep account.
    """
    if begins:
        begin_on(connection)
    if name.startswith((PREFIX, "sqlite_", "new__")):  # the last are tables that a migration fills
        return
    asked = "SELECT (SELECT count(*) FROM main.sqlite_master WHERE name = ?) AND NOT (SELECT count(*) FROM " \
            "temp.sqlite_master WHERE name = ?)"  # fmt: skip
    if not _first(connection, asked, (MARKS, f"{PREFIX}{name}_insert")):
        return
    table = table_of(connection, name)
    if table is None:
        return
    for event, rows in (("insert", ("new",)), ("update", ("old", "new")), ("delete", ("old",))):
        # What a statement does on a conflict overrules an OR IGNORE in its triggers.
        blocks = [table.block(f"{row}.") for row in rows]
        noted = " ".join(
            f"INSERT INTO {MARKS} SELECT {block} WHERE NOT EXISTS (SELECT 1 FROM {MARKS} WHERE key = {block});"
            for block in blocks
        )
        connection.execute(
            f'CREATE TEMP TRIGGER IF NOT EXISTS "{PREFIX}{name}_{event}" AFTER {event} ON main."{name}" '
            f"BEGIN {noted} END"
        )


def table_of(connection: sqlite3.Connection, name: str) -> Table | None:
    """A table as its file has it; None where it has no primary key of one column."""
    layout = _first(connection, "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", (name,))
    columns = connection.execute(f'PRAGMA main.table_info("{name}")').fetchall()
    keys = [(text_of(column[1]), text_of(column[2]).lower()) for column in columns if column[5]]
    if layout is None or len(keys) != 1:
        return None
    (key, kind), *_ = keys
    label = "_id" if any(text_of(column[1]) == "_id" for column in columns) else ""
    return Table(name, key, kind == "integer", text_of(layout), label)


def _first(connection: sqlite3.Connection, asked: str, values: tuple[Any, ...]) -> Any:
    found = connection.execute(asked, values).fetchone()
    return found[0] if found else None


def text_of(value: Any) -> str:
    """A value as SQLite gives it, which may be bytes that are no text."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
