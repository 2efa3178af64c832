"""What the rows of an SQLite file were when they were last read: the checksums that an embedded store does not have.

PostgreSQL, MongoDB and Redis check what they read from a disk; SQLite does not: a byte that changes within a value, and
a row that another program takes away, leave a database that looks whole. So each row's digest stands in the file, in
blocks of rows, and whoever writes for the product notes the block first (`note_writes`). What changed in a block that
nobody noted was changed by something else.

ledger_tables  name, layout: the tables that are taken in, each with the statement that made it
ledger_blocks  key `table:block`, sums: the key and digest of each row, and a digest of all of them
ledger_marks   key `table:block`: written since it was read; its rows are taken in as they are when it is next read
"""

import hashlib
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

PREFIX = "_neosqlite_ledger_"  # which the embedded page store takes for no collection
_TABLES, _BLOCKS, _MARKS = f"{PREFIX}tables", f"{PREFIX}blocks", f"{PREFIX}marks"
ROWS_OF_BLOCK = 128  # of whole numbers; chosen: a block of digests is 2 kB, and a row that is written frees 127 others
CHARS_OF_BLOCK = 3  # of keys that are hexadecimal digests: 4,096 blocks
SUM_BYTES = 8  # a change that goes by unseen: once in 2^64
BLOCKS_AT_ONCE = 32  # read in one transaction; of those that were written, others wait as long as that takes: 30 ms
WAIT_S = 30.0
STEPS_BETWEEN_LOOKS = 10_000  # of SQLite's machine, at the clock: some ms
# SQLITE_CORRUPT, its kind of an index, and SQLITE_NOTADB. Source: sqlite3ErrStr of SQLite 3.40.
_OF_DAMAGE = ("database disk image is malformed", "malformed database schema", "file is not a database")

_MADE = f"""
CREATE TABLE IF NOT EXISTS {_TABLES} (name TEXT PRIMARY KEY, layout TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS {_BLOCKS} (key TEXT PRIMARY KEY, sums BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS {_MARKS} (key TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_WRITES = re.compile(
    r"\s*(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+[\"`\[]?(\w+)",
    re.IGNORECASE,
)


class Change(StrEnum):
    """What a row is that is not what it was."""

    CHANGED = "changed"
    MISSING = "missing"
    ADDED = "added"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that something else than the product changed."""

    table: str
    key: str
    change: Change


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
        return f"{_text(row[0])} {_text(row[1])}" if self.label else _text(row[0])

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
    with closing(_opened(path)) as connection:
        connection.executescript(_MADE)


def begin_on(connection: sqlite3.Connection) -> None:
    """The same over a connection that is open, within its transaction."""
    if not _first(connection, "SELECT count(*) FROM main.sqlite_master WHERE name = ?", (_MARKS,)):
        for statement in _MADE.split(";"):
            connection.execute(statement)


def is_begun(path: Path) -> bool:
    """Whether a file keeps account of its rows. Raises sqlite3.Error."""
    with closing(_opened(path, read_only=True)) as connection:
        return bool(_first(connection, "SELECT count(*) FROM main.sqlite_master WHERE name = ?", (_MARKS,)))


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
    if not _first(connection, asked, (_MARKS, f"{PREFIX}{name}_insert")):
        return
    table = _table(connection, name)
    if table is None:
        return
    for event, rows in (("insert", ("new",)), ("update", ("old", "new")), ("delete", ("old",))):
        # What a statement does on a conflict overrules an OR IGNORE in its triggers.
        blocks = [table.block(f"{row}.") for row in rows]
        noted = " ".join(
            f"INSERT INTO {_MARKS} SELECT {block} WHERE NOT EXISTS (SELECT 1 FROM {_MARKS} WHERE key = {block});"
            for block in blocks
        )
        connection.execute(
            f'CREATE TEMP TRIGGER IF NOT EXISTS "{PREFIX}{name}_{event}" AFTER {event} ON main."{name}" '
            f"BEGIN {noted} END"
        )


