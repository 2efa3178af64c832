"""What the rows of an SQLite file were when they were last read: the checksums that an embedded store does not have.

PostgreSQL, MongoDB and Redis check what they read from a disk; SQLite does not: a byte that changes within a value, and
a row that another program takes away, leave a database that looks whole. So each row's digest stands in the file, in
blocks of rows, and whoever writes for the product notes the block first (core.ledger_notes). What changed in a block
that nobody noted was changed by something else.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.batches import batches
from core.ledger_notes import BLOCKS, CHARS_OF_BLOCK, MARKS, ROWS_OF_BLOCK, TABLES, Table, table_of, text_of
from core.sqlite_files import opened

SUM_BYTES = 8  # a change that goes by unseen: once in 2^64
BLOCKS_AT_ONCE = 32  # read in one transaction; of those that were written, others wait as long as that takes: 30 ms
TRIES = 3  # of reading a block while nobody writes, without keeping anybody from it


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


class Ledger:
    """The account of one file. A context manager; all of it may raise sqlite3.Error."""

    def __init__(self, path: Path) -> None:
        self._connection = opened(path)
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
        return [found for name in wanted if (found := table_of(self._connection, name)) is not None]

    def dropped(self) -> list[str]:
        """Tables that were taken in and are there no more."""
        there = {table.name for table in self.tables()}
        rows = self._connection.execute(f"SELECT name FROM {TABLES}").fetchall()
        return sorted(name for (raw,) in rows if (name := raw.decode("utf-8", "replace")) not in there)

    def read(self, table: Table, *, may_write: bool = True, keeps_rows: bool = False) -> Iterator[RowChange]:
        """Read a table: rows that are not what they were, where nobody noted that their block was written.

        What was written is taken in, unless the file is not to be written to. keeps_rows: the product takes none of
        them away, so that one which is gone is missing, whatever was noted. A table that was never read, or that has
        another layout since, is taken in as it is.
        """
        is_known = self._layout(table) == table.layout
        for keys in batches(self._block_keys(table), BLOCKS_AT_ONCE):
            with self._transaction("DEFERRED"):
                marks, kept = self._kept(MARKS, keys), self._kept(BLOCKS, keys)
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
        for keys in batches(self._block_keys(table), BLOCKS_AT_ONCE):
            rows += self._take_in(table, keys)
        self._note_layout(table)
        return rows

    def forget_dropped(self) -> None:
        """Take it that tables which are there no more were dropped by who may."""
        for name in self.dropped():
            self._connection.execute(f"DELETE FROM {TABLES} WHERE name = ?", (name,))
            bounds = (f"{name}:", f"{name};")
            self._connection.execute(f"DELETE FROM {BLOCKS} WHERE key >= ? AND key < ?", bounds)

    def _note_layout(self, table: Table) -> None:
        values = (table.name, table.layout)
        self._connection.execute(f"INSERT OR REPLACE INTO {TABLES} (name, layout) VALUES (?, ?)", values)

    def _take_in(self, table: Table, keys: list[str]) -> int:
        """Read blocks, keep their sums, and strike out that they were written; how many rows."""
        return sum(self._take_in_block(table, key) for key in keys)

    def _take_in_block(self, table: Table, key: str) -> int:
        """One block: read while others may write; where none did until the sums are kept. Where one always did, alone.

        The rows of a block of the page store may have 128 times 4 MiB, and its clients wait 5 s for its file.
        """
        for _ in range(TRIES):
            with self._transaction("DEFERRED"):
                rows, seen = self._rows(table, key), self._version()
            with self._transaction("IMMEDIATE"):
                if self._version() == seen:
                    self._keep(key, rows)
                    return len(rows)
        with self._transaction("IMMEDIATE"):
            rows = self._rows(table, key)
            self._keep(key, rows)
            return len(rows)

    def _version(self) -> int:
        """A number that is another once another connection has written."""
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _keep(self, key: str, rows: Mapping[str, bytes | None]) -> None:
        if any(row_sum is None for row_sum in rows.values()):
            return  # what cannot be read is not what it was
        if rows:
            values = (key, _packed(rows))
            self._connection.execute(f"INSERT OR REPLACE INTO {BLOCKS} (key, sums) VALUES (?, ?)", values)
        else:
            self._connection.execute(f"DELETE FROM {BLOCKS} WHERE key = ?", (key,))
        self._connection.execute(f"DELETE FROM {MARKS} WHERE key = ?", (key,))

    def _layout(self, table: Table) -> str:
        found = self._connection.execute(f"SELECT layout FROM {TABLES} WHERE name = ?", (table.name,)).fetchone()
        return found[0].decode("utf-8", "replace") if found else ""

    def _kept(self, name: str, keys: list[str]) -> dict[str, bytes]:
        column = "sums" if name == BLOCKS else "key"
        places = ",".join("?" * len(keys))
        rows = self._connection.execute(f"SELECT key, {column} FROM {name} WHERE key IN ({places})", keys)
        return {key.decode("utf-8", "replace"): value for key, value in rows}

    def _block_keys(self, table: Table) -> Iterator[str]:
        """The blocks in which rows stand, stood or were written, in order of name."""
        prefix = f"{table.name}:"
        found = set[bytes]()
        for name in (BLOCKS, MARKS):
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
                row = self._connection.execute(asked, (key if table.is_numbered else text_of(key),)).fetchone()
            except sqlite3.DatabaseError:
                if not table.is_numbered:
                    yield text_of(key), None
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
        yield RowChange(BLOCKS, f"{table.name}", Change.CHANGED)
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
