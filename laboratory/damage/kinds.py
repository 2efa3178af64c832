"""The damages: bytes, pages and ends of files, rows, documents, files of evidence, values of Redis."""

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from core.ledger_notes import PREFIX
from laboratory.damage.copies import Copy

PAGE_BYTES = 4096
LENGTHS = (1, 1, 2, 8, 64, 512, 4096, 65 * 4096)  # of what is written over; the last as a bad run of blocks
CUTS = (1, 100, 4096, 65_536)
INDEX_KEYS = "zw:*{*"  # of the index; queues and locks are made anew by whoever needs them

Damaging = Callable[[Path, random.Random], str]


def overwrite(path: Path, draw: random.Random) -> str:
    """Random bytes over some of a file."""
    size = path.stat().st_size
    length = min(draw.choice(LENGTHS), size)
    start = draw.randrange(size - length + 1)
    _write(path, start, draw.randbytes(length))
    return f"{length} bytes at {start}"


def flip(path: Path, draw: random.Random) -> str:
    """One bit."""
    start = draw.randrange(path.stat().st_size)
    with path.open("rb") as file:
        file.seek(start)
        byte = file.read(1)[0]
    _write(path, start, bytes([byte ^ 1 << draw.randrange(8)]))
    return f"a bit at {start}"


def zero(path: Path, draw: random.Random) -> str:
    """A block of zeroes, as a file system gives for what was never written."""
    pages = max(1, path.stat().st_size // PAGE_BYTES)
    start = draw.randrange(pages) * PAGE_BYTES
    _write(path, start, bytes(min(PAGE_BYTES, path.stat().st_size - start)))
    return f"zeroes at {start}"


def misplace(path: Path, draw: random.Random) -> str:
    """One block in the place of another, as a write that went astray."""
    pages = path.stat().st_size // PAGE_BYTES
    source, target = draw.randrange(pages), draw.randrange(pages)
    with path.open("rb") as file:
        file.seek(source * PAGE_BYTES)
        block = file.read(PAGE_BYTES)
    _write(path, target * PAGE_BYTES, block)
    return f"block {source} over {target}"


def cut(path: Path, draw: random.Random) -> str:
    """The end of a file is gone."""
    size = path.stat().st_size
    left = max(0, size - draw.choice(CUTS))
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.truncate(left)
    return f"cut from {size} to {left}"


def delete_row(path: Path, draw: random.Random) -> str:
    """A row of any table is deleted by another program."""
    table, row = _any_row(path, draw)
    _by_another(path, f'DELETE FROM "{table}" WHERE rowid = {row}')
    return f"row {row} of {table} deleted"


def change_row(path: Path, draw: random.Random) -> str:
    """A value of a row is changed by another program."""
    table, row = _any_row(path, draw)
    with closing(sqlite3.connect(path)) as connection:
        columns = [each[1] for each in connection.execute(f'PRAGMA table_info("{table}")') if not each[5]]
        column = draw.choice(columns)
        (value,) = connection.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = {row}').fetchone()
        changed = f"{value}丶" if isinstance(value, str) else value + 1 if isinstance(value, int | float) else "丶"
        connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = {row}', (changed,))
        connection.commit()
    return f"{column} of row {row} of {table} changed"


def drop_file(path: Path, draw: random.Random) -> str:
    """A file is gone."""
    path.unlink()
    return "gone"


ON_DATABASE: tuple[Damaging, ...] = (overwrite, flip, zero, misplace, cut, delete_row, change_row)
ON_EVIDENCE: tuple[Damaging, ...] = (overwrite, flip, cut, drop_file)


def any_evidence(copy: Copy, draw: random.Random, count: int) -> list[Path]:
    """Some files of the evidence."""
    return draw.sample(sorted(copy.evidence.glob("??/*.wacz")), count)


def garble_redis(client: Any, draw: random.Random) -> str:
    """A value of the index is something else, or gone."""
    key = draw.choice(sorted(client.scan_iter(match=INDEX_KEYS, count=10_000)))
    kind = client.type(key).decode()
    what = draw.choice(("gone", "other type", "garbled", "garbled", "garbled", "garbled"))
    if what == "gone":
        client.delete(key)
    elif what == "other type":
        client.delete(key)
        client.rpush(key, b"x") if kind != "list" else client.set(key, b"x")
    elif kind == "string":
        value = client.get(key) or b"\0"
        start = draw.randrange(len(value))
        client.setrange(key, start, bytes([value[start] ^ 1 << draw.randrange(8)]))
    elif kind == "hash":
        field = draw.choice(sorted(client.hkeys(key)))
        value = client.hget(key, field) or b"\0"
        start = draw.randrange(len(value))
        client.hset(key, field, value[:start] + bytes([value[start] ^ 1 << draw.randrange(8)]) + value[start + 1 :])
    else:
        client.lset(key, draw.randrange(client.llen(key)), draw.randbytes(8))
    return f"{key.decode('utf-8', 'backslashreplace')} ({kind}) {what}"


def _write(path: Path, start: int, content: bytes) -> None:
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


def _any_row(path: Path, draw: random.Random) -> tuple[str, int]:
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = [name for name in sorted(names) if not name.startswith((PREFIX, "sqlite_", "_neosqlite"))]
        filled = {name: [row for (row,) in connection.execute(f'SELECT rowid FROM "{name}"')] for name in names}
    table = draw.choice([name for name in names if filled[name]])
    return table, draw.choice(filled[table])


def _by_another(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(statement)
        connection.commit()