class Ledger:
    """The account of one file. A context manager; all of it may raise sqlite3.Error."""

    def __init__(self, path: Path) -> None:
        self._connection = _opened(path)
        self._connection.text_factory = bytes  # a damaged text is no text

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def tables(self) -> list[Table]:
        """Those of the file, in order of name; the ledger's own are none."""
        rows = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        names = [name.decode() for (name,) in rows]
        wanted = (name for name in names if not name.startswith(("sqlite_", "_neosqlite_")))
        return [found for name in wanted if (found := _table(self._connection, name)) is not None]

    def dropped(self) -> list[str]:
        """Tables that were taken in and are there no more."""
        there = {table.name for table in self.tables()}
        rows = self._connection.execute(f"SELECT name FROM {_TABLES}").fetchall()
        return sorted(name for (raw,) in rows if (name := raw.decode("utf-8", "replace")) not in there)

    def read(self, table: Table, *, may_write: bool = True, keeps_rows: bool = False) -> Iterator[RowChange]:
        """Read a table: rows that are not what they were, where nobody noted that their block was written.

        What was written is taken in, unless the file is not to be written to. keeps_rows: the product takes none of
        them away, so that one which is gone is missing, whatever was noted. A table that was never read, or that has
        another layout since, is taken in as it is.
        """
        is_known = self._layout(table) == table.layout
        for keys in _batches(self._block_keys(table), BLOCKS_AT_ONCE):
            with self._transaction("DEFERRED"):
                marks, kept = self._kept(_MARKS, keys), self._kept(_BLOCKS, keys)
                written = [key for key in keys if key in marks or not is_known]
                for key in keys:
                    if key not in written:
                        yield from _differences(table, kept.get(key), self._rows(table, key), with_added=True)
                    elif keeps_rows and is_known:
                        yield from _vanished(table, kept.get(key), self._rows(table, key))
            if may_write and written:
                self._take_in(table, written)
        if may_write and not is_known:
            self._note_layout(table)

    def accept(self, table: Table) -> int:
        """Take a table in as it is, whatever changed it; how many rows it has."""
        rows = 0
        for keys in _batches(self._block_keys(table), BLOCKS_AT_ONCE):
            rows += self._take_in(table, keys)
        self._note_layout(table)
        return rows

    def forget_dropped(self) -> None:
        """Take it that tables which are there no more were dropped by who may."""
        for name in self.dropped():
            self._connection.execute(f"DELETE FROM {_TABLES} WHERE name = ?", (name,))
            bounds = (f"{name}:", f"{name};")
            self._connection.execute(f"DELETE FROM {_BLOCKS} WHERE key >= ? AND key < ?", bounds)

    def _note_layout(self, table: Table) -> None:
        values = (table.name, table.layout)
        self._connection.execute(f"INSERT OR REPLACE INTO {_TABLES} (name, layout) VALUES (?, ?)", values)

    def _take_in(self, table: Table, keys: list[str]) -> int:
        """Read blocks while nobody writes, keep their sums, and strike out that they were written; how many rows."""
        count = 0
        with self._transaction("IMMEDIATE"):
            for key in keys:
                rows = self._rows(table, key)
                count += len(rows)
                if any(row_sum is None for row_sum in rows.values()):
                    continue  # what cannot be read is not what it was
                if rows:
                    values = (key, _packed(rows))
                    self._connection.execute(f"INSERT OR REPLACE INTO {_BLOCKS} (key, sums) VALUES (?, ?)", values)
                else:
                    self._connection.execute(f"DELETE FROM {_BLOCKS} WHERE key = ?", (key,))
                self._connection.execute(f"DELETE FROM {_MARKS} WHERE key = ?", (key,))
        return count

    def _layout(self, table: Table) -> str:
        found = self._connection.execute(f"SELECT layout FROM {_TABLES} WHERE name = ?", (table.name,)).fetchone()
        return found[0].decode("utf-8", "replace") if found else ""

    def _kept(self, name: str, keys: list[str]) -> dict[str, bytes]:
        column = "sums" if name == _BLOCKS else "key"
        places = ",".join("?" * len(keys))
        rows = self._connection.execute(f"SELECT key, {column} FROM {name} WHERE key IN ({places})", keys)
        return {key.decode("utf-8", "replace"): value for key, value in rows}

    def _block_keys(self, table: Table) -> Iterator[str]:
        """The blocks in which rows stand, stood or were written, in order of name."""
        prefix = f"{table.name}:"
        found = set[bytes]()
        for name in (_BLOCKS, _MARKS):
            asked = f"SELECT CAST(key AS BLOB) FROM {name} WHERE key >= ? AND key < ?"
            found |= {key for (key,) in self._connection.execute(asked, (prefix, f"{table.name};"))}
        with suppress(sqlite3.DatabaseError):  # then those remain that are known
            rows = self._connection.execute(f'SELECT DISTINCT CAST({table.block()} AS BLOB) FROM "{table.name}"')
            found |= {key for (key,) in rows if key is not None}
        yield from sorted(key.decode("utf-8", "surrogateescape") for key in found)

    def _rows(self, table: Table, key: str) -> dict[str, bytes | None]:
        """The sum of each row of a block, by its key; None for one that cannot be read."""
        where, bounds = _within(table, key)
        try:
            rows = self._connection.execute(f'SELECT {table.named}, * FROM "{table.name}" WHERE {where}', bounds)
            return {table.key_of(row): _sum(row[2:]) for row in rows}
        except sqlite3.DatabaseError:
            return dict(self._one_by_one(table, where, bounds))

    def _one_by_one(self, table: Table, where: str, bounds: tuple[Any, ...]) -> Iterator[tuple[str, bytes | None]]:
        """The same where some row cannot be read; nothing of rows of which not even the key can be."""
        keys: list[Any] = list(range(*bounds)) if table.is_numbered else []
        if not table.is_numbered:
            asked = f'SELECT "{table.key}" FROM "{table.name}" WHERE {where}'
            with suppress(sqlite3.DatabaseError):
                keys = [key for (key,) in self._connection.execute(asked, bounds)]
        for key in keys:
            asked = f'SELECT {table.named}, * FROM "{table.name}" WHERE "{table.key}" = ?'
            try:
                row = self._connection.execute(asked, (key if table.is_numbered else _text(key),)).fetchone()
            except sqlite3.DatabaseError:
                if not table.is_numbered:
                    yield _text(key), None
                continue
            if row is not None:
                yield table.key_of(row), _sum(row[2:])

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[None]:
        self._connection.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def says_damage(fault: str) -> bool:
    """Whether the words of a fault are those by which SQLite says that a file is damaged.

    >>> says_damage("database disk image is malformed"), says_damage("database or disk is full")
    (True, False)
    """
    return any(words in fault for words in _OF_DAMAGE)


def reindexed(path: Path) -> bool:
    """Make all indexes of a file anew from its tables; False, with nothing changed, where it is not whole then."""
    try:
        with closing(_opened(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("REINDEX")
            is_whole = connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
            connection.execute("COMMIT" if is_whole else "ROLLBACK")
            return bool(is_whole)
    except sqlite3.DatabaseError:
        return False


def integrity_faults(path: Path, most: int = 100, seconds: float | None = None) -> list[str]:
    """What SQLite itself finds wrong in a file, [] where it is whole. What it cannot open is a fault, too.

    seconds: look no longer than that, and not at what indexes say of rows; what was not looked at is no fault.
    """
    end = time.monotonic() + seconds if seconds is not None else 0.0
    try:
        with closing(_opened(path, read_only=True)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
            if seconds is not None:
                connection.set_progress_handler(lambda: int(time.monotonic() > end), STEPS_BETWEEN_LOOKS)
            check = "integrity_check" if seconds is None else "quick_check"
            said = [line for (line,) in connection.execute(f"PRAGMA {check}({most})")]
    except sqlite3.OperationalError as error:
        return [] if "interrupted" in str(error) or "locked" in str(error) else [str(error)]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if said == ["ok"] else said


def _opened(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    mode = "ro" if read_only else "rw"
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=WAIT_S, isolation_level=None)


def _table(connection: sqlite3.Connection, name: str) -> Table | None:
    """A table as its file has it; None where it has no primary key of one column."""
    layout = _first(connection, "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", (name,))
    columns = connection.execute(f'PRAGMA main.table_info("{name}")').fetchall()
    keys = [(_text(column[1]), _text(column[2]).lower()) for column in columns if column[5]]
    if layout is None or len(keys) != 1:
        return None
    (key, kind), *_ = keys
    label = "_id" if any(_text(column[1]) == "_id" for column in columns) else ""
    return Table(name, key, kind == "integer", _text(layout), label)


def _within(table: Table, key: str) -> tuple[str, tuple[Any, ...]]:
    """In SQL: the rows of a block; its bounds."""
    block = key.partition(":")[2]
    if table.is_numbered:
        first = int(block) * ROWS_OF_BLOCK
        return f'"{table.key}" >= ? AND "{table.key}" < ?', (first, first + ROWS_OF_BLOCK)
    raw = block.encode("utf-8", "surrogateescape")
    key = f'"{table.key}"'
    where = (
        f"{key} >= CAST(? AS TEXT) AND {key} < CAST(? AS TEXT) AND substr({key}, 1, {CHARS_OF_BLOCK}) = CAST(? AS TEXT)"
    )
    return where, (raw, raw + b"\xff", raw)


def _sum(row: tuple[Any, ...]) -> bytes:
    return hashlib.blake2b(repr(row).encode(), digest_size=SUM_BYTES).digest()


def _packed(rows: Mapping[str, bytes | None]) -> bytes:
    """Key and sum of each row, and the sum of all of it."""
    parts = []
    for key, row_sum in rows.items():
        name = key.encode("utf-8", "surrogateescape")[:255]
        parts.append(bytes([len(name)]) + name + (row_sum or b""))
    body = b"".join(parts)
    return body + hashlib.blake2b(body, digest_size=SUM_BYTES).digest()


def _unpacked(sums: bytes) -> dict[str, bytes] | None:
    """What `_packed` packed; None of a block that was itself changed."""
    body, total = sums[:-SUM_BYTES], sums[-SUM_BYTES:]
    if hashlib.blake2b(body, digest_size=SUM_BYTES).digest() != total:
        return None
    rows, at = dict[str, bytes](), 0
    while at < len(body):
        end = at + 1 + body[at]
        rows[body[at + 1 : end].decode("utf-8", "surrogateescape")] = body[end : end + SUM_BYTES]
        at = end + SUM_BYTES
    return rows


def _differences(
    table: Table, sums: bytes | None, rows: Mapping[str, bytes | None], *, with_added: bool
) -> Iterator[RowChange]:
    kept = _unpacked(sums) if sums is not None else {}
    if kept is None:
        yield RowChange(_BLOCKS, f"{table.name}", Change.CHANGED)
        return
    for key, row_sum in kept.items():
        if key not in rows:
            yield RowChange(table.name, key, Change.MISSING)
        elif rows[key] != row_sum:
            yield RowChange(table.name, key, Change.UNREADABLE if rows[key] is None else Change.CHANGED)
    for key in rows.keys() - kept.keys() if with_added else ():
        yield RowChange(table.name, key, Change.ADDED)


def _vanished(table: Table, sums: bytes | None, rows: Mapping[str, bytes | None]) -> Iterator[RowChange]:
    found = _differences(table, sums, rows, with_added=False)
    return (each for each in found if each.change is Change.MISSING)


def _first(connection: sqlite3.Connection, asked: str, values: tuple[Any, ...]) -> Any:
    found = connection.execute(asked, values).fetchone()
    return found[0] if found else None


def _text(value: Any) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _batches(keys: Iterator[str], size: int) -> Iterator[list[str]]:
    batch: list[str] = []
    for key in keys:
        batch.append(key)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
